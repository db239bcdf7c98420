// Counts of durations in buckets of at most 6.25 % width: quantiles in constant memory.
#pragma once

#include <stdint.h>

enum { HISTOGRAM_BUCKETS = 61 * 16 };

struct histogram {
    uint64_t counts[HISTOGRAM_BUCKETS];
    uint64_t count;
    uint64_t max;
};

// A zeroed histogram is an empty one.
void histogram_add(struct histogram *histogram, uint64_t value);

// The upper end of the bucket that holds the quantile (0..1), never above the maximum. 0 when empty: look at
// `count`.
uint64_t histogram_quantile(const struct histogram *histogram, double quantile);
