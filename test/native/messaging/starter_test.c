// A host can have nothing started but the commands that its messages need, with files of its data folder, by
// whatever code is in its place.
#include "messaging/starter.h"

#include "messaging/starter_rules.h"
#include "test/native/cmocka_unit.h"

#include <fcntl.h>
#include <sys/wait.h>

static const struct host_paths paths = {.home = "/home/u/data", .cli = "/opt/trilane", .host = "/opt/host"};

static const struct {
    bool allowed;
    char *words[9];
} cases[] = {
    {true,
     {"/opt/trilane", "race", "page", "--json", "--home=/home/u/data", "--lanes=h1,h2", "--link=3mbit/50ms",
      "--runs=3", NULL}},
    {true,
     {"/opt/trilane", "race", "/home/u/data/jobs/0123/a page-4567.har", "--keep-credentials=true", NULL}},
    {true, {"/opt/trilane", "race", "page", "--timeout=30", "--settle=250", NULL}},
    {true, {"/opt/trilane", "open", "page", "--lane=h2", "--control=/home/u/data/jobs/0123/link.sock", NULL}},
    {true, {"/opt/trilane", "steer", "--json", "/home/u/data/jobs/0123/link.sock", "3mbit/50ms", NULL}},
    {true, {"/opt/trilane", "export", "7", "--format=race", "--home=/home/u/data", NULL}},
    {true, {"/opt/trilane", "doctor", "--json", "--home=/home/u/data", NULL}},
    {true, {"/opt/trilane", "links", "--json", NULL}},
    {false, {NULL}},
    {false, {"/opt/trilane", NULL}},
    {false, {"/bin/sh", "race", "page", NULL}},
    {false, {"/opt/trilane", "shell", "page", NULL}},
    {false, {"/opt/trilane", "record", "page", NULL}},
    {false, {"/opt/trilane", "race", "https://example.com/", NULL}},
    {false, {"/opt/trilane", "race", "/etc/passwd", NULL}},
    {false, {"/opt/trilane", "race", "../page.har", NULL}},
    {false, {"/opt/trilane", "race", "/home/u/data/jobs/../../secret.har", NULL}},
    {false, {"/opt/trilane", "race", "/home/u/data-of-others/jobs/x.har", NULL}},
    {false, {"/opt/trilane", "race", "page", "--browser=/tmp/program", NULL}},
    {false, {"/opt/trilane", "race", "page", "--browser", "program", NULL}},
    {false, {"/opt/trilane", "race", "page", "--server=a=sh", NULL}},
    {false, {"/opt/trilane", "race", "page", "--forget-profile=true", "--", "sh", NULL}},
    {false, {"/opt/trilane", "race", "page", "-h", NULL}},
    {false, {"/opt/trilane", "race", "page", "--home=/home/other", NULL}},
    {false, {"/opt/trilane", "race", "page", "--home", NULL}},
    {false, {"/opt/trilane", "open", "page", "--control=/run/user/1000/bus", NULL}},
    {false, {"/opt/trilane", "steer", "--json", "/run/user/1000/bus", "3mbit/50ms", NULL}},
    {false, {"/opt/trilane", "steer", "--home=/home/u/data", "--json", "/run/user/1000/bus", "3mbit", NULL}},
    {false, {"/opt/trilane", "steer", "/run/user/1000/bus", "--json", "3mbit", NULL}},
    {false, {"/opt/trilane", "open", "page", "--control=../../../.config/x", NULL}},
    {false, {"/opt/trilane", "race", "page", "--link=/home/u/link.json", NULL}},
    {false, {"/opt/trilane", "race", "page", "--link", NULL}},
    {false, {"/opt/trilane", "open", "page", "--link=3mbit/50ms,switch=8s:/etc/shadow", NULL}},
    {false,
     {"/opt/trilane", "steer", "--json", "/home/u/data/jobs/0123/link.sock", "trace=/etc/shadow", NULL}},
    {false, {"/opt/trilane", "open", "page", "--control=/home/u/data/jobs/0123/..", NULL}},
    {false, {"/opt/trilane", "export", "7", "--output=/home/u/.bashrc", NULL}},
};

UNIT_TEST(test_commands_of_a_list) {
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        print_message("%s %s %s\n", cases[i].words[0] && cases[i].words[1] ? cases[i].words[1] : "nothing",
                      cases[i].words[0] && cases[i].words[1] && cases[i].words[2] ? cases[i].words[2] : "",
                      cases[i].allowed ? "allowed" : "refused");
        assert_int_equal(starter_allows(&paths, cases[i].words), cases[i].allowed);
    }
}

UNIT_TEST(test_folders_of_jobs) {
    assert_true(starter_allows_folder(&paths, "/home/u/data/jobs/0123456789abcdef"));
    assert_false(starter_allows_folder(&paths, "/home/u/data/jobs/.."));
    assert_false(starter_allows_folder(&paths, "/home/u/data/jobs/a/b"));
    assert_false(starter_allows_folder(&paths, "/home/u/data/archive"));
    assert_false(starter_allows_folder(&paths, "/home/u"));
}

static void check_refused(struct starter *starter, char *const *argv, int error) {
    errno = 0;
    assert_int_equal(starter_query(starter, argv, 1, 2), -1);
    assert_int_equal(errno, error);
}

// The process itself refuses, and goes on; what it starts is the caller's child.
UNIT_TEST(test_the_process_refuses) {
    const struct host_paths own = {.home = "/nonexistent", .cli = "/bin/echo", .host = "/nonexistent"};
    struct starter *starter = starter_open(&own);
    assert_non_null(starter);
    check_refused(starter, (char *[]){"/bin/sh", "doctor", NULL}, EPERM);
    check_refused(starter, (char *[]){NULL}, EPERM);
    char *many[64];
    for (size_t i = 0; i < 63; i++)
        many[i] = "/bin/echo";
    many[63] = NULL;
    check_refused(starter, many, E2BIG);
    char *long_word = malloc(100000);
    memset(long_word, 'a', 99999);
    long_word[99999] = '\0';
    check_refused(starter, (char *[]){"/bin/echo", long_word, NULL}, E2BIG);
    free(long_word);
    int out[2], status;
    assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    const pid_t pid =
        starter_query(starter, (char *[]){"/bin/echo", "doctor", "--json", NULL}, out[1], out[1]);
    assert_true(pid > 0);
    close(out[1]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    char text[64] = "";
    assert_true(read(out[0], text, sizeof text - 1) > 0);
    assert_string_equal(text, "doctor --json\n");
    close(out[0]);
    starter_close(starter);
}
