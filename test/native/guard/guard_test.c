// trilane-guard runs commands that cannot connect to this machine, and are otherwise as if it were not there.
#include "base/log.h"
#include "test/native/shaper/run.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

static int listening_fd = -1;
static char port[8];

static int listen_on_loopback(void **state) {
    (void)state;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    listening_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(listening_fd, (struct sockaddr *)&address, size) < 0 || listen(listening_fd, 16) < 0) return -1;
    getsockname(listening_fd, (struct sockaddr *)&address, &size);
    snprintf(port, sizeof port, "%d", ntohs(address.sin_port));
    return 0;
}

static int close_listener(void **state) {
    (void)state;
    return close(listening_fd);
}

// `script`'s exit status; $1 is the port.
static int status_of(const char *nearest, const char *script, struct run *run) {
    char *argv[] = {PROGRAM_TRILANE_GUARD,
                    "--nearest",
                    (char *)nearest,
                    "--",
                    "bash",
                    "-c",
                    (char *)script,
                    "bash",
                    port,
                    NULL};
    run_program(run, argv);
    return run->status;
}

static const char connects[] = "exec 5<>/dev/tcp/127.0.0.1/$1";

static void test_connections_to_this_machine_fail(void **state) {
    (void)state;
    struct run run;
    assert_int_not_equal(status_of("public", connects, &run), 0);
    assert_non_null(strstr(run.err, "Permission denied"));
    assert_int_not_equal(status_of("local", connects, &run), 0);
    // What the command starts is no freer.
    assert_int_not_equal(status_of("public", "bash -c 'exec 5<>/dev/tcp/127.0.0.1/'$1", &run), 0);
    assert_int_not_equal(status_of("public", "exec 5<>/dev/tcp/::ffff:127.0.0.1/$1", &run), 0);
    assert_int_not_equal(status_of("public", "exec 5<>/dev/udp/127.0.0.1/$1", &run), 0);
}

static void test_they_succeed_where_allowed(void **state) {
    (void)state;
    struct run run;
    assert_int_equal(status_of("loopback", connects, &run), 0);
    assert_string_equal(run.err, "");
}

static void test_the_commands_end_is_ours(void **state) {
    (void)state;
    struct run run;
    assert_int_equal(status_of("public", "echo out; echo err >&2; exit 7", &run), 7);
    assert_string_equal(run.out, "out\n");
    assert_string_equal(run.err, "err\n");
    assert_int_equal(status_of("public", "kill -9 $$", &run), 128 + 9);
    char *absent[] = {PROGRAM_TRILANE_GUARD, "--", "/no/such/program", NULL};
    run_program(&run, absent);
    assert_int_equal(run.status, 127);
}

static void test_many_at_once(void **state) {
    (void)state;
    struct run run;
    const char *script =
        "for i in $(seq 50); do (exec 5<>/dev/tcp/127.0.0.1/$1) 2>/dev/null && echo through & done; wait";
    assert_int_equal(status_of("public", script, &run), 0);
    assert_string_equal(run.out, "");
}

static void test_bad_words(void **state) {
    (void)state;
    struct run run;
    char *no_space[] = {PROGRAM_TRILANE_GUARD, "--nearest", "home", "--", "true", NULL};
    run_program(&run, no_space);
    assert_int_equal(run.status, EXIT_BAD_INPUT);
    char *no_command[] = {PROGRAM_TRILANE_GUARD, NULL};
    run_program(&run, no_command);
    assert_int_equal(run.status, EXIT_BAD_INPUT);
    char *no_address[] = {PROGRAM_TRILANE_GUARD, "--space", "localhost", NULL};
    run_program(&run, no_address);
    assert_int_equal(run.status, EXIT_BAD_INPUT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_connections_to_this_machine_fail),
        cmocka_unit_test(test_they_succeed_where_allowed),
        cmocka_unit_test(test_the_commands_end_is_ours),
        cmocka_unit_test(test_many_at_once),
        cmocka_unit_test(test_bad_words),
    };
    return cmocka_run_group_tests(tests, listen_on_loopback, close_listener);
}
