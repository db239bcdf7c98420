// The command line of trilane-shaper. Does not act on it.
#pragma once

#include "shaper/evidence/evidence.h"
#include "shaper/language/link_profile.h"
#include "shaper/origin_delays.h"
#include "shaper/tun/lab.h"
#include "shaper/tun/lab_files.h"

#include <stdbool.h>

struct options {
    struct link_profile profile;
    const char *nameserver;
    struct origin_delays *origin_delays; // NULL: none
    struct lab_far_ports far_ports;
    struct lab_files files;
    const char *report; // NULL: none
    struct evidence_options evidence;
    const char *control;    // path of the socket; NULL: none
    bool keep_capabilities; // the command's
    bool die_with_parent;
    char **command;
};

// Prints and exits for --help and --version, and for what cannot be taken.
void options_read(struct options *options, int argc, char **argv);
