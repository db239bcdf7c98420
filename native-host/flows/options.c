#include "flows/options.h"

#include "base/command_line.h"
#include "base/log.h"
#include "flows/transports.h"

#include <stdio.h>
#include <string.h>

static const char help_before[] =
    "Usage: trilane-flows far RUN.json [OPTION]... -- COMMAND [ARGUMENT]...\n"
    "       trilane-flows near RUN.json [OPTION]... [-- COMMAND [ARGUMENT]...]\n"
    "Sends bulk flows between the two ends of a lab, and says what became of each; `trilane flows` runs it.\n"
    "\n"
    "far makes the lab, unless it is in one made by trilane-replay, waits for each flow, runs COMMAND (a\n"
    "trilane-shaper) and ends with it. near, run by the shaper, starts each flow at its time and ends when\n"
    "all have ended or the run's time is over; with a COMMAND (a browser), when that ends.\n"
    "\n"
    "  RUN.json          the flows (schemas/flow-run.schema.json). Flow i, from 0, has far port 20001 + i. "
    "Transports:\n"
    "                    ";
static const char help_after[] =
    ". At most 1000 flows\n"
    "  --report FILE     write what became of each flow at this end as JSON (trilane/flow-report/1)\n"
    "  --samples FILE    write the state of each running flow at every tick of the run (trilane/records/1)\n"
    "  --qlog FOLDER     write a qlog of each QUIC connection into it\n"
    "  --begun FILE      near: write when the run began ({\"start_ns\": N}), to time a COMMAND by it\n"
    "  --help, --version\n"
    "\n"
    "The exit status is COMMAND's. Without one, or if that is 0: 1 if a flow failed or a file could not be\n"
    "written; 128 + N if signal N ended it.\n"
    "\n"
    "Example (--keep-capabilities lets near choose any controller of the kernel):\n"
    "  trilane-flows far run.json --report far.json -- trilane-shaper --keep-capabilities --link 20mbit/40ms "
    "-- \\\n"
    "    trilane-flows near run.json --report near.json\n";

static void print_help(void) {
    char list[128];
    transports_list(list, sizeof list);
    printf("%s%s%s", help_before, list, help_after);
}

static const struct option_row rows[] = {
    {"report", OPTION_TEXT, OPTION_IN(struct options, report)},
    {"samples", OPTION_TEXT, OPTION_IN(struct options, samples)},
    {"qlog", OPTION_TEXT, OPTION_IN(struct options, qlog)},
    {"begun", OPTION_TEXT, OPTION_IN(struct options, begun)},
};
static const struct command_line line = {.program = "trilane-flows",
                                         .print_help = print_help,
                                         .order = WORDS_ANYWHERE,
                                         .rows = rows,
                                         .count = sizeof rows / sizeof *rows};

// The words that are no options: the end, the plan.
static void take_word(struct options *options, int place, const char *word) {
    if (place == 0) {
        options->is_near = strcmp(word, "near") == 0;
        if (!options->is_near && strcmp(word, "far") != 0)
            die(EXIT_BAD_INPUT, "%s: the first word must be far or near (see --help)", word);
    } else if (place == 1) {
        options->plan = word;
    } else {
        die(EXIT_BAD_INPUT, "%s: unexpected; a command comes after \"--\" (see --help)", word);
    }
}

// Those of the command are its own.
static int count_own(int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--") == 0) return i;
    return argc;
}

void options_read(struct options *options, int argc, char **argv) {
    *options = (struct options){0};
    const int own = count_own(argc, argv);
    const int words = command_line_read(&line, options, own, argv);
    for (int i = words; i < own; i++)
        take_word(options, i - words, argv[i]);
    if (own + 1 < argc) options->command = argv + own + 1;
    if (own - words < 2)
        die(EXIT_BAD_INPUT,
            "say which end it is and name the run, as `trilane-flows far run.json` (see --help)");
    if (!options->is_near && options->begun)
        die(EXIT_BAD_INPUT, "begun: the near end begins the run: give it there (see --help)");
    if (!options->is_near && !options->command)
        die(EXIT_BAD_INPUT, "far: no command: write trilane-shaper after \"--\" (see --help)");
}
