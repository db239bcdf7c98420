// For tests that read what they made with a program that not every machine has. A header only.
#ifndef TRILANE_TEST_NEEDS_H
#define TRILANE_TEST_NEEDS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

// Skips what is left of the test without the program, and says so: test/run.sh names what was skipped.
static inline void needs_program(const char *program) {
    char command[96];
    snprintf(command, sizeof command, "command -v %s >/dev/null", program);
    if (system(command) == 0) return;
    print_message("skipped: not installed: %s (apt install %s)\n", program, program);
    skip();
}

#endif
