// A process behind its walls keeps the capabilities that it needs, gains none, starts nothing, and goes on
// with its files. The link's program raises them.
#include "base/walls.h"

#include "test/native/cmocka_unit.h"
#include "test/native/shaper/run.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void *nothing(void *context) {
    return context;
}

// What the process says of itself, or the step that it could still do.
static int behind_walls(void) {
    char *const words[] = {"true", NULL};
    if (walls_raise(WALLS_CAPABILITY(CAP_NET_ADMIN)) < 0) return 1;
    if (execv("/bin/true", words) == 0 || errno != EPERM) return 2;
    if (syscall(SYS_unshare, 0) == 0 || errno != EPERM) return 3;
    // Without a stack of its own it would be a fork.
    long child = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
    if (child == 0) _exit(0);
    if (child > 0 || errno != EPERM) return 9;
    if (syscall(SYS_clone3, NULL, 0) == 0 || errno != ENOSYS) return 10;
    pthread_t thread;
    if (pthread_create(&thread, NULL, nothing, NULL) != 0 || pthread_join(thread, NULL) != 0) return 11;
    if (mount("none", "/tmp", "tmpfs", 0, NULL) == 0 || errno != EPERM) return 4;
    char status[8192] = "";
    int fd = open("/proc/self/status", O_RDONLY);
    if (fd < 0 || read(fd, status, sizeof status - 1) <= 0) return 5;
    close(fd);
    if (!strstr(status, "NoNewPrivs:\t1") || !strstr(status, "Seccomp:\t2")) return 6;
    unsigned long long effective = 1;
    const char *line = strstr(status, "CapEff:");
    if (!line || sscanf(line, "CapEff: %llx", &effective) != 1) return 7;
    if (effective & ~WALLS_CAPABILITY(CAP_NET_ADMIN)) return 8;
    return 0;
}

static void test_what_is_left(void **state) {
    int status;
    pid_t child = fork();
    if (child == 0) _exit(behind_walls());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void test_the_link_has_walls_and_its_command_none(void **state) {
    struct run run;
    static const char script[] =
        "\"$0\" --link 3mbit/50ms -- sh -c 'sleep 2; grep -E \"^(NoNewPrivs|Seccomp):\" /proc/self/status' & "
        "sleep 1; grep -E '^(CapEff|NoNewPrivs|Seccomp):' /proc/$!/status; wait $!";
    char *argv[] = {"bash", "-c", (char *)(uintptr_t)script, PROGRAM_TRILANE_SHAPER, NULL};
    run_program(&run, argv);
    assert_int_equal(run.status, 0);
    assert_string_equal(run.out, "CapEff:\t0000000000000000\nNoNewPrivs:\t1\nSeccomp:\t2\n"
                                 "NoNewPrivs:\t0\nSeccomp:\t0\n");
}

static void test_fetch_has_walls(void **state) {
    struct run run;
    static const char script[] = "sleep 2 | \"$0\" --urls - & sleep 1; "
                                 "grep -E '^(CapEff|NoNewPrivs|Seccomp):' /proc/$!/status; wait $!";
    char *argv[] = {"bash", "-c", (char *)(uintptr_t)script, PROGRAM_TRILANE_FETCH, NULL};
    run_program(&run, argv);
    assert_int_equal(run.status, 0);
    assert_string_equal(run.out, "CapEff:\t0000000000000000\nNoNewPrivs:\t1\nSeccomp:\t2\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_left),
        cmocka_unit_test(test_the_link_has_walls_and_its_command_none),
        cmocka_unit_test(test_fetch_has_walls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
