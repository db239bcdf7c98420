// The one clock: CLOCK_MONOTONIC in nanoseconds, the same that Chromium's monotonic time stamps use.
// And CPU time, for those who keep to a budget. Does not deal in wall time.
#pragma once

#include <stdint.h>

#define NS_PER_US UINT64_C(1000)
#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S UINT64_C(1000000000)

uint64_t clock_now_ns(void);

uint64_t clock_spent_ns(void); // CPU time of the calling thread so far
