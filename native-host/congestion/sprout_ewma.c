// Sprout-EWMA.
//
// Source: Das, "Evaluation of QUIC on Web Page Performance" (thesis, MIT 2014), and the code its author
// published, which puts Sprout-EWMA into Chromium's QUIC. After Sprout's own variant (Winstein, Sivaraman,
// Balakrishnan, "Stochastic Forecasts Achieve High Throughput and Low Delay over Cellular Networks", NSDI
// 2013), which forecasts from the same average.
//
// Equations, for each packet that arrives, t being its arrival and B the bytes since the last sample:
//   tick = t - t of the last sample
//   tick = 20 ms ("forced") if the packet ends a burst: the next was sent more than 5 ms later, or is not
//   sent yet. What
//     comes after it shows the sender's pause, not the link's: the clock then starts anew with the next
//     arrival.
//   tick >= 20 ms: r <- 7/8 r + 1/8 B / tick; B = 0
//   window = r max(100 ms, minimum RTT)
// r begins at the initial window, 10 packets, in 100 ms. Nothing else is reacted to: no loss, no time-out. On
// a fixed link r becomes the link's rate, and the queue 100 ms less the minimum RTT, where that is shorter.
//
// Faithful: the above, and that packets leave unpaced (r is measured by how bursts arrive, which pacing would
// hide). Not faithful: arrivals. The original's receiver reported when it had received each packet. QUIC's
// does not, so t is the time at which the ACK arrived less the delay that it reports, one t for all packets
// of one ACK; a delay that varies on the way back is in it. With an ACK for each packet it is the original's
// but for that. With an ACK for ten packets, bursts of the sender's are ten packets, too, and where these
// take less than 20 ms to arrive, r is too small by as much: ten packets in 20 ms. Not in the original: a
// window of at least 2 packets (RFC 9002, 7.2), as QUIC would else cut its packets to the window.
#include "congestion/congestion.h"

#include <stdlib.h>

static const uint64_t TICK_NS = 20 * 1000 * 1000;
static const uint64_t PAUSE_NS = 5 * 1000 * 1000;
static const uint64_t WINDOW_AT_LEAST_NS = 100 * 1000 * 1000;
static const double GAIN = 1.0 / 8;
enum { MIN_WINDOW_PACKETS = 2 };
// Each is followed by more than 5 ms: enough for five seconds of a path.
enum { PAUSES = 1024 };

// Packets that were sent at one moment and are not acknowledged.
struct moment {
    uint64_t ns;
    uint64_t packets;
};

struct sprout {
    double packet_bytes;
    double bytes_per_ns; // r
    uint64_t min_rtt_ns; // 0: not known
    uint64_t counted_bytes;
    uint64_t since_ns; // the last sample
    bool is_counting;  // since_ns is set
    struct moment last;
    struct moment pauses[PAUSES]; // the moments that a pause followed, a ring
    size_t first, count;
};

static void *open_path(const struct congestion_controller *controller, const struct congestion_start *start) {
    (void)controller;
    struct sprout *s = malloc(sizeof *s);
    if (!s) return NULL;
    const double initial_bytes = (double)(start->datagram_bytes * start->initial_window_packets);
    *s = (struct sprout){
        .packet_bytes = (double)start->datagram_bytes,
        .bytes_per_ns = initial_bytes / (double)WINDOW_AT_LEAST_NS,
    };
    return s;
}

// The oldest gives way: its packets then end no burst.
static void note_pause(struct sprout *s) {
    if (s->count == PAUSES) {
        s->first = (s->first + 1) % PAUSES;
        s->count--;
    }
    s->pauses[(s->first + s->count++) % PAUSES] = s->last;
}

static void sent(void *state, const struct congestion_sent *sent) {
    struct sprout *s = state;
    if (sent->bytes == 0) return;
    if (s->last.packets > 0 && sent->now_ns - s->last.ns > PAUSE_NS) note_pause(s);
    if (sent->now_ns != s->last.ns) s->last = (struct moment){.ns = sent->now_ns};
    s->last.packets++;
}

// One of the moment's packets is acknowledged: whether it was the last.
static bool take_one(struct moment *moment) {
    return moment->packets > 0 && --moment->packets == 0;
}

static bool ends_a_burst(struct sprout *s, uint64_t sent_ns) {
    for (; s->count > 0 && s->pauses[s->first].ns < sent_ns; s->count--)
        s->first = (s->first + 1) % PAUSES; // its last packet was lost, or has been acknowledged
    if (s->count > 0 && s->pauses[s->first].ns == sent_ns) return take_one(&s->pauses[s->first]);
    return s->last.ns == sent_ns && take_one(&s->last);
}

static void arrived(struct sprout *s, const struct congestion_packet *packet, uint64_t at_ns) {
    const bool forced = ends_a_burst(s, packet->sent_ns);
    if (!s->is_counting) s->since_ns = at_ns;
    s->is_counting = true;
    s->counted_bytes += packet->bytes;
    const uint64_t passed_ns = at_ns > s->since_ns ? at_ns - s->since_ns : 0;
    const uint64_t tick_ns = forced ? TICK_NS : passed_ns;
    if (tick_ns < TICK_NS) return;
    s->bytes_per_ns += ((double)s->counted_bytes / (double)tick_ns - s->bytes_per_ns) * GAIN;
    s->counted_bytes = 0;
    s->since_ns = at_ns;
    s->is_counting = !forced;
}

static void acked(void *state, const struct congestion_acked *acked) {
    struct sprout *s = state;
    if (acked->rtt.latest_ns > 0) s->min_rtt_ns = acked->rtt.min_ns;
    const uint64_t delay_ns = acked->ack_delay_ns < acked->now_ns ? acked->ack_delay_ns : acked->now_ns;
    for (uint64_t i = 0; i < acked->packet_count; i++)
        arrived(s, &acked->packets[i], acked->now_ns - delay_ns);
}

static void lost(void *state, const struct congestion_lost *lost) {
    (void)state, (void)lost;
}

static void window(const void *state, struct congestion_window *out) {
    const struct sprout *s = state;
    const uint64_t span_ns = s->min_rtt_ns > WINDOW_AT_LEAST_NS ? s->min_rtt_ns : WINDOW_AT_LEAST_NS;
    const double bytes = s->bytes_per_ns * (double)span_ns;
    const double least = MIN_WINDOW_PACKETS * s->packet_bytes;
    *out = (struct congestion_window){
        .window_bytes = (uint64_t)((bytes > least ? bytes : least) + 0.5),
        .ssthresh_bytes = UINT64_MAX,
        .phase = CONGESTION_AVOIDANCE,
    };
}

#define NAMED(text, single_acks)                                                                             \
    {                                                                                                        \
        .name = text, .open = open_path, .sent = sent, .acked = acked, .lost = lost, .window = window,       \
        .close = free, .is_unpaced = true, .wants_single_acks = single_acks                                  \
    }
const struct congestion_controller sprout_ewma = NAMED("sprout-ewma", true);
const struct congestion_controller sprout_ewma_acks = NAMED("sprout-ewma-acks", false);
