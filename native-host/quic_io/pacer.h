// A token bucket that spreads a congestion window over a round trip, for quiche's CUBIC and Reno, which send
// all that the window allows at once (only its BBR has a pacer). Virtual time: never looks at a clock and
// sets no timer.
//
// The rate is a multiple of window / smoothed RTT, as RFC 9002 (7.7) has it and with Linux TCP's multiples: 2
// while the window doubles each round trip (or the pacer itself would hold it back), 1.25 afterwards. After a
// silence of about a round trip an initial window may leave at once.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pacer {
    double rate;      // bytes per nanosecond; 0: not paced
    double tokens;    // bytes that may leave now; below 0 after a packet that was larger
    uint64_t now_ns;  // when `tokens` was true
    uint64_t sent_ns; // the last packet
    uint64_t silence_ns;
    size_t packet_size;
    size_t initial_window_packets;
};

void pacer_init(struct pacer *pacer, size_t packet_size, size_t initial_window_packets);
void pacer_update(struct pacer *pacer, size_t window_bytes, uint64_t rtt_ns, bool slow_start);
// For a controller that sets the rate itself, in bits per second, above 0. Nothing leaves at once then,
// neither at the start nor after a silence: the controller measures what its rate does to the path.
void pacer_set_rate(struct pacer *pacer, uint64_t rate_bps);

// Whether a packet may leave at `now_ns`; now_ns never goes back.
bool pacer_may_send(struct pacer *pacer, uint64_t now_ns);
void pacer_sent(struct pacer *pacer, size_t size, uint64_t now_ns);
// When the next packet may leave, after pacer_may_send said no.
uint64_t pacer_next_ns(const struct pacer *pacer);
