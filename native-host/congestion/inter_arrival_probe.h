// Inter-Arrival's first estimate: how fast ten packets arrive that were sent at 1200 kB/s. Rates are bytes
// per second. Virtual time.
#pragma once

#include "congestion/rate_based.h"

#include <stdbool.h>
#include <stdint.h>

enum { INTER_ARRIVAL_PROBE_PACKETS = 10, INTER_ARRIVAL_PROBE_RATE = 1200 * 1000 };

struct inter_arrival_probe {
    struct arrival first, last;
    bool has_first;
    uint64_t bytes; // that arrived after the first
    uint64_t packets, lost;
};

// What was measured so far no longer counts.
void inter_arrival_probe_restart(struct inter_arrival_probe *probe);
// An ACK: its newest packet, and what it newly acknowledges.
void inter_arrival_probe_acked(struct inter_arrival_probe *probe, const struct arrival *newest,
                               uint64_t packets, uint64_t bytes);
void inter_arrival_probe_lost(struct inter_arrival_probe *probe, uint64_t packets);
// False until ten packets arrived or were lost.
bool inter_arrival_probe_estimate(const struct inter_arrival_probe *probe, double *bytes_per_s);
