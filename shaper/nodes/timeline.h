// What a link did over the time of a run, in bins of equal length: bytes delivered, the queue's highest
// level, packets dropped and lost. Given the counters after each turn, so it causes no wakeup and costs a few
// additions; when the bins are full, two become one. Knows no packets and looks at no clock.
#pragma once

#include <stdint.h>

enum { TIMELINE_BINS = 256 };

// Of one direction, since the start; the queue's level as it is now.
struct timeline_counters {
    uint64_t bytes_out;
    uint64_t dropped; // packets, by the queue: for want of room or by its management
    uint64_t lost;    // packets, on the link, as configured
    uint64_t queue_bytes;
};

struct timeline_bin {
    uint64_t bytes_out;
    uint64_t dropped;
    uint64_t lost;
    uint64_t queue_peak_bytes;
};

struct timeline_direction {
    struct timeline_counters last;
    struct timeline_bin bins[TIMELINE_BINS];
};

// All 0: no counters have come.
struct timeline {
    uint64_t start_ns; // of the first bin: when the first counters came
    uint64_t bin_ns;
    uint32_t count; // bins begun
    struct timeline_direction down;
    struct timeline_direction up;
};

// Counters never fall and time never goes back from one call to the next.
void timeline_tell(struct timeline *timeline, const struct timeline_counters *down,
                   const struct timeline_counters *up, uint64_t now_ns);
