// A bulk sender over a link of fixed rate with a queue that drops nothing, in virtual time, whose receiver
// acknowledges by a rule: what a congestion controller makes of ACKs that come seldom. Not paced.
// (simulated_path.h: losses, and an ACK for each packet.)
#pragma once

#include "congestion/congestion.h"

// After so many packets, or a while after the first of them.
enum ack_rule {
    ACK_EACH,
    ACK_SECOND, // or after 25 ms
    // Every 10th after the first 100, or after a quarter of the round trip: Chromium.
    ACK_AS_CHROMIUM,
};

struct fixed_link {
    double rate_bps;
    double rtt_s; // without the queue
    double duration_s;
    uint64_t packet_bytes;
    enum ack_rule acks;
};

struct fixed_link_result {
    double utilization; // of the rate, from the beginning on
    double queue_ms;    // mean over packets of the second half: what each waits before its own turn
    double packets_per_ack;
};

struct fixed_link_result simulate_fixed_link(const struct congestion_controller *controller,
                                             const struct fixed_link *link);
