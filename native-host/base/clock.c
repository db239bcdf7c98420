#include "base/clock.h"

#include <time.h>

static uint64_t read_ns(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

uint64_t clock_now_ns(void) {
    return read_ns(CLOCK_MONOTONIC);
}

uint64_t clock_spent_ns(void) {
    return read_ns(CLOCK_THREAD_CPUTIME_ID);
}
