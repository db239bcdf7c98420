// Values below 16 have a bucket each; above, every power of two has 16.
#include "shaper/nodes/histogram.h"

#include <math.h>

static unsigned bucket_of(uint64_t value) {
    if (value < 16) return (unsigned)value;
    unsigned exponent = 63 - (unsigned)__builtin_clzll(value);
    return (exponent - 3) * 16 + (unsigned)((value >> (exponent - 4)) & 15);
}

static uint64_t upper_end(unsigned bucket) {
    if (bucket < 16) return bucket;
    unsigned exponent = bucket / 16 + 3;
    uint64_t width = UINT64_C(1) << (exponent - 4);
    return (UINT64_C(1) << exponent) + (bucket % 16) * width + (width - 1);
}

void histogram_add(struct histogram *histogram, uint64_t value) {
    histogram->counts[bucket_of(value)]++;
    histogram->count++;
    if (value > histogram->max) histogram->max = value;
}

uint64_t histogram_quantile(const struct histogram *histogram, double quantile) {
    uint64_t wanted = (uint64_t)ceil(quantile * (double)histogram->count);
    uint64_t seen = 0;
    for (unsigned bucket = 0; bucket < HISTOGRAM_BUCKETS && wanted > 0; bucket++) {
        seen += histogram->counts[bucket];
        if (seen >= wanted) {
            uint64_t end = upper_end(bucket);
            return end < histogram->max ? end : histogram->max;
        }
    }
    return 0;
}
