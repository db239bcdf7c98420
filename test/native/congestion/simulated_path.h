// A bulk sender over one bottleneck in virtual time: what a congestion controller makes of a link. Packets of
// one size, a queue that drops at its end, losses at random besides, ACKs by a rule, loss by three later ACKs
// or by a time-out. Paced as ours are (quic_io/pacer.c), or not at all. The link's rate may change once.
#pragma once

#include "congestion/congestion.h"

#include <stdbool.h>
#include <stdint.h>

// Every 10th packet after the first 100, or after a quarter of the round trip.
enum { ACKS_AS_CHROMIUM = 0 };

struct simulated_path {
    double rate_bps;
    double changed_bps; // from changes_s on
    double changes_s;   // 0: never
    double rtt_s;       // without the queue
    double buffer_s;    // of the first rate
    double loss;        // probability for each packet, besides the queue's
    double jitter_s;    // added to each ACK's way, uniformly from 0 on
    uint64_t ack_every; // so many packets, or after 25 ms
    uint64_t packet_bytes;
    uint64_t seed;
    bool paced;
};

// What became of a span of time.
struct simulated_span {
    double from_s, to_s;               // given
    double utilization;                // of the link's rate then, by what arrived
    double mean_queue_s, most_queue_s; // of packets that were let in
    double lost;                       // by the queue: ratio of packets sent
    double window_packets;             // mean over time
    double packets_per_ack;
    unsigned reductions; // of the slow start threshold
    double sent, let_in, acks;
};

// Runs until the last span ends; spans follow one another.
void simulate_path(const struct congestion_controller *controller, const struct simulated_path *path,
                   struct simulated_span *spans, size_t count);
