// Native code in the browser's place tries what there is on this machine, from a lab and from where a page is
// recorded: table-driven, way by place. The machine is one of the test's own: a network with addresses of
// each kind, and a /run with the sockets of D-Bus and Docker. What a page itself can try is in
// test/e2e/record_local_network.test.ts. The program is also what it runs: by words as its arguments.
#include "base/namespace.h"
#include "test/native/cmocka_unit.h"
#include "test/native/shaper/run.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum kind { ADDRESS, ABSTRACT, PATH, DATA, PROGRAMS, KINDS };

struct way {
    const char *name;
    enum kind kind;
    const char *at; // a path below the home, if it is not absolute
};

static const struct way ways[] = {
    {"loopback", ADDRESS, "127.0.0.1"},
    {"another loopback address", ADDRESS, "127.8.8.8"},
    {"this host", ADDRESS, "0.0.0.0"},
    {"loopback, IPv6", ADDRESS, "::1"},
    {"loopback, IPv4 in IPv6", ADDRESS, "::ffff:127.0.0.1"},
    {"private", ADDRESS, "10.9.9.9"},
    {"private, IPv6", ADDRESS, "fd99::9"},
    {"link-local", ADDRESS, "169.254.7.7"},
    {"link-local, IPv6", ADDRESS, "fe80::9"},
    {"X11, abstract", ABSTRACT, "/tmp/.X11-unix/X7391"},
    {"X11", PATH, "/tmp/trilane-escape-X7391"},
    {"D-Bus, system", PATH, "/run/dbus/system_bus_socket"},
    {"D-Bus, session", PATH, "/run/user/1000/bus"},
    {"Docker", PATH, "/run/docker.sock"},
    {"an agent in the home", PATH, "agent"},
    {"a key in the home", DATA, ".ssh/id_ed25519"},
    {"writing to the lab's programs", PROGRAMS, TRILANE_ROOT "/build"},
};
enum { WAYS = sizeof ways / sizeof ways[0] };

static char self[4096], home[] = "/var/tmp/trilane-escape-XXXXXX", port[16];

static const struct place {
    const char *name;
    char *words[16]; // before the command
    bool reaches[KINDS];
} places[] = {
    {"unguarded", {NULL}, {true, true, true, true, true}},
    {"recording", {PROGRAM_TRILANE_GUARD, "--"}, {[DATA] = true, [PROGRAMS] = true}},
    {"a load's lab",
     {PROGRAM_TRILANE_SHAPER, "--link", "10mbit/2ms", "--hide", "/run", "--hide", "/tmp", "--hide", home,
      "--hide", TRILANE_ROOT, "--show", TRILANE_ROOT "/build", "--"},
     {false}},
    // What runs there is the user's.
    {"a shell's lab",
     {PROGRAM_TRILANE_SHAPER, "--link", "10mbit/2ms", "--"},
     {[PATH] = true, [DATA] = true, [PROGRAMS] = true}},
};

static const char *path_of(const struct way *way) {
    static char path[256];
    snprintf(path, sizeof path, "%s%s%s", *way->at == '/' ? "" : home, *way->at == '/' ? "" : "/", way->at);
    return path;
}

static socklen_t unix_address(struct sockaddr_un *to, const struct way *way) {
    const bool abstract = way->kind == ABSTRACT;
    const char *name = abstract ? way->at : path_of(way);
    *to = (struct sockaddr_un){.sun_family = AF_UNIX};
    memcpy(to->sun_path + abstract, name, strlen(name));
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + abstract + strlen(name) + !abstract);
}

// What is reached answers at once; over a lab's link nobody refuses.
static bool connects(int family, const void *address, socklen_t size) {
    const int fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK, 0);
    struct pollfd watched = {.fd = fd, .events = POLLOUT};
    int error = connect(fd, address, size) < 0 ? errno : 0;
    socklen_t error_size = sizeof error;
    if (error == EINPROGRESS && poll(&watched, 1, 500) == 1)
        getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &error_size);
    close(fd);
    return error == 0;
}

