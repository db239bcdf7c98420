// namespace, netlink: a lab made for real. Each test does it in a process of its own, because there is no way
// back.
#include "base/namespace.h"
#include "base/netlink.h"
#include "test/native/cmocka_unit.h"

#include <ifaddrs.h>
#include <linux/capability.h>
#include <net/if.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

// What the tests could not undo in this process. 0, or the number of the check that failed.
static int in_process(int (*body)(void)) {
    pid_t pid = fork();
    if (pid == 0) _exit(body());
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

// A check's number, 1 and up, instead of assert: cmocka's belong to the parent.
#define CHECK(number, condition)                                                                             \
    if (!(condition)) return number

// As a service manager gives capabilities to a service.
static void raise_all(void) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2];
    if (syscall(SYS_capget, &header, data) < 0) return;
    for (int i = 0; i < 2; i++)
        data[i].inheritable = data[i].permitted;
    syscall(SYS_capset, &header, data);
    for (unsigned long c = 0; c <= CAP_LAST_CAP; c++)
        prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, c, 0, 0);
}

static int make_lab(void) {
    CHECK(1, !namespace_is_lab());
    namespace_enter_lab();
    CHECK(2, namespace_is_lab());
    CHECK(3, getuid() == NAMESPACE_UID && getgid() == NAMESPACE_GID);
    // Nothing of the machine's network is here: no interface has an address.
    struct ifaddrs *addresses;
    CHECK(4, getifaddrs(&addresses) == 0);
    for (struct ifaddrs *a = addresses; a; a = a->ifa_next)
        CHECK(5, !a->ifa_addr || (a->ifa_addr->sa_family != AF_INET && a->ifa_addr->sa_family != AF_INET6));
    freeifaddrs(addresses);
    return 0;
}

static int tokens(void) {
    namespace_enter_lab();
    char token[64] = "", *there = getenv(NAMESPACE_TOKEN);
    CHECK(1, there && strlen(there) < sizeof token);
    strcpy(token, there);
    unsetenv(NAMESPACE_TOKEN);
    CHECK(2, !namespace_is_lab());
    setenv(NAMESPACE_TOKEN, "net:[1]", 1);
    CHECK(3, !namespace_is_lab());
    setenv(NAMESPACE_TOKEN, token, 1);
    CHECK(4, namespace_is_lab());
    namespace_enter_network();
    CHECK(5, !namespace_is_lab());
    return 0;
}

// Root with all capabilities, and a token that names the machine's network.
static int machine(void) {
    char token[64] = "";
    CHECK(1, readlink("/proc/self/ns/net", token, sizeof token - 1) > 0);
    setenv(NAMESPACE_TOKEN, token, 1);
    raise_all();
    CHECK(2, !namespace_is_lab());
    return 0;
}

// All capabilities of a user namespace that the network does not belong to.
static int others_network(void) {
    namespace_enter_lab();
    CHECK(1, namespace_is_lab());
    CHECK(2, unshare(CLONE_NEWUSER) == 0);
    raise_all();
    CHECK(3, prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, CAP_NET_ADMIN, 0, 0) == 1);
    CHECK(4, !namespace_is_lab());
    return 0;
}

static int configure(void) {
    namespace_enter_lab();
    struct netlink netlink;
    CHECK(1, netlink_open(&netlink) == 0);
    CHECK(2, netlink_link_up(&netlink, "lo", 0) == 0);
    CHECK(3, netlink_add_address(&netlink, "lo", "203.0.113.7", 32) == 0);
    CHECK(4, netlink_add_address(&netlink, "lo", "203.0.113.7", 32) == 0); // again is no error
    CHECK(5, netlink_add_address(&netlink, "lo", "2001:db8::7", 128) == 0 || errno == EACCES);
    CHECK(6, netlink_add_address(&netlink, "lo", "example", 32) == -1 && errno == EINVAL);
    CHECK(7, netlink_add_address(&netlink, "none0", "203.0.113.8", 32) == -1 && errno == ENODEV);
    CHECK(8, netlink_add_route(&netlink, "lo", "198.51.100.0", 24, &(struct netlink_tcp){"reno", true}) == 0);
    CHECK(9, netlink_add_route(&netlink, "lo", "198.51.101.0", 24,
                               &(struct netlink_tcp){"no-such-control", false}) == -1);
    const uint8_t one[6] = {2, 0, 0, 0, 0, 1}, other[6] = {2, 0, 0, 0, 0, 2};
    if (netlink_add_pair(&netlink, "one", one, "other", other) == 0) {
        CHECK(10, if_nametoindex("one") > 0 && if_nametoindex("other") > 0);
        CHECK(11, netlink_add_pair(&netlink, "one", one, "third", other) == -1 && errno == EEXIST);
    } else {
        CHECK(12, errno == EOPNOTSUPP); // a kernel without veth
    }
    netlink_close(&netlink);
    return 0;
}

static int tun_in_two_networks(void) {
    namespace_enter_lab();
    int far = namespace_open_tun("link");
    CHECK(1, if_nametoindex("link") > 0);
    namespace_enter_network();
    CHECK(2, if_nametoindex("link") == 0);
    int near = namespace_open_tun("link");
    CHECK(3, near >= 0 && near != far && if_nametoindex("link") > 0);
    return 0;
}

static int sysctls(void) {
    namespace_enter_lab();
    char value[64];
    CHECK(1, namespace_get_sysctl("net/ipv4/tcp_no_metrics_save", value, sizeof value) == 0);
    if (namespace_set_sysctl("net/ipv4/tcp_no_metrics_save", "1") < 0) return errno == EROFS ? 0 : 2;
    CHECK(3, namespace_get_sysctl("net/ipv4/tcp_no_metrics_save", value, sizeof value) == 0);
    CHECK(4, strcmp(value, "1") == 0);
    CHECK(5, namespace_set_sysctl("net/ipv4/no_such_thing", "1") == -1);
    return 0;
}

UNIT_TEST(lab_is_empty_and_ours) {
    assert_int_equal(in_process(make_lab), 0);
}

UNIT_TEST(only_its_token_makes_a_network_a_lab) {
    assert_int_equal(in_process(tokens), 0);
    assert_int_equal(in_process(others_network), 0);
    struct stat own;
    assert_int_equal(stat("/proc/self/ns/user", &own), 0);
    // In a container with a user namespace of its own the network is one that was made with it.
    if (own.st_ino == 0xEFFFFFFD) assert_int_equal(in_process(machine), 0);
}

UNIT_TEST(interfaces_addresses_and_routes) {
    assert_int_equal(in_process(configure), 0);
}

UNIT_TEST(one_tun_on_each_side) {
    assert_int_equal(in_process(tun_in_two_networks), 0);
}

UNIT_TEST(sysctls_of_the_namespace) {
    assert_int_equal(in_process(sysctls), 0);
}
