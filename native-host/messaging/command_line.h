// Starts the command line (cli/trilane) as a child with a process group of its own. Does not wait for it.
#pragma once

#include "messaging/message_error.h"

#include <sys/types.h>

struct command_line {
    char *const *argv;  // NULL-terminated; argv[0] is the program's path
    const char *folder; // to run in
    int out, err;       // become its standard output and error; its input is empty
    int death_signal;   // it gets this when we end, for whatever reason
};

// Its process and process group, or -1 with errno. Where it cannot be executed it ends with status 127 and a
// line on `err`.
pid_t command_line_start(const struct command_line *command);

// 0, or -1 with *error where there is no program to start.
int command_line_check(const char *program, struct message_error *error);

// What a command that failed said, from its standard error: the last line, split into what happened and what
// to do. Says so where it said nothing. `fd` is read from its start.
void command_line_error(int fd, const char *what, struct message_error *error);
