// Reads a value that changes at given times.
#pragma once

#include "shaper/nodes/settings.h"

// The value in force `elapsed_ns` after the steps' time 0; before the first step, the first step's. No steps:
// 0.
static inline uint64_t steps_value(const struct steps *steps, uint64_t elapsed_ns) {
    uint64_t value = steps->count > 0 ? steps->step[0].value : 0;
    for (uint32_t i = 1; i < steps->count && steps->step[i].at_ns <= elapsed_ns; i++)
        value = steps->step[i].value;
    return value;
}
