// A bulk sender over one bottleneck in virtual time, paced as ours are (quic_io/pacer.c), for controllers
// that set a rate. Packets of one size, a queue that drops at its end, a receiver that acknowledges every Nth
// packet, loss by three later ACKs or by a time-out. The link's rate may change once.
#pragma once

#include "congestion/congestion.h"

#include <stdint.h>

struct paced_path {
    double rate_bps;
    double changed_bps; // from changes_s on
    double changes_s;
    double rtt_s;    // without the queue
    double buffer_s; // of the first rate
    double jitter_s; // added to each ACK's way, uniformly from 0 on
    uint64_t ack_every;
    uint64_t packet_bytes;
    uint64_t seed;
};

// What became of a span of time.
struct paced_span {
    double from_s, to_s;               // given
    double utilization;                // of the link's rate then
    double mean_queue_s, most_queue_s; // of packets that were let in
    double lost;                       // ratio of packets sent
};

// Runs until the last span ends; spans follow one another.
void simulate_paced(const struct congestion_controller *controller, const struct paced_path *path,
                    struct paced_span *spans, size_t count);
