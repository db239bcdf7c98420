// The list of a test program's tests, and its main.
#include "test/native/cmocka_unit.h"

#include <stdlib.h>

enum { TESTS_MAX = 64 };

static struct {
    struct CMUnitTest tests[TESTS_MAX];
    size_t count;
    CMFixtureFunction set_up, tear_down;
} all;

void unit_test_add(const struct CMUnitTest *test) {
    if (all.count == TESTS_MAX) abort();
    all.tests[all.count++] = *test;
}

void unit_tests_set_up(CMFixtureFunction set_up, CMFixtureFunction tear_down) {
    all.set_up = set_up;
    all.tear_down = tear_down;
}

int unit_tests_run(void) {
    // What the macro cmocka_run_group_tests calls, for a list that the compiler knows.
    return _cmocka_run_group_tests("tests", all.tests, all.count, all.set_up, all.tear_down);
}

__attribute__((weak)) int main(void) {
    return unit_tests_run();
}
