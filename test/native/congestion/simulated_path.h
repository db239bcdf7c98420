// A bulk sender over one bottleneck in virtual time: what a congestion controller makes of a link. Packets of
// one size, a queue that drops at its end, losses at random besides, an ACK for each packet, loss by three
// later ACKs or by a probe time-out. Not paced.
#pragma once

#include "congestion/congestion.h"

#include <stdint.h>

struct simulated_path {
    double rate_bps;
    double rtt_s; // without the queue
    double buffer_bytes;
    double loss; // probability for each packet, besides the queue's
    double duration_s;
    double measured_from_s;
    uint64_t packet_bytes;
    uint64_t seed;
};

struct simulated_result {
    double utilization;    // of the rate, from measured_from_s on
    double window_packets; // mean over time, from then on
    uint64_t lost;
    uint64_t reductions;
};

struct simulated_result simulate_path(const struct congestion_controller *controller,
                                      const struct simulated_path *path);
