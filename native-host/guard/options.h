// The command line of trilane-guard. Does not act on it, but for what only prints.
#pragma once

#include "guard/address_space.h"
#include "guard/doors.h"

#include <stdbool.h>

struct options {
    enum address_space nearest;
    bool nearest_given;
    struct own_networks own; // near besides this network's interfaces
    bool new_network;
    struct door_list doors;
    bool debugging; // a browser's debugging port is to be had here
    bool inside;    // and this is the lab that the browser is in
    bool die_with_parent;
    unsigned inherited_descriptors;
    char **command;
};

// Prints and exits for what is not to run a command, and for what cannot be taken.
void options_read(struct options *options, int argc, char **argv);
void options_close(struct options *options);
