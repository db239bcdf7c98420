// TRILANE_DEBUG=part,part: lines on stderr about what a program does, for who looks for a fault. Off unless
// wanted, and then only a flag is looked at. Never on a packet's path. The command line
// (cli/base/debug.ts) reads the parts from this file.
#pragma once

#include "base/log.h"

#include <stdbool.h>

#define DEBUG_PARTS(PART)                                                                                    \
    PART(lab, "programs started in a lab, and how they end")                                                 \
    PART(link, "the link as it is understood, and its changes")                                              \
    PART(servers, "each request and its answer")                                                             \
    PART(messages, "messages to trilane-host")                                                               \
    PART(loads, "each load, valid or with its reasons")

#define DEBUG_NAMED(name, about) DEBUG_##name,
enum debug_part { DEBUG_PARTS(DEBUG_NAMED) DEBUG_PART_COUNT };
#undef DEBUG_NAMED

// Reads the variable; a part that there is not ends the program. log_program does it.
void debug_open(void);

bool debug_is_on(enum debug_part part);

// `trilane-replay: debug servers: GET ...`; the arguments are evaluated only if the part is on.
#define debug_line(part, format, ...)                                                                        \
    do {                                                                                                     \
        if (debug_is_on(DEBUG_##part)) log_line("debug " #part ": " format, __VA_ARGS__);                    \
    } while (0)
