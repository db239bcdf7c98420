// Starts the command line (cli/trilane) as a child, or a sibling, with a process group of its own. Does not
// wait for it.
#pragma once

#include "messaging/message_error.h"

#include <stdbool.h>
#include <sys/types.h>

struct child_command {
    char *const *argv;  // NULL-terminated; argv[0] is the program's path
    const char *folder; // to run in
    int out, err;       // become its standard output and error; its input is empty
    int death_signal;   // it gets this when its parent ends, for whatever reason
    bool as_sibling;    // its parent is ours, who waits for it
};

// The words of a command line. A zeroed struct has none.
enum { COMMAND_WORDS_MAX = 32 };
struct command_words {
    char *words[COMMAND_WORDS_MAX]; // NULL-terminated, owned
    int count;
};

// A word for which memory is short, or which is one too many, shows in command_words_are_whole.
__attribute__((format(printf, 2, 3))) void command_words_add(struct command_words *command,
                                                             const char *format, ...);
bool command_words_are_whole(const struct command_words *command);
void command_words_free(struct command_words *command);

// Its process and process group, or -1 with errno. Where it cannot be executed it ends with status 127 and a
// line on `err`.
pid_t child_command_start(const struct child_command *command);

// 0, or -1 with *error where there is no program to start.
int child_command_check(const char *program, struct message_error *error);

// What a command that failed said, from its standard error: the last line, split into what happened and what
// to do. Says so where it said nothing. `fd` is read from its start.
void child_command_error(int fd, const char *what, struct message_error *error);
