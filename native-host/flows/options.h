// The command line of trilane-flows. Does not act on it.
#pragma once

#include <stdbool.h>

struct options {
    bool is_near;
    const char *plan;
    const char *report;  // NULL: none
    const char *samples; // NULL: none
    const char *qlog;    // NULL: none
    const char *begun;   // NULL: none (near only)
    char **command;      // NULL: none (near only)
};

// Prints and exits for --help and --version, and for what cannot be taken.
void options_read(struct options *options, int argc, char **argv);
