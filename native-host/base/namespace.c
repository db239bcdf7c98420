// Order matters in namespace_enter_lab: the identity maps can be written only after unshare, gid_map only
// after setgroups is denied, and ambient capabilities can be raised only once they are inheritable.
#include "base/namespace.h"

#include "base/log.h"
#include "base/schedule.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <linux/nsfs.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NETWORK_NAME_SIZE = 64 }; // net:[4026531840]

static int write_file(const char *path, const char *text) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return -1;
    ssize_t n = write(fd, text, strlen(text));
    int error = errno;
    close(fd);
    errno = error;
    return n < 0 ? -1 : 0;
}

static int read_file(const char *path, char *text, int size) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return -1;
    ssize_t n = read(fd, text, (size_t)size - 1);
    int error = errno;
    close(fd);
    errno = error;
    if (n < 0) return -1;
    while (n > 0 && text[n - 1] == '\n')
        n--;
    text[n] = 0;
    return 0;
}

// The switches by which systems forbid user namespaces, most specific first.
static const struct {
    const char *path;
    const char *forbids;
    const char *remedy;
} switches[] = {
    {"/proc/sys/kernel/unprivileged_userns_clone", "0",
     "run `sudo sysctl -w kernel.unprivileged_userns_clone=1`"},
    {"/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1",
     "install Trilane's AppArmor profile: cli/install/apparmor.profile in its folder says how"},
    {"/proc/sys/user/max_user_namespaces", "0", "run `sudo sysctl -w user.max_user_namespaces=15000`"},
    {"/proc/sys/user/max_net_namespaces", "0", "run `sudo sysctl -w user.max_net_namespaces=15000`"},
};

__attribute__((noreturn)) static void die_forbidden(const char *step) {
    int error = errno;
    for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++) {
        char value[32];
        if (read_file(switches[i].path, value, sizeof value) == 0 && strcmp(value, switches[i].forbids) == 0)
            die(EXIT_BAD_INPUT, "user namespaces are not allowed on this system (%s: %s): %s", step,
                strerror(error), switches[i].remedy);
    }
    die(EXIT_BAD_INPUT,
        "user namespaces are not allowed here (%s: %s): leave the chroot, or let the container make them "
        "(docker run --security-opt seccomp=cli/install/seccomp.json, and apparmor=trilane-container of "
        "cli/install/apparmor.profile)",
        step, strerror(error));
}

static int read_link(const char *path, char *text, int size) {
    ssize_t n = readlink(path, text, (size_t)size - 1);
    text[n > 0 ? n : 0] = 0;
    return n < 0 ? -1 : 0;
}

// Whether this network belongs to the user namespace that we are in, and that is not the machine's: then our
// capabilities were made with it, and reach no other network.
static bool network_is_the_user_namespaces(void) {
    static const ino_t machines_user_namespace = 0xEFFFFFFD; // PROC_USER_INIT_INO of the kernel's proc_ns.h
    struct stat own, owner;
    if (stat("/proc/self/ns/user", &own) < 0 || own.st_ino == machines_user_namespace) return false;
    int network = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    int fd = network < 0 ? -1 : ioctl(network, NS_GET_USERNS);
    bool same = fd >= 0 && fstat(fd, &owner) == 0 && owner.st_ino == own.st_ino && owner.st_dev == own.st_dev;
    if (fd >= 0) close(fd);
    if (network >= 0) close(network);
    return same;
}

bool namespace_network_is_made(void) {
    return getenv(NAMESPACE_TOKEN) && network_is_the_user_namespaces();
}

bool namespace_is_lab(void) {
    const char *token = getenv(NAMESPACE_TOKEN);
    char network[NETWORK_NAME_SIZE];
    return token && read_link("/proc/self/ns/net", network, sizeof network) == 0 &&
           strcmp(token, network) == 0 && network_is_the_user_namespaces() &&
           prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, CAP_NET_ADMIN, 0, 0) == 1 &&
           prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, CAP_SYS_ADMIN, 0, 0) == 1;
}

