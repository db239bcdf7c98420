// command_line: each kind of option lands where its row says, words stay in order, and what cannot be taken
// ends the program with one line and EXIT_BAD_INPUT.
#include "base/command_line.h"
#include "base/log.h"
#include "test/native/cmocka_unit.h"

#include <getopt.h>
#include <sys/wait.h>

enum way { THERE, BACK, AROUND };

struct options {
    const char *text;
    bool on, off, either;
    enum way way;
    unsigned long long number;
    uint32_t ranged;
    int runs;
};

static void take_number(void *options, const struct option_row *row, const char *value) {
    ((struct options *)options)->number = command_line_number(row->name, value, 2, 9);
}

static void run(void *options, const struct option_row *row, const char *value) {
    (void)row;
    assert_null(value);
    ((struct options *)options)->runs++;
}

#define IN(member) OPTION_IN(struct options, member)
static const struct option_row rows[] = {
    {"text", OPTION_TEXT, IN(text)},
    {"on", OPTION_ON, IN(on)},
    {"off", OPTION_OFF, IN(off)},
    {"either", OPTION_EITHER, IN(either), OPTION_WORDS("rfc9218", "none")},
    {"way", OPTION_CHOICE, IN(way), OPTION_WORDS("there", "back", "around")},
    {"number", OPTION_TAKEN, .take = take_number},
    {"ranged", OPTION_NUMBER, IN(ranged), OPTION_RANGE(1, 1000)},
    {"run", OPTION_RUN, .take = run},
};

static int read_words(struct options *options, enum word_order order, const char *const *words, char **argv) {
    const struct command_line line = {.program = "test",
                                      .help = "Usage\n",
                                      .dashes = "--",
                                      .order = order,
                                      .rows = rows,
                                      .count = sizeof rows / sizeof *rows};
    int argc = 1;
    optind = 0; // getopt begins anew
    argv[0] = (char *)"test";
    for (; words[argc - 1]; argc++)
        argv[argc] = (char *)words[argc - 1];
    argv[argc] = NULL;
    return command_line_read(&line, options, argc, argv);
}

// As a program whose line ends it.
static int in_child(const char *const *words, char *said, size_t size) {
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    const pid_t pid = fork();
    if (pid == 0) {
        struct options options = {.off = true};
        char *argv[16];
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        log_program("test");
        read_words(&options, WORDS_LAST, words, argv);
        _exit(100);
    }
    close(ends[1]);
    size_t used = 0;
    for (ssize_t n; (n = read(ends[0], said + used, size - 1 - used)) > 0;)
        used += (size_t)n;
    said[used] = 0;
    close(ends[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

UNIT_TEST(each_kind_lands_in_its_place) {
    struct options options = {.off = true};
    char *argv[24];
    static const char *const all[] = {"one",   "--text", "a",        "--on",     "--off", "--either",
                                      "none",  "--way",  "around",   "--number", "7",     "--run",
                                      "--run", "two",    "--ranged", "1000",     NULL};
    const int place = read_words(&options, WORDS_ANYWHERE, all, argv);
    assert_string_equal(options.text, "a");
    assert_true(options.on && !options.off && options.either);
    assert_int_equal(options.way, AROUND);
    assert_int_equal(options.number, 7);
    assert_int_equal(options.ranged, 1000);
    assert_int_equal(options.runs, 2);
    assert_string_equal(argv[place], "one");
    assert_string_equal(argv[place + 1], "two");
    assert_null(argv[place + 2]);
}

// getopt's own answers are ':' and '?', which are numbers, too.
UNIT_TEST(every_row_of_a_long_table_is_taken) {
    enum { ROWS = COMMAND_LINE_ROWS_MOST };
    static struct option_row many[ROWS];
    static char names[ROWS][16];
    const char *values[ROWS] = {NULL};
    for (int i = 0; i < ROWS; i++) {
        snprintf(names[i], sizeof names[i], "o%u", (unsigned)i % ROWS);
        many[i] = (struct option_row){names[i], OPTION_TEXT, .offset = (size_t)i * sizeof values[0]};
    }
    const struct command_line line = {.program = "test", .help = "", .rows = many, .count = ROWS};
    char words[ROWS][16];
    char *argv[2 * ROWS + 2] = {(char *)"test"};
    for (int i = 0; i < ROWS; i++) {
        snprintf(words[i], sizeof words[i], "--o%u", (unsigned)i % ROWS);
        argv[1 + 2 * i] = words[i];
        argv[2 + 2 * i] = names[i];
    }
    const pid_t pid = fork();
    if (pid == 0) {
        optind = 0;
        command_line_read(&line, values, 2 * ROWS + 1, argv);
        for (int i = 0; i < ROWS; i++)
            if (values[i] != names[i]) _exit(1);
        _exit(100);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 100);
}

UNIT_TEST(what_cannot_be_taken_is_one_line) {
    static const struct {
        const char *const words[4];
        int status;
        const char *said;
    } cases[] = {
        {{"--on", "word", "--nonesuch"}, 100, ""},
        {{"--help"}, 0, "Usage\n"},
        {{"--version"}, 0, "test " TRILANE_VERSION "\n"},
        {{"--nonesuch"}, EXIT_BAD_INPUT, "test: --nonesuch: no such option (see --help)\n"},
        {{"--on", "--text"}, EXIT_BAD_INPUT, "test: --text: wants a value (see --help)\n"},
        {{"--way", "up"}, EXIT_BAD_INPUT, "test: --way: must be there, back or around (got \"up\")\n"},
        {{"--either", ""}, EXIT_BAD_INPUT, "test: --either: must be rfc9218 or none (got \"\")\n"},
        {{"--number", "10"}, EXIT_BAD_INPUT, "test: number: must be a number from 2 to 9 (got \"10\")\n"},
        {{"--number", "-3"}, EXIT_BAD_INPUT, "test: number: must be a number from 2 to 9 (got \"-3\")\n"},
        {{"--number", "3x"}, EXIT_BAD_INPUT, "test: number: must be a number from 2 to 9 (got \"3x\")\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char said[512];
        assert_int_equal(in_child(cases[i].words, said, sizeof said), cases[i].status);
        assert_string_equal(said, cases[i].said);
    }
}
