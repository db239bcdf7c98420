// The list of a test program's tests, and its main.
#include "test/native/cmocka_unit.h"

#include <ftw.h>

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

static char folder[] = "/tmp/trilane-unit-XXXXXX";
static pid_t folder_owner; // 0: it is not made

const char *unit_folder(void) {
    if (folder_owner == 0 && !mkdtemp(folder)) abort();
    if (folder_owner == 0) folder_owner = getpid();
    return folder;
}

const char *unit_path(const char *name) {
    static char paths[8][256];
    static unsigned next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", unit_folder(), name);
    return path;
}

const char *unit_file(const char *name, const char *text) {
    const char *path = unit_path(name);
    FILE *file = fopen(path, "we");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0) abort();
    return path;
}

char *unit_new_folder(char path[64]) {
    snprintf(path, 64, "%s/new-XXXXXX", unit_folder());
    if (!mkdtemp(path)) abort();
    return path;
}

unsigned unit_times(unsigned many) {
    return getenv("TRILANE_TEST_MANY") ? many : many / 10;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place) {
    (void)status, (void)type, (void)place;
    return remove(path);
}

int unit_tests_run(void) {
    // What the macro cmocka_run_group_tests calls, for a list that the compiler knows.
    const int failed = _cmocka_run_group_tests("tests", all.tests, all.count, all.set_up, all.tear_down);
    if (folder_owner == getpid()) nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    return failed;
}

__attribute__((weak)) int main(void) {
    return unit_tests_run();
}