static int keep_capabilities_over_exec(void) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2];
    if (syscall(SYS_capget, &header, data) < 0) return -1;
    for (int i = 0; i < 2; i++)
        data[i].inheritable = data[i].permitted;
    if (syscall(SYS_capset, &header, data) < 0) return -1;
    for (int c = 0; c < 64; c++)
        if ((data[c / 32].permitted >> (c % 32)) & 1)
            if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, c, 0, 0) < 0) return -1;
    return 0;
}

void namespace_enter_lab(void) {
    char uid_map[64], gid_map[64];
    snprintf(uid_map, sizeof uid_map, "%d %u 1", NAMESPACE_UID, (unsigned)geteuid());
    snprintf(gid_map, sizeof gid_map, "%d %u 1", NAMESPACE_GID, (unsigned)getegid());
    schedule_promptly();
    if (unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0) die_forbidden("unshare");
    if (write_file("/proc/self/uid_map", uid_map) < 0) die_forbidden("uid_map");
    if (write_file("/proc/self/setgroups", "deny") < 0 && errno != ENOENT) die_forbidden("setgroups");
    if (write_file("/proc/self/gid_map", gid_map) < 0) die_forbidden("gid_map");
    if (keep_capabilities_over_exec() < 0) die_forbidden("capabilities");
    char network[NETWORK_NAME_SIZE];
    if (read_link("/proc/self/ns/net", network, sizeof network) < 0 ||
        setenv(NAMESPACE_TOKEN, network, 1) < 0)
        die(EXIT_RUN_FAILED, "/proc/self/ns/net: %s", strerror(errno));
}

void namespace_enter_network(void) {
    if (unshare(CLONE_NEWNET) < 0) die_forbidden("unshare");
}

static int sysctl_path(char *path, int path_size, const char *name) {
    int n = snprintf(path, (size_t)path_size, "/proc/sys/%s", name);
    if (n > 0 && n < path_size) return 0;
    errno = ENAMETOOLONG;
    return -1;
}

int namespace_set_sysctl(const char *name, const char *value) {
    char path[256];
    if (sysctl_path(path, sizeof path, name) < 0) return -1;
    return write_file(path, value);
}

int namespace_get_sysctl(const char *name, char *value, int value_size) {
    char path[256];
    if (sysctl_path(path, sizeof path, name) < 0) return -1;
    return read_file(path, value, value_size);
}

int namespace_open_tun(const char *name) {
    int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return -1;
    struct ifreq request = {.ifr_flags = IFF_TUN | IFF_NO_PI | IFF_VNET_HDR};
    snprintf(request.ifr_name, sizeof request.ifr_name, "%s", name);
    if (ioctl(fd, TUNSETIFF, &request) < 0) {
        if (errno == EPERM) die_forbidden("tun");
        die(EXIT_RUN_FAILED, "tun device %s: %s", name, strerror(errno));
    }
    // The device goes with its namespace, which the kernel clears up behind our back: without this, closing
    // the descriptor waits some 30 ms for it.
    ioctl(fd, TUNSETPERSIST, 1UL);
    return fd;
}

static const struct {
    const char *name;
    const char *value;
} stock[] = {
    {"net/ipv4/tcp_no_metrics_save", "1"}, // else a path's ssthresh outlives the connection that found it
    {"net/ipv4/tcp_slow_start_after_idle", "1"},
    {"net/ipv4/tcp_rmem", "4096 131072 6291456"},
    {"net/ipv4/tcp_wmem", "4096 16384 4194304"},
    {"net/ipv4/tcp_notsent_lowat", "4294967295"},
    {"net/ipv4/tcp_fastopen", "1"},
    {"net/ipv4/tcp_ecn", "2"},
    {"net/ipv4/tcp_sack", "1"},
    {"net/ipv4/tcp_window_scaling", "1"},
    {"net/ipv4/tcp_timestamps", "1"},
    {"net/ipv4/conf/all/rp_filter", "0"}, // packets come from a TUN that routes back only what it must
    {"net/ipv4/conf/default/rp_filter", "0"},
    {"net/ipv6/conf/all/disable_ipv6", "0"},
    {"net/ipv6/conf/lo/disable_ipv6", "0"},
};

void namespace_set_stock_network(void) {
    for (size_t i = 0; i < sizeof stock / sizeof *stock; i++)
        namespace_set_sysctl(stock[i].name, stock[i].value);
}
