// For tests that read what they made with a program that not every machine has. A header only.
#pragma once

#include "test/native/cmocka_unit.h"

// Skips what is left of the test without the program, and says so: test/run.sh names what was skipped.
static inline void needs_program(const char *program) {
    char command[96];
    snprintf(command, sizeof command, "command -v %s >/dev/null", program);
    if (system(command) == 0) return;
    print_message("skipped: not installed: %s (apt install %s)\n", program, program);
    skip();
}
