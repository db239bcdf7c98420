// How long sending takes at a rate that changes at given times, exactly. What is to be sent is counted in
// billionths of a bit: at r bit/s, a nanosecond does r of them, so that no time of a whole nanosecond has a
// remainder. Knows nothing of packets.
#pragma once

#include "shaper/nodes/settings.h"

#define WORK_PER_BYTE UINT64_C(8000000000)

struct stepped_end {
    uint64_t elapsed_ns; // the whole nanosecond in which it is done; UINT64_MAX: never
    uint64_t rest;       // what is left to do then, in less than a nanosecond: to be added to what comes next
};

// When `work`, begun elapsed_ns after the steps' time 0, is done. A step of 0 does nothing.
struct stepped_end stepped_rate_end(const struct steps *steps, uint64_t elapsed_ns, uint64_t work);

// How much is done between the two times.
uint64_t stepped_rate_done(const struct steps *steps, uint64_t from_ns, uint64_t to_ns);
