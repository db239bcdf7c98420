// CLOCK_MONOTONIC of a test program that links virtual_time.c.
#pragma once

#include <stdint.h>

// From now on the loop wakes up so long after its timer ran out, as on a machine that does something else.
void virtual_time_set_late(uint64_t ns);
