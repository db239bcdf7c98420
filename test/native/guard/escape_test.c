// Native code in the browser's place tries what listens on this machine, from a lab and from where a page is
// recorded: table-driven, way by place. What a page itself can try is in
// test/e2e/record_local_network.test.ts. The program is also what it runs: by a word as its first argument.
#include "test/native/cmocka_unit.h"
#include "test/native/shaper/run.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static char self[4096], words[3][64]; // port, abstract name, path

struct place {
    const char *name;
    char *words[8];    // before the command
    bool reached;      // by its loopback and abstract sockets
    bool path_reached; // by a name in the file system
};

static const struct place places[] = {
    {"unguarded", {NULL}, true, true},
    {"recording", {PROGRAM_TRILANE_GUARD, "--"}, false, false},
    // A socket in the file system is a file, and a lab has those of its user (SECURITY.md).
    {"lab", {PROGRAM_TRILANE_SHAPER, "--link", "10mbit/2ms", "--"}, false, true},
};

static socklen_t unix_address(struct sockaddr_un *to, const char *name, bool abstract) {
    *to = (struct sockaddr_un){.sun_family = AF_UNIX};
    memcpy(to->sun_path + abstract, name, strlen(name));
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + abstract + strlen(name) + !abstract);
}

static int listen_at(int family, const void *address, socklen_t size) {
    const int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return bind(fd, address, size) < 0 || listen(fd, 64) < 0 ? -1 : fd;
}

static int listening[3];

static int set_up(void **state) {
    (void)state;
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_un to;
    socklen_t size = sizeof four;
    listening[0] = listen_at(AF_INET, &four, size);
    getsockname(listening[0], (struct sockaddr *)&four, &size);
    snprintf(words[0], sizeof words[0], "%d", ntohs(four.sin_port));
    snprintf(words[1], sizeof words[1], "trilane-escape-%d", (int)getpid());
    snprintf(words[2], sizeof words[2], "/tmp/trilane-escape-%d", (int)getpid());
    size = unix_address(&to, words[1], true);
    listening[1] = listen_at(AF_UNIX, &to, size);
    size = unix_address(&to, words[2], false);
    listening[2] = listen_at(AF_UNIX, &to, size);
    return listening[0] < 0 || listening[1] < 0 || listening[2] < 0 ? -1 : 0;
}

static int tear_down(void **state) {
    (void)state;
    for (int i = 0; i < 3; i++)
        close(listening[i]);
    return unlink(words[2]);
}

static bool connects(int family, const void *address, socklen_t size) {
    const int fd = socket(family, SOCK_STREAM, 0);
    const bool through = connect(fd, address, size) == 0;
    close(fd);
    return through;
}

// The ways that came through, a word each.
static int try_all(char **to) {
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons((uint16_t)strtoul(to[0], NULL, 10))};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = four.sin_port};
    struct sockaddr_un name;
    static const char *const loopback[] = {"127.0.0.1", "127.8.8.8", "0.0.0.0"};
    for (size_t i = 0; i < 3; i++) {
        inet_pton(AF_INET, loopback[i], &four.sin_addr);
        // The listener is at 127.0.0.1 only.
        if (connects(AF_INET, &four, sizeof four)) puts(loopback[i]);
    }
    inet_pton(AF_INET6, "::ffff:127.0.0.1", &six.sin6_addr);
    if (connects(AF_INET6, &six, sizeof six)) puts("IPv4 in IPv6");
    if (connects(AF_UNIX, &name, unix_address(&name, to[1], true))) puts("abstract");
    if (connects(AF_UNIX, &name, unix_address(&name, to[2], false))) puts("path");
    return 0;
}

static void test_native_code_reaches_nothing_here(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        struct run run;
        char *argv[16];
        int count = 0;
        for (int j = 0; places[i].words[j]; j++)
            argv[count++] = places[i].words[j];
        argv[count++] = self;
        for (int j = 0; j < 3; j++)
            argv[count++] = words[j];
        argv[count] = NULL;
        run_program(&run, argv);
        char expected[128];
        snprintf(expected, sizeof expected, "%s%s",
                 places[i].reached ? "127.0.0.1\n0.0.0.0\nIPv4 in IPv6\nabstract\n" : "",
                 places[i].path_reached ? "path\n" : "");
        print_message("%s: %s\n", places[i].name, run.out);
        assert_string_equal(run.err, "");
        assert_int_equal(run.status, 0);
        assert_string_equal(run.out, expected);
    }
}

int main(int argc, char **argv) {
    if (argc == 4) end_run(try_all(argv + 1));
    if (!realpath("/proc/self/exe", self)) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_native_code_reaches_nothing_here, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
