// GCC's estimate of how fast the queueing delay grows (draft-ietf-rmcat-gcc-02, 5.1 to 5.3): packets become
// groups, two groups a delay variation, and a scalar Kalman filter estimates its mean. Times are
// milliseconds. Virtual time.
#pragma once

#include "congestion/rate_based.h"

#include <stdbool.h>
#include <stdint.h>

enum { GCC_GAPS = 60 };

// Sent within 5 ms, or arrived together after something held them up (5.2).
struct gcc_group {
    uint64_t first_sent_ns;
    uint64_t sent_ns; // the last packet, as arrived_ns
    uint64_t arrived_ns;
};

// A group compared with the one before it.
struct gcc_variation {
    uint64_t arrived_ns;
    double sent_gap_ms;
    double d_ms; // the gap between arrivals less the one between departures
};

struct gcc_groups {
    struct gcc_group current, previous;
    uint64_t count; // of groups begun
};

// True if the packet begins a group: `out` then compares the two groups before it.
bool gcc_groups_add(struct gcc_groups *groups, const struct arrival *packet, struct gcc_variation *out);

struct gcc_filter {
    double m_ms; // the estimate
    double e;    // its error's variance
    double var_v;
    double sent_gaps_ms[GCC_GAPS]; // a ring of the last
    uint64_t count;                // of variations so far
};

void gcc_filter_init(struct gcc_filter *filter);
void gcc_filter_update(struct gcc_filter *filter, double d_ms, double sent_gap_ms);
