// trilane-dilate: each clock, wait and time stamp that it dilates, seen by a program that runs in it; and
// what it refuses.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../shaper/run.h"

static void assert_passes(const char *times, const char *name) {
    static struct run run;
    char *argv[] = {PROGRAM_TRILANE_DILATE, (char *)times, "--", PROGRAM_DILATED_PROGRAM,
                    (char *)name,           (char *)times, NULL};
    run_program(&run, argv);
    if (run.status != 0) fail_msg("%s dilated %s times: %s%s", name, times, run.out, run.err);
}

static void each_wait(void **state) {
    (void)state;
    static const char *const names[] = {"nanosleep",
                                        "clock_nanosleep",
                                        "usleep",
                                        "poll",
                                        "ppoll",
                                        "select",
                                        "pselect",
                                        "epoll_wait",
                                        "epoll_pwait",
                                        "epoll_pwait2",
                                        "pthread_cond_timedwait-monotonic",
                                        "pthread_cond_timedwait",
                                        "sem_timedwait",
                                        "pthread_cond_clockwait",
                                        "pthread_mutex_timedlock",
                                        "sem_clockwait",
                                        "timerfd",
                                        "timerfd-absolute",
                                        "timerfd-periodic"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_passes("1", names[i]);
        assert_passes("10", names[i]);
    }
}

static void each_reading(void **state) {
    (void)state;
    static const char *const names[] = {"clocks", "stamp", "stamp-ns", "stamps", "tcp-info", "for-ever"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_passes("1", names[i]);
        assert_passes("7", names[i]);
    }
}

static void assert_refused(char *const argv[], int status, const char *line) {
    static struct run run;
    run_program(&run, argv);
    assert_int_equal(run.status, status);
    if (!strstr(run.err, line)) fail_msg("%s", run.err);
}

static void refusals(void **state) {
    (void)state;
    char *program = PROGRAM_TRILANE_DILATE;
    static char *const wrong[] = {"0", "101", "-1", "2.5", "x", "", "99999999999999999999"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_refused((char *[]){program, wrong[i], "--", "true", NULL}, 2,
                       "K must be a whole number from 1 to 100");
    assert_refused((char *[]){program, NULL}, 2, "K must be a whole number from 1 to 100");
    assert_refused((char *[]){program, "2", NULL}, 2, "no command");
    assert_refused((char *[]){program, "2", "true", "true", NULL}, 2, "no command");
    assert_refused((char *[]){program, "2", "--", "/no/such/program", NULL}, 1, "No such file");
    setenv("TRILANE_DILATION", "3", 1);
    assert_refused((char *[]){program, "2", "--", "true", NULL}, 2, "dilated here already (by 3)");
    unsetenv("TRILANE_DILATION");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_wait),
        cmocka_unit_test(each_reading),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
