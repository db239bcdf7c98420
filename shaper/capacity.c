#include "shaper/capacity.h"

#include "base/clock.h"

void capacity_open(struct capacity *capacity, const struct rate_settings *rate, uint64_t now_ns) {
    *capacity = (struct capacity){
        .rate = *rate, .start_ns = now_ns, .changed_ns = now_ns, .known = rate->kind == RATE_STEPS};
}

void capacity_steer(struct capacity *capacity, const struct rate_settings *rate, uint64_t now_ns) {
    capacity->before_bytes = capacity_bytes(capacity, now_ns);
    capacity->rate = *rate;
    capacity->changed_ns = now_ns;
    if (rate->kind != RATE_STEPS) capacity->known = false;
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

uint64_t capacity_bytes(const struct capacity *capacity, uint64_t now_ns) {
    if (now_ns <= capacity->changed_ns) return capacity->before_bytes;
    __uint128_t until = steps_carry(&capacity->rate.steps_bps, now_ns - capacity->start_ns);
    __uint128_t before = steps_carry(&capacity->rate.steps_bps, capacity->changed_ns - capacity->start_ns);
    return capacity->before_bytes + (uint64_t)((until - before) / (8 * NS_PER_S));
}
