// Google Congestion Control for QUIC.
//
// Source: draft-ietf-rmcat-gcc-02 (Holmer et al., 2016), the sender-side version; where its text is silent,
// Carlucci et al., "Congestion Control for Web Real-Time Communication" (2017), and WebRTC. Equations and
// constants are in gcc_estimates.c. What is paced is the lower of the two rates.
//
// Faithful: the delay-based controller (groups of 5 ms, scalar Kalman filter, adaptive threshold, three
// states), the loss-based one, R over 0.5 s. Rates are updated every 100 ms, the draft's longest interval
// between reports, and at once when over-use begins.
//
// Of the draft, and worth knowing: losses of 2 to 10 % are accepted, so a short queue that is full may stay
// full.
//
// Not faithful, and chosen:
// - QUIC's plain ACKs stand for receive times: an ACK says when its newest packet arrived, the others' times
//   are not known. In flows the receiver acknowledges each packet; browsers do not. Jitter of the way back
//   counts as jitter of the way there.
// - The draft has no first rate. Here the initial window leaves unpaced; the first round trip makes it a
// rate.
// - Time in which nothing was in flight does not count in R: the draft's sender, a camera, never pauses.
// - The estimate by loss is at most that by delay, as in WebRTC; otherwise it would grow out of reach. A
// report
//   has at least 20 packets.
// - At least 2 packets per round trip. A window bounds what is in flight if no ACK comes (rate_based.h).
// - Packets are those of a bulk flow, so the slow end of the draft's increase takes long: at 20 Mbit/s and 30
// ms
//   a queue of 0.1 to 0.4 s builds up before its growth is noticed (rate_based_path_test.c).
// - No probing, no use of what the application limits: WebRTC has both, the draft neither.
#include "congestion/gcc_estimates.h"
#include "congestion/rate_based.h"
#include "congestion/rate_meter.h"

#include <math.h>
#include <stdlib.h>

static const uint64_t PERIOD_NS = 100 * 1000 * 1000;
enum { REPORT_PACKETS = 20, LEAST_PACKETS = 2 };

struct flow {
    double packet_bytes;
    uint64_t initial_window;
    uint64_t start_window; // when the rate was first set; 0: it is not
    uint64_t min_rtt_ns;
    uint64_t newest_sent_ns; // of the packets whose arrival was used
    struct rate_meter incoming;
    struct gcc_groups groups;
    struct gcc_filter filter;
    struct gcc_detector detector;
    enum gcc_signal signal; // of the last group
    struct gcc_rate by_delay;
    double by_loss_bps;
    uint64_t lost, arrived; // packets since the last report
};

static void *open_path(const struct congestion_controller *controller, const struct congestion_start *start) {
    (void)controller;
    struct flow *f = malloc(sizeof *f);
    if (!f) return NULL;
    *f = (struct flow){
        .packet_bytes = (double)start->datagram_bytes,
        .initial_window = start->datagram_bytes * start->initial_window_packets,
    };
    gcc_filter_init(&f->filter);
    gcc_detector_init(&f->detector);
    return f;
}

static double rate_bps(const struct flow *f) {
    return fmin(f->by_delay.bps, f->by_loss_bps);
}

static void set_first_rate(struct flow *f, const struct congestion_acked *acked) {
    f->by_delay.bps = f->by_loss_bps = (double)f->initial_window * 8e9 / (double)acked->rtt.latest_ns;
    f->by_delay.updated_ns = acked->now_ns;
    f->start_window = rate_based_window(rate_bps(f), f->min_rtt_ns, f->packet_bytes);
}

// True if over-use begins.
static bool watch_delay(struct flow *f, const struct congestion_acked *acked) {
    struct arrival newest;
    struct gcc_variation variation;
    if (!arrival_of(acked, f->newest_sent_ns, &newest)) {
        rate_meter_add(&f->incoming, 0, acked_bytes(acked));
        return false;
    }
    f->newest_sent_ns = newest.sent_ns;
    rate_meter_add(&f->incoming, newest.arrived_ns, acked_bytes(acked));
    if (!gcc_groups_add(&f->groups, &newest, &variation)) return false;
    gcc_filter_update(&f->filter, variation.d_ms, variation.sent_gap_ms);
    f->signal = gcc_detector_update(&f->detector, f->filter.m_ms, variation.arrived_ns);
    return f->signal == GCC_OVER_USE && f->by_delay.state != GCC_DECREASE;
}

static void report_losses(struct flow *f) {
    const uint64_t all = f->lost + f->arrived;
    if (all < REPORT_PACKETS) return;
    f->by_loss_bps = gcc_rate_after_losses(f->by_loss_bps, f->lost, all);
    f->lost = f->arrived = 0;
}

static void update_rates(struct flow *f, const struct congestion_acked *acked) {
    const double rtt_ns = (double)acked->rtt.smoothed_ns;
    const double least_bps = LEAST_PACKETS * f->packet_bytes * 8e9 / rtt_ns;
    gcc_rate_update(&f->by_delay, &(struct gcc_feedback){.now_ns = acked->now_ns,
                                                         .signal = f->signal,
                                                         .incoming_bps = rate_meter_bps(&f->incoming),
                                                         .rtt_ms = rtt_ns / 1e6});
    report_losses(f);
    f->by_delay.bps = fmax(f->by_delay.bps, least_bps);
    f->by_loss_bps = fmin(fmax(f->by_loss_bps, least_bps), f->by_delay.bps);
}

static void sent(void *state, const struct congestion_sent *sent) {
    (void)state, (void)sent;
}

static void acked(void *state, const struct congestion_acked *acked) {
    struct flow *f = state;
    f->arrived += acked->packet_count;
    const bool over_use_begins = watch_delay(f, acked);
    if (acked->in_flight_bytes <= acked_bytes(acked)) rate_meter_pause(&f->incoming);
    if (acked->rtt.latest_ns == 0) return;
    f->min_rtt_ns = acked->rtt.min_ns;
    if (f->start_window == 0)
        set_first_rate(f, acked);
    else if (over_use_begins || acked->now_ns >= f->by_delay.updated_ns + PERIOD_NS)
        update_rates(f, acked);
}

static void lost(void *state, const struct congestion_lost *lost) {
    struct flow *f = state;
    f->lost += lost->packet_count;
}

static void window(const void *state, struct congestion_window *out) {
    const struct flow *f = state;
    if (f->start_window == 0) {
        *out = (struct congestion_window){f->initial_window, UINT64_MAX, 0, CONGESTION_SLOW_START};
        return;
    }
    *out = (struct congestion_window){
        .window_bytes = rate_based_window(rate_bps(f), f->min_rtt_ns, f->packet_bytes),
        .ssthresh_bytes = f->start_window,
        .pacing_bps = (uint64_t)rate_bps(f),
        .phase = CONGESTION_AVOIDANCE,
    };
}

const struct congestion_controller gcc = {
    .name = "gcc",
    .open = open_path,
    .sent = sent,
    .acked = acked,
    .lost = lost,
    .window = window,
    .close = free,
    .wants_single_acks = true,
};
