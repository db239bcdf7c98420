#include "shaper/nodes/capacity.h"

#include "base/clock.h"
#include "shaper/nodes/trace.h"

void capacity_open(struct capacity *capacity, const struct rate_settings *rate, uint64_t now_ns) {
    *capacity = (struct capacity){
        .rate = *rate, .start_ns = now_ns, .changed_ns = now_ns, .known = rate->kind != RATE_UNLIMITED};
}

void capacity_steer(struct capacity *capacity, const struct rate_settings *rate, uint64_t now_ns) {
    capacity->before_bytes = capacity_bytes(capacity, now_ns);
    capacity->rate = *rate;
    capacity->changed_ns = now_ns;
    if (rate->kind == RATE_UNLIMITED) capacity->known = false;
}

void capacity_begin_again(struct capacity *capacity, uint64_t now_ns) {
    capacity->start_ns = now_ns;
}

// Bits that steps carry from their time 0 to elapsed_ns later, in 1/10^9.
static __uint128_t steps_carry(const struct steps *steps, uint64_t elapsed_ns) {
    __uint128_t sum = 0;
    for (uint32_t i = 0; i < steps->count && steps->step[i].at_ns < elapsed_ns; i++) {
        bool last = i + 1 == steps->count || steps->step[i + 1].at_ns > elapsed_ns;
        uint64_t end_ns = last ? elapsed_ns : steps->step[i + 1].at_ns;
        sum += (__uint128_t)steps->step[i].value * (end_ns - steps->step[i].at_ns);
    }
    return sum;
}

static uint64_t trace_carries_bytes(const struct rate_settings *rate, uint64_t elapsed_ns) {
    return trace_passed(rate->trace, rate->trace_once, elapsed_ns) * TRACE_OPPORTUNITY_BYTES;
}

uint64_t capacity_bytes(const struct capacity *capacity, uint64_t now_ns) {
    const struct rate_settings *rate = &capacity->rate;
    if (now_ns <= capacity->changed_ns || rate->kind == RATE_UNLIMITED) return capacity->before_bytes;
    uint64_t until_ns = now_ns - capacity->start_ns, from_ns = capacity->changed_ns - capacity->start_ns;
    if (rate->kind == RATE_TRACE) {
        // What comes at the very start counts, what came at the moment of a change does not: it was the
        // former's.
        uint64_t before = from_ns > 0 ? trace_carries_bytes(rate, from_ns) : 0;
        return capacity->before_bytes + trace_carries_bytes(rate, until_ns) - before;
    }
    __uint128_t sum = steps_carry(&rate->steps_bps, until_ns) - steps_carry(&rate->steps_bps, from_ns);
    return capacity->before_bytes + (uint64_t)(sum / (8 * NS_PER_S));
}
