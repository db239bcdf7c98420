// One command from its start to its end: how long it took, what CPU time it and all that it started used, how
// it ended. Whatever it leaves behind is killed. Stores nothing.
#pragma once

#include "base/walls.h"
#include "command/kept_output.h"

#include <stdbool.h>
#include <stdint.h>

struct run_result {
    uint64_t start_ns, end_ns; // from just before exec to the exit of the command itself
    int wait_status;           // as waitpid has it
    bool timed_out;
    bool interrupted; // a signal to us ended it
    uint64_t user_us, system_us;
    uint64_t memory_bytes; // the most that one of its processes had resident
    unsigned left_behind;  // processes that it had started and that were killed when it had ended
};

// Runs `argv`, looked up in PATH, without a terminal: its input is empty, its output and its errors are one
// stream, kept in `output`. Exits with a line if it cannot be started.
// Raises `walls`, if not NULL, around us when it runs.
void run_command(char *const *argv, uint64_t timeout_ns, const struct walls *walls,
                 struct kept_output *output, struct run_result *result);
