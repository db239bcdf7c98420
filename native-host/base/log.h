// One line to stderr: `trilane-shaper: link: rate must be above 0 (got "0mbit")`.
// Does not log to files and has no levels: programs report results as JSON, and stderr is for people.
#pragma once

// Exit statuses of every program: a run that failed, and input that could not be taken.
enum { EXIT_RUN_FAILED = 1, EXIT_BAD_INPUT = 2 };

// The program's name, set once first thing in main; a literal, kept by pointer. Reads TRILANE_DEBUG
// (base/debug.h).
void log_program(const char *name);

__attribute__((format(printf, 1, 2))) void log_line(const char *format, ...);

// Prints the line and exits with the status: for set-up only, never once a peer or a child depends on us.
__attribute__((format(printf, 2, 3), noreturn)) void die(int status, const char *format, ...);
