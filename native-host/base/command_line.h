// A program's own command line, as a table: a row says how an option is written, what its value may be and
// where it goes. --help and --version, and what an unknown option or a missing value ends with, are the same
// for all programs. Does not read what comes after the options, and knows no program.
#pragma once

#include <stddef.h>
#include <stdint.h>

enum option_kind {
    OPTION_TEXT,   // the value, as a const char *
    OPTION_ON,     // no value: a bool becomes true
    OPTION_OFF,    // no value: a bool becomes false
    OPTION_CHOICE, // one of `words`, as its place among them: an enum
    OPTION_EITHER, // the first or the second of `words`: a bool, true for the second
    OPTION_NUMBER, // a whole number from `least` to `most`: a uint32_t
    OPTION_TAKEN,  // `take` is given the value
    OPTION_RUN,    // no value: `take` is called
};

struct option_row {
    const char *name; // without its dashes
    enum option_kind kind;
    size_t offset;            // of where it goes, in the program's options
    const char *const *words; // NULL at the end
    void (*take)(void *options, const struct option_row *row,
                 const char *value); // value: NULL for OPTION_RUN
    uint32_t least, most;
};

enum word_order {
    WORDS_LAST,    // the first word that is no option ends them
    WORDS_ANYWHERE // words may stand between options: they are moved behind them
};

struct command_line {
    const char *program;
    const char *help; // NULL: print_help
    void (*print_help)(void);
    const char *dashes; // before an option's name in a message about its value: "--", or ""
    enum word_order order;
    const struct option_row *rows;
    size_t count;
};

enum { COMMAND_LINE_ROWS_MOST = 128 };

// Returns the place of the first word in argv that is no option's. --help and --version print and exit with
// 0; what cannot be taken is one line and EXIT_BAD_INPUT.
int command_line_read(const struct command_line *line, void *options, int argc, char *const *argv);

// A whole number without a sign. Ends with `name: must be a number from LEAST to MOST (got "x")`.
unsigned long long command_line_number(const char *name, const char *value, unsigned long long least,
                                       unsigned long long most);

// For a table's rows.
#define OPTION_IN(type, member) .offset = offsetof(type, member)
#define OPTION_RANGE(from, to) .least = from, .most = to
#define OPTION_WORDS(...)                                                                                    \
    .words = (const char *const[]) {                                                                         \
        __VA_ARGS__, NULL                                                                                    \
    }
