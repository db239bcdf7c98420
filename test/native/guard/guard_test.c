// trilane-guard runs commands that cannot connect to this machine, and are otherwise as if it were not there.
// The program is also what it runs: by a word as its first argument.
#include "base/log.h"
#include "base/namespace.h"
#include "base/netlink.h"
#include "test/native/cmocka_unit.h"
#include "test/native/shaper/run.h"

#include <arpa/inet.h>
#include <linux/netlink.h>
#include <sys/socket.h>
#include <sys/un.h>

static char self[4096];
static int listening_fd = -1;
static char port[8];

static int listen_on_loopback(void **state) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    listening_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(listening_fd, (struct sockaddr *)&address, size) < 0 || listen(listening_fd, 16) < 0) return -1;
    getsockname(listening_fd, (struct sockaddr *)&address, &size);
    snprintf(port, sizeof port, "%d", ntohs(address.sin_port));
    return 0;
}

static int close_listener(void **state) {
    return close(listening_fd);
}

// `script`'s exit status; $1 is the port.
static int status_of(const char *nearest, const char *script, struct run *run) {
    run_words(run, PROGRAM_TRILANE_GUARD, "--nearest", nearest, "--", "bash", "-c", script, "bash", port,
              NULL);
    return run->status;
}

static const char connects[] = "exec 5<>/dev/tcp/127.0.0.1/$1";

UNIT_TEST(test_connections_to_this_machine_fail) {
    struct run run;
    assert_int_not_equal(status_of("public", connects, &run), 0);
    assert_non_null(strstr(run.err, "Permission denied"));
    assert_int_not_equal(status_of("local", connects, &run), 0);
    // What the command starts is no freer.
    assert_int_not_equal(status_of("public", "bash -c 'exec 5<>/dev/tcp/127.0.0.1/'$1", &run), 0);
    assert_int_not_equal(status_of("public", "exec 5<>/dev/tcp/::ffff:127.0.0.1/$1", &run), 0);
    assert_int_not_equal(status_of("public", "exec 5<>/dev/udp/127.0.0.1/$1", &run), 0);
}

UNIT_TEST(test_they_succeed_where_allowed) {
    struct run run;
    assert_int_equal(status_of("loopback", connects, &run), 0);
    assert_string_equal(run.err, "");
}

// The status of `self ROLE $1`, guarded.
static int status_of_role(const char *nearest, const char *role, struct run *run) {
    char script[sizeof self + 64];
    snprintf(script, sizeof script, "exec '%s' %s $1", self, role);
    return status_of(nearest, script, run);
}

static struct sockaddr_in at_port(const char *text) {
    return (struct sockaddr_in){.sin_family = AF_INET,
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                                .sin_port = htons((uint16_t)strtoul(text, NULL, 10))};
}

// Which of the calls that take an address came through, a word each. Exits with their number.
static int send_by_all_calls(const char *text) {
    struct sockaddr_in to = at_port(text);
    struct iovec data = {.iov_base = "x", .iov_len = 1};
    struct mmsghdr named = {
        .msg_hdr = {.msg_name = &to, .msg_namelen = sizeof to, .msg_iov = &data, .msg_iovlen = 1}};
    int udp = socket(AF_INET, SOCK_DGRAM, 0), tcp = socket(AF_INET, SOCK_STREAM, 0), through = 0;
    struct {
        const char *name;
        ssize_t sent;
    } const calls[] = {
        {"sendto", sendto(udp, "x", 1, 0, (struct sockaddr *)&to, sizeof to)},
        {"sendmsg", sendmsg(udp, &named.msg_hdr, 0)},
        {"sendmmsg", sendmmsg(udp, &named, 1, 0)},
        // Connects, without a call to connect.
        {"sendmsg-fast-open", sendmsg(tcp, &named.msg_hdr, MSG_FASTOPEN)},
    };
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        if (calls[i].sent <= 0) continue;
        through++;
        puts(calls[i].name);
    }
    return through;
}

UNIT_TEST(test_no_call_that_takes_an_address_reaches_this_machine) {
    struct run run;
    int through = status_of_role("public", "send", &run);
    assert_string_equal(run.out, "");
    assert_int_equal(through, 0);
    // They would, otherwise: fast open may be switched off.
    assert_true(status_of_role("loopback", "send", &run) >= 3);
    assert_non_null(strstr(run.out, "sendmsg\n"));
}

