// Runs a program for a test and collects what it prints.
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct run {
    pid_t pid;
    int pipes[2]; // its stdout and stderr
    int status;   // exit status, or 128 + signal
    bool overdue; // it had not ended, and was killed
    char out[65536];
    char err[8192];
};

// To its end, with stdin from /dev/null; after a minute it is killed with all that it started.
void run_program(struct run *run, char *const argv[]);
// The same of the words up to NULL, 31 at most.
__attribute__((sentinel)) void run_words(struct run *run, const char *program, ...);
// The same in two steps. `prepare`: called in the new process, for limits and the like; NULL: nothing.
void run_start(struct run *run, char *const argv[], void (*prepare)(void));
void run_finish(struct run *run);

// Starts it with `fd3` as its descriptor 3 and silent; the caller waits for it.
pid_t start_program(char *const argv[], int fd3);

// Ends a program that a test runs behind the guard, with what it printed: the search for leaks at exit()
// makes a process as the guard refuses.
_Noreturn void end_run(int status);