static bool reaches(const struct way *way) {
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons((uint16_t)strtoul(port, NULL, 10))};
    struct sockaddr_in6 six = {
        .sin6_family = AF_INET6, .sin6_port = four.sin_port, .sin6_scope_id = if_nametoindex("lo")};
    struct sockaddr_un name;
    if (way->kind == DATA) {
        const int fd = open(path_of(way), O_RDONLY | O_CLOEXEC);
        if (fd >= 0) close(fd);
        return fd >= 0;
    }
    if (way->kind == PROGRAMS) return access(way->at, W_OK) == 0;
    if (way->kind != ADDRESS) return connects(AF_UNIX, &name, unix_address(&name, way));
    if (inet_pton(AF_INET, way->at, &four.sin_addr) == 1) return connects(AF_INET, &four, sizeof four);
    return inet_pton(AF_INET6, way->at, &six.sin6_addr) == 1 && connects(AF_INET6, &six, sizeof six);
}

static int try_all(void) {
    for (size_t i = 0; i < WAYS; i++)
        if (reaches(&ways[i])) puts(ways[i].name);
    return 0;
}

static void run_in_shell(const char *script) {
    struct run run;
    run_program(&run, (char *[]){"sh", "-ec", (char *)(uintptr_t)script, NULL});
    if (run.status != 0) print_message("%s", run.err);
    assert_int_equal(run.status, 0);
}

static int listening[WAYS];

static void listen_at(size_t i, int family, const void *address, socklen_t size) {
    listening[i] = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(listening[i], address, size), 0);
    assert_int_equal(listen(listening[i], 1024), 0);
}

static int set_up(void **state) {
    (void)state;
    assert_non_null(mkdtemp(home));
    run_in_shell(
        "ip link set lo up; for a in 10.9.9.9/32 169.254.7.7/32 fd99::9/128 fe80::9/64; do ip address add $a "
        "dev lo nodad 2>/dev/null || ip address add $a dev lo; done; mkdir -p /run/dbus /run/user/1000");
    struct sockaddr_in6 any = {.sin6_family = AF_INET6};
    socklen_t size = sizeof any;
    listen_at(0, AF_INET6, &any, size);
    getsockname(listening[0], (struct sockaddr *)&any, &size);
    snprintf(port, sizeof port, "%d", ntohs(any.sin6_port));
    for (size_t i = 0; i < WAYS; i++) {
        struct sockaddr_un name;
        if (ways[i].kind == PATH) unlink(path_of(&ways[i]));
        if (ways[i].kind == PATH || ways[i].kind == ABSTRACT)
            listen_at(i, AF_UNIX, &name, unix_address(&name, &ways[i]));
    }
    char script[256];
    snprintf(script, sizeof script, "mkdir %s/.ssh; echo secret >%s/.ssh/id_ed25519", home, home);
    run_in_shell(script);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    char script[128];
    for (size_t i = 0; i < WAYS; i++)
        if (listening[i] > 0) close(listening[i]);
    snprintf(script, sizeof script, "rm -rf %s /tmp/trilane-escape-X7391", home);
    run_in_shell(script);
    return 0;
}

static void test_native_code_reaches_nothing_here(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        struct run run;
        char *argv[24], expected[1024] = "";
        int count = 0;
        for (int j = 0; places[i].words[j]; j++)
            argv[count++] = places[i].words[j];
        argv[count++] = self;
        argv[count++] = port;
        argv[count++] = home;
        argv[count] = NULL;
        run_program(&run, argv);
        for (size_t j = 0; j < WAYS; j++)
            if (places[i].reaches[ways[j].kind]) strcat(strcat(expected, ways[j].name), "\n");
        print_message("%s: %s\n", places[i].name, run.out);
        assert_string_equal(run.err, "");
        assert_int_equal(run.status, 0);
        assert_string_equal(run.out, expected);
    }
}

// A network and a /run of our own; what is run makes labs of its own in turn.
static bool enter_own_machine(void) {
    namespace_enter_lab();
    return unsetenv(NAMESPACE_TOKEN) == 0 && unshare(CLONE_NEWNS) == 0 &&
           mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("tmpfs", "/run", "tmpfs", MS_NOSUID | MS_NODEV, "mode=755") == 0;
}

int main(int argc, char **argv) {
    if (argc == 3) {
        snprintf(port, sizeof port, "%s", argv[1]);
        snprintf(home, sizeof home, "%s", argv[2]);
        end_run(try_all());
    }
    if (!realpath("/proc/self/exe", self) || !enter_own_machine()) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_native_code_reaches_nothing_here, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
