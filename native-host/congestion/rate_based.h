// What controllers that set a rate share: the time at which a packet arrived, from plain acknowledgements,
// and a window that leaves the rate in charge. Virtual time.
#pragma once

#include "congestion/congestion.h"

// The newest packet that an ACK newly acknowledges. An ACK does not say when the others arrived.
struct arrival {
    uint64_t number;
    uint64_t sent_ns;
    // When it arrived, later by the time the ACK took: when the ACK came, less the delay that the peer
    // reported, as far as that fits what was measured (RFC 9002, 5.3). Only differences mean something.
    uint64_t arrived_ns;
};

// False if the ACK acknowledges nothing new that was sent at `since_ns` or later: it was overtaken. Packets
// of a burst may have been sent at the same time.
bool arrival_of(const struct congestion_acked *acked, uint64_t since_ns, struct arrival *out);

// Newly acknowledged bytes.
uint64_t acked_bytes(const struct congestion_acked *acked);

// A round trip of the rate and two seconds of queue: the window limits only if acknowledgements cease.
// At least 4 packets.
uint64_t rate_based_window(double rate_bps, uint64_t min_rtt_ns, double packet_bytes);
