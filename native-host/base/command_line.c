#include "base/command_line.h"

#include "base/log.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What getopt returns for an option: beyond its own ':' and '?', and from FIRST_ROW on a row's place.
enum { HELP = 256, VERSION, FIRST_ROW, OTHERS = 3 };

static bool has_value(const struct option_row *row) {
    return row->kind != OPTION_ON && row->kind != OPTION_OFF && row->kind != OPTION_RUN;
}

static void list_options(struct option *list, const struct command_line *line) {
    if (line->count > COMMAND_LINE_ROWS_MOST)
        die(EXIT_RUN_FAILED, "options: more than %d", COMMAND_LINE_ROWS_MOST);
    for (size_t r = 0; r < line->count; r++)
        list[r] =
            (struct option){line->rows[r].name, has_value(&line->rows[r]) ? required_argument : no_argument,
                            NULL, FIRST_ROW + (int)r};
    list[line->count] = (struct option){"help", no_argument, NULL, HELP};
    list[line->count + 1] = (struct option){"version", no_argument, NULL, VERSION};
    list[line->count + 2] = (struct option){0};
}

__attribute__((noreturn)) static void end_printing(void) {
    exit(fflush(stdout) == 0 ? 0 : EXIT_RUN_FAILED);
}

__attribute__((noreturn)) static void print_help(const struct command_line *line) {
    if (line->help)
        fputs(line->help, stdout);
    else
        line->print_help();
    end_printing();
}

// The place of the value among the words, or the end, with "rfc9218 or none" in the line.
static size_t place_of(const struct command_line *line, const struct option_row *row, const char *value) {
    char listed[256] = "";
    size_t used = 0;
    for (size_t w = 0; row->words[w]; w++) {
        if (strcmp(row->words[w], value) == 0) return w;
        const char *between = w == 0 ? "" : row->words[w + 1] ? ", " : " or ";
        const int n = snprintf(listed + used, sizeof listed - used, "%s%s", between, row->words[w]);
        used += (size_t)n < sizeof listed - used ? (size_t)n : sizeof listed - 1 - used;
    }
    die(EXIT_BAD_INPUT, "%s%s: must be %s (got \"%s\")", line->dashes, row->name, listed, value);
}

static uint32_t number_of(const struct command_line *line, const struct option_row *row, const char *value) {
    char name[64];
    snprintf(name, sizeof name, "%s%s", line->dashes, row->name);
    return (uint32_t)command_line_number(name, value, row->least, row->most);
}

static void take(const struct command_line *line, const struct option_row *row, void *options,
                 const char *value) {
    char *place = (char *)options + row->offset;
    switch (row->kind) {
    case OPTION_TEXT:
        memcpy(place, &value, sizeof value);
        break;
    case OPTION_ON:
    case OPTION_OFF:
        *(bool *)place = row->kind == OPTION_ON;
        break;
    case OPTION_CHOICE:
        *(unsigned *)(void *)place = (unsigned)place_of(line, row, value);
        break;
    case OPTION_EITHER:
        *(bool *)place = place_of(line, row, value) == 1;
        break;
    case OPTION_NUMBER:
        *(uint32_t *)(void *)place = number_of(line, row, value);
        break;
    case OPTION_TAKEN:
    case OPTION_RUN:
        row->take(options, row, value);
    }
}

int command_line_read(const struct command_line *line, void *options, int argc, char *const *argv) {
    struct option list[COMMAND_LINE_ROWS_MOST + OTHERS];
    list_options(list, line);
    opterr = 0;
    const char *order = line->order == WORDS_LAST ? "+:" : ":";
    for (int choice; (choice = getopt_long(argc, argv, order, list, NULL)) != -1;) {
        switch (choice) {
        case HELP:
            print_help(line);
        case VERSION:
            printf("%s " TRILANE_VERSION "\n", line->program);
            end_printing();
        case ':':
            die(EXIT_BAD_INPUT, "%s: wants a value (see --help)", argv[optind - 1]);
        case '?':
            die(EXIT_BAD_INPUT, "%s: no such option (see --help)", argv[optind - 1]);
        default:
            take(line, &line->rows[choice - FIRST_ROW], options, optarg);
        }
    }
    return optind;
}

unsigned long long command_line_number(const char *name, const char *value, unsigned long long least,
                                       unsigned long long most) {
    char *end;
    errno = 0;
    const unsigned long long number = strtoull(value, &end, 10);
    if (*value < '0' || *value > '9' || *end || errno || number < least || number > most)
        die(EXIT_BAD_INPUT, "%s: must be a number from %llu to %llu (got \"%s\")", name, least, most, value);
    return number;
}
