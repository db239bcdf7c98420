#include "shaper/nodes/stepped_rate.h"

// The step in force at a time, and when it ends (UINT64_MAX: it is the last).
static uint64_t rate_at(const struct steps *steps, uint64_t elapsed_ns, uint64_t *end_ns) {
    uint64_t rate_bps = steps->count > 0 ? steps->step[0].value : 0;
    for (uint32_t i = 1; i < steps->count; i++) {
        if (steps->step[i].at_ns > elapsed_ns) {
            *end_ns = steps->step[i].at_ns;
            return rate_bps;
        }
        rate_bps = steps->step[i].value;
    }
    *end_ns = UINT64_MAX;
    return rate_bps;
}

struct stepped_end stepped_rate_end(const struct steps *steps, uint64_t elapsed_ns, uint64_t work) {
    while (work > 0) {
        uint64_t step_end_ns, rate_bps = rate_at(steps, elapsed_ns, &step_end_ns);
        uint64_t left_ns = step_end_ns - elapsed_ns;
        // Whole nanoseconds at this rate; if they end within the step, so does the fraction after them.
        if (rate_bps > 0 && work / rate_bps < left_ns)
            return (struct stepped_end){elapsed_ns + work / rate_bps, work % rate_bps};
        if (step_end_ns == UINT64_MAX) return (struct stepped_end){UINT64_MAX, 0};
        work -= rate_bps * left_ns; // not more than there is: it takes at least the step's rest
        elapsed_ns = step_end_ns;
    }
    return (struct stepped_end){elapsed_ns, 0};
}

uint64_t stepped_rate_done(const struct steps *steps, uint64_t from_ns, uint64_t to_ns) {
    uint64_t work = 0;
    while (from_ns < to_ns) {
        uint64_t step_end_ns, rate_bps = rate_at(steps, from_ns, &step_end_ns);
        uint64_t end_ns = step_end_ns < to_ns ? step_end_ns : to_ns;
        work += rate_bps * (end_ns - from_ns);
        from_ns = end_ns;
    }
    return work;
}