// Between processes: with a descriptor and without one.
static int send_to_processes(void) {
    int ends[2];
    struct iovec data = {.iov_base = "x", .iov_len = 1};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0 || sendmsg(ends[0], &message, 0) != 1) return 1;
    char control[CMSG_SPACE(sizeof(int))] = {0};
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &ends[1], sizeof(int));
    return sendmsg(ends[0], &message, 0) == 1 ? 0 : 2;
}

UNIT_TEST(test_processes_send_to_one_another) {
    struct run run;
    assert_int_equal(status_of_role("public", "send-to-processes", &run), 0);
}

// Each of the four calls to an address of `family`; a letter each: r refused by the guard, . not.
static void call_with(int fd, const struct sockaddr *to, socklen_t size, char letters[5]) {
    struct iovec data = {.iov_base = "x", .iov_len = 1};
    struct mmsghdr message = {
        .msg_hdr = {
            .msg_name = (void *)(uintptr_t)to, .msg_namelen = size, .msg_iov = &data, .msg_iovlen = 1}};
    for (int call = 0; call < 4; call++) {
        ssize_t result = call == 0   ? connect(fd, to, size)
                         : call == 1 ? sendto(fd, "x", 1, MSG_DONTWAIT, to, size)
                         : call == 2 ? sendmsg(fd, &message.msg_hdr, MSG_DONTWAIT)
                                     : sendmmsg(fd, &message, 1, MSG_DONTWAIT);
        letters[call] = result < 0 && errno == EACCES ? 'r' : '.';
    }
    letters[4] = 0;
}

// The matrix: a line for each family that there can be, from a socket of IPv4.
static int call_with_all_families(const char *text) {
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    for (int family = 0; family < 64; family++) {
        struct sockaddr_storage to = {0};
        struct sockaddr_in four = at_port(text);
        memcpy(&to, &four, sizeof four);
        to.ss_family = (sa_family_t)family;
        char letters[5];
        call_with(fd, (struct sockaddr *)&to, sizeof to, letters);
        printf("%d %s\n", family, letters);
    }
    // Of sockets of those families, which addresses of theirs are allowed.
    struct sockaddr_nl kernel = {.nl_family = AF_NETLINK}, process = {.nl_family = AF_NETLINK, .nl_pid = 1};
    struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "/run/dbus/system_bus_socket"};
    struct sockaddr_un abstract = {.sun_family = AF_UNIX, .sun_path = "\0/tmp/.X11-unix/X0"};
    const struct {
        const char *name;
        int family, type;
        const void *address;
        socklen_t size;
    } others[] = {{"kernel", AF_NETLINK, SOCK_RAW, &kernel, sizeof kernel},
                  {"process", AF_NETLINK, SOCK_RAW, &process, sizeof process},
                  {"bus", AF_UNIX, SOCK_DGRAM, &name, sizeof name},
                  {"abstract", AF_UNIX, SOCK_DGRAM, &abstract, sizeof abstract}};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        char letters[5];
        call_with(socket(others[i].family, others[i].type, 0), others[i].address, others[i].size, letters);
        printf("%s %s\n", others[i].name, letters);
    }
    return 0;
}

UNIT_TEST(test_all_families_by_all_calls) {
    struct run run;
    for (int local = 0; local < 2; local++) {
        assert_int_equal(status_of_role(local ? "local" : "public", "families", &run), 0);
        char expected[4096];
        int used = 0;
        for (int family = 0; family < 64; family++) // 127.0.0.1's bytes are no netlink number of the kernel
            used += snprintf(expected + used, sizeof expected - (size_t)used, "%d %s\n", family,
                             family == AF_UNSPEC ? ".rrr" : "rrrr");
        snprintf(expected + used, sizeof expected - (size_t)used,
                 "kernel ....\nprocess rrrr\nbus rrrr\nabstract rrrr\n");
        assert_string_equal(run.out, expected);
    }
}

