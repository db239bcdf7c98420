// Inter-Arrival's estimate of the channel: the rate at which packets arrive that were sent close together.
// Rates are bytes per second. Virtual time.
#pragma once

#include "congestion/rate_based.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { INTER_ARRIVAL_PAIRS_LEAST = 10, INTER_ARRIVAL_PAIRS = 100 };

enum inter_arrival_certainty {
    INTER_ARRIVAL_UNKNOWN, // fewer than 10 pairs
    INTER_ARRIVAL_UNCERTAIN,
    INTER_ARRIVAL_GOOD,
};

struct inter_arrival_channel {
    struct arrival last;
    bool has_last;
    double rates[INTER_ARRIVAL_PAIRS]; // a ring of the last
    uint64_t count;                    // of pairs so far
};

// An ACK: its newest packet, and what it newly acknowledges.
void inter_arrival_channel_acked(struct inter_arrival_channel *channel, const struct arrival *newest,
                                 uint64_t bytes);
// A packet was lost: the next ACK forms no pair with the last.
void inter_arrival_channel_lost(struct inter_arrival_channel *channel);
// The median, unless it is unknown.
enum inter_arrival_certainty inter_arrival_channel_estimate(const struct inter_arrival_channel *channel,
                                                            double *bytes_per_s);
