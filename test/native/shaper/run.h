// Runs a program for a test and collects what it prints.
#pragma once

#include <sys/types.h>

struct run {
    int status; // exit status, or 128 + signal
    char out[65536];
    char err[8192];
};

// To its end, with stdin from /dev/null; after a minute it is killed with all that it started.
void run_program(struct run *run, char *const argv[]);

// Starts it with `fd3` as its descriptor 3 and silent; the caller waits for it.
pid_t start_program(char *const argv[], int fd3);

// Ends a program that a test runs behind the guard, with what it printed: the search for leaks at exit()
// makes a process as the guard refuses.
_Noreturn void end_run(int status);