// As a message's address it would reach IPv4's loopback.
static int send_unspecified(const char *text) {
    struct sockaddr_in to = at_port(text);
    int receiver = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    to.sin_port = 0;
    socklen_t size = sizeof to;
    if (bind(receiver, (struct sockaddr *)&to, size) < 0) return 10;
    getsockname(receiver, (struct sockaddr *)&to, &size);
    to.sin_family = AF_UNSPEC;
    char byte;
    sendto(socket(AF_INET, SOCK_DGRAM, 0), "x", 1, 0, (struct sockaddr *)&to, sizeof to);
    return recv(receiver, &byte, 1, 0) == 1;
}

UNIT_TEST(test_no_family_is_a_way_to_loopback) {
    struct run run;
    assert_int_equal(send_unspecified(port), 1); // else the attempt is none
    assert_int_equal(status_of_role("public", "send-unspecified", &run), 0);
}

static void print_space(const char *address) {
    struct run run;
    run_words(&run, PROGRAM_TRILANE_GUARD, "--space", address, NULL);
    fputs(run.out, stdout);
}

// A machine whose addresses are public ones: what a guarded command reaches of them, and what they count as.
static int be_public(const char *text) {
    struct netlink netlink;
    namespace_enter_lab();
    if (netlink_open(&netlink) < 0 || netlink_link_up(&netlink, "lo", 0) < 0 ||
        netlink_add_address(&netlink, "lo", "203.0.113.5", 24) < 0)
        return 1;
    bool has_6 = netlink_add_address(&netlink, "lo", "2001:db8:5::5", 64) == 0;
    netlink_close(&netlink);
    struct sockaddr_in address = at_port(text);
    address.sin_addr.s_addr = htonl(INADDR_ANY);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) < 0 || listen(listener, 16) < 0) return 1;
    snprintf(port, sizeof port, "%s", text);
    struct run run;
    static const char script[] = "for host in 203.0.113.5 203.0.113.77 ::ffff:203.0.113.5; do"
                                 "  (exec 5<>/dev/tcp/$host/$1) 2>/dev/null && echo $host; done; true";
    for (int i = 0; i < 3; i++) {
        static const char *const nearest[] = {"public", "local", "loopback"};
        status_of(nearest[i], script, &run);
        printf("%s:\n%s", nearest[i], run.out);
    }
    print_space("203.0.113.5");
    print_space("203.0.113.77");
    print_space("203.0.114.77");
    // Where there is no IPv6, nothing of it is near.
    if (!has_6) return 2;
    print_space("2001:db8:5::5");
    print_space("2001:db8:5::77");
    print_space("2001:db8:6::77");
    print_space("2002:cb00:7105::1"); // 203.0.113.5 in 6to4
    return 0;
}

UNIT_TEST(test_public_addresses_of_this_machine_and_its_networks_are_near) {
    struct run run;
    run_words(&run, self, "be-public", "9000", NULL);
    static const char four[] = "public:\nlocal:\n203.0.113.77\n"
                               "loopback:\n203.0.113.5\n203.0.113.77\n::ffff:203.0.113.5\n"
                               "loopback\nlocal\npublic\n";
    assert_int_equal(strncmp(run.out, four, strlen(four)), 0);
    if (run.status == 0)
        assert_string_equal(run.out + strlen(four), "loopback\nlocal\npublic\nloopback\n");
    else
        assert_int_equal(run.status, 2);
}

// In a lab the interfaces are the lab's: what the machine around it is on is handed in.
UNIT_TEST(test_networks_that_are_handed_in_are_near) {
    struct run run;
    run_words(&run, PROGRAM_TRILANE_GUARD, "--networks", NULL);
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "loopback:127.0.0.1/32,local:127.0.0.1/8"));
    run.out[strcspn(run.out, "\n")] = 0;
    char given[sizeof run.out + 128];
    snprintf(given, sizeof given, "%s%s", run.out,
             ",loopback:203.0.113.5/32,local:203.0.113.5/24,local:2001:db8:5::/61");
    // A refused call fails at once with EACCES; what is let through finds nobody, or no way.
    static const char script[] = "for host in 203.0.113.5 203.0.113.77 ::ffff:203.0.113.77 2001:db8:5:7::1 "
                                 "203.0.112.77 2001:db8:5:8::1; do"
                                 "  (timeout 0.2 bash -c \"exec 5<>/dev/udp/$host/9\") 2>&1 | grep -q "
                                 "Permission && echo $host; done; true";
    static const char *const refused[] = {"203.0.113.5\n203.0.113.77\n::ffff:203.0.113.77\n2001:db8:5:7::1\n",
                                          "203.0.113.5\n", ""};
    static const char *const nearest[] = {"public", "local", "loopback"};
    for (int i = 0; i < 3; i++) {
        run_words(&run, PROGRAM_TRILANE_GUARD, "--nearest", nearest[i], "--own", given, "--", "bash", "-c",
                  script, NULL);
        assert_string_equal(run.out, refused[i]);
    }
}

