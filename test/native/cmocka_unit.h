// cmocka, what its header needs before it, and the headers of C that nearly every test needs. A test stands
// once, where it is written: UNIT_TEST puts it on the list that is run, in the order of the file.
// unit_tests.c has the main of all files without one.
#pragma once

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

void unit_test_add(const struct CMUnitTest *test);
void unit_tests_set_up(CMFixtureFunction set_up, CMFixtureFunction tear_down);

// Runs the file's tests, for a file with a main of its own. Returns how many failed.
int unit_tests_run(void);

// A folder of the program's own, made when it is first named and removed after the last test.
const char *unit_folder(void);
// A path in it, good until the eighth call after this one.
const char *unit_path(const char *name);
// A file in it with this text; its path, as above.
const char *unit_file(const char *name, const char *text);
// A new folder in it; `path` becomes its path.
char *unit_new_folder(char path[64]);

// How often a test over random input repeats: a tenth of this, and all of it in `native/NAME_many`
// (CMakeLists.txt).
unsigned unit_times(unsigned many);

#define UNIT_TEST_AS(name, parameter, argument, set_up, tear_down)                                           \
    static void name(parameter);                                                                             \
    static void name##_with(void **unit_state) {                                                             \
        name(argument);                                                                                      \
    }                                                                                                        \
    __attribute__((constructor)) static void name##_added(void) {                                            \
        unit_test_add(&(struct CMUnitTest){#name, name##_with, set_up, tear_down, NULL});                    \
    }                                                                                                        \
    static void name(parameter)

// UNIT_TEST(name) { ... }
#define UNIT_TEST(name) UNIT_TEST_AS(name, void, , NULL, NULL)
// UNIT_TEST_OF(name, struct thing *thing, set_up, tear_down) { ... }: set_up makes the state.
#define UNIT_TEST_OF(name, state_parameter, set_up, tear_down)                                               \
    UNIT_TEST_AS(name, state_parameter, *unit_state, set_up, tear_down)

// Before the first test of the file and after its last; NULL: nothing.
#define GROUP_FIXTURE(set_up, tear_down)                                                                     \
    __attribute__((constructor)) static void group_fixture(void) {                                           \
        unit_tests_set_up(set_up, tear_down);                                                                \
    }
