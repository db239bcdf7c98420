// What a test does from inside the namespace of trilane-replay: this test program itself is the command that
// the replay runs, as `PROGRAM inside SCENARIO HOME`.
#pragma once

// Runs a scenario: its exit status, 0 when all was as it should be. Says on stderr what was not.
int inside_run(const char *scenario, const char *home);