UNIT_TEST(test_the_commands_end_is_ours) {
    struct run run;
    assert_int_equal(status_of("public", "echo out; echo err >&2; exit 7", &run), 7);
    assert_string_equal(run.out, "out\n");
    assert_string_equal(run.err, "err\n");
    assert_int_equal(status_of("public", "kill -9 $$", &run), 128 + 9);
    run_words(&run, PROGRAM_TRILANE_GUARD, "--", "/no/such/program", NULL);
    assert_int_equal(run.status, 127);
}

UNIT_TEST(test_many_at_once) {
    struct run run;
    const char *script =
        "for i in $(seq 50); do (exec 5<>/dev/tcp/127.0.0.1/$1) 2>/dev/null && echo through & done; wait";
    assert_int_equal(status_of("public", script, &run), 0);
    assert_string_equal(run.out, "");
}

// As live_lab.sh starts a link.
UNIT_TEST(test_a_lab_can_be_made_in_a_new_network) {
    struct run run;
    char *argv[] = {PROGRAM_TRILANE_GUARD,
                    "--new-network",
                    "--",
                    "sh",
                    "-c",
                    "ip -o link | wc -l; $0 --link 3mbit/50ms -- id -u; "
                    "ip -o link show dev lo up | wc -l",
                    PROGRAM_TRILANE_SHAPER,
                    NULL};
    run_program(&run, argv);
    assert_string_equal(run.err, "");
    // Nothing but lo, which the shaper then set up: it took this network for a lab.
    assert_string_equal(run.out, "1\n1000\n1\n");
    run_words(&run, PROGRAM_TRILANE_GUARD, "--new-network", "--", "/no/such", NULL);
    assert_int_equal(run.status, EXIT_BAD_INPUT);
    assert_string_equal(run.err, "trilane-guard: /no/such: No such file or directory\n");
}

UNIT_TEST(test_bad_words) {
    struct run run;
    run_words(&run, PROGRAM_TRILANE_GUARD, "--nearest", "home", "--", "true", NULL);
    assert_int_equal(run.status, EXIT_BAD_INPUT);
    run_words(&run, PROGRAM_TRILANE_GUARD, NULL);
    assert_int_equal(run.status, EXIT_BAD_INPUT);
    static const char *const lists[] = {"x",
                                        "near:203.0.113.0/24",
                                        "local:203.0.113.0",
                                        "local:203.0.113.0/0",
                                        "local:203.0.113.0/33",
                                        "local:host/24",
                                        "local:2001:db8::/129",
                                        "local:203.0.113.0/24,,",
                                        "local:203.0.113.0/24x"};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        run_words(&run, PROGRAM_TRILANE_GUARD, "--own", lists[i], "--", "true", NULL);
        assert_int_equal(run.status, EXIT_BAD_INPUT);
    }
    // An error is one line, whatever it quotes.
    run_words(&run, PROGRAM_TRILANE_GUARD, "--space", "local\nhost\033[2J", NULL);
    assert_int_equal(run.status, EXIT_BAD_INPUT);
    assert_string_equal(run.err,
                        "trilane-guard: --space \"local?host?[2J\": write an IPv4 or IPv6 address\n");
}

GROUP_FIXTURE(listen_on_loopback, close_listener)

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "send") == 0) end_run(send_by_all_calls(argv[2]));
    if (argc == 3 && strcmp(argv[1], "send-to-processes") == 0) end_run(send_to_processes());
    if (argc == 3 && strcmp(argv[1], "families") == 0) end_run(call_with_all_families(argv[2]));
    if (argc == 3 && strcmp(argv[1], "send-unspecified") == 0) end_run(send_unspecified(argv[2]));
    if (argc == 3 && strcmp(argv[1], "be-public") == 0) end_run(be_public(argv[2]));
    if (!realpath("/proc/self/exe", self)) return 1;
    return unit_tests_run();
}
