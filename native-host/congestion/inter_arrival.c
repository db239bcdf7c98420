// WebRTC Inter-Arrival for QUIC, as of 2013.
//
// Source: Chromium's experimental QUIC of 2013 (net/quic/congestion_control, inter_arrival_*), which had it
// beside CUBIC and dropped it in 2014; never published. Das (2014) describes it. Equations and constants are
// in inter_arrival_estimates.c. Here:
//   start: 0.7 of the probe's estimate, at least 10 kbit/s; channel unknown: the estimate, uncertain: 0.7 of
//   it steady: the ramp. Under-use, draining: hold. over-use, once in a round trip: rate (1 - clamp(D / RTT,
//   0.05, 0.9)), at least a packet in a round trip loss, once in a round trip: 0.7 rate. After losses without
//   delay, and beside TCP, delay is ignored. drained (steady after over-use): back to the rate before, if the
//   queue shrank as fast as time passed or
//     faster than the reduction explains; else 0.95 (rate + rate before x shrunk / passed), if that is more
//   RTT = (3 RTT + sample) / 4, at first 60 ms
//
// The floor is the original's division of integers. Its comment asks for a queue that drains in a round trip,
// D / RTT; what ran, and is here, keeps 0.95 unless the queue is longer than a round trip.
//
// Faithful: the above, and pacing in bursts of 2 packets or so (quic_io/pacer.c).
//
// Of the original, and worth knowing: the least delay and the sum of differences never expire. On a link that
// becomes slower for good each packet takes longer, which looks like a queue that does not drain: the rate
// stays low, or falls to a packet in a round trip. While over-use drains the rate is held even if the queue
// grows; then only losses end it (rate_based_path_test.c).
//
// Not faithful, and chosen:
// - QUIC's plain ACKs stand for the receive times that its feedback had: each ACK's newest packet is a group.
//   In flows the receiver acknowledges each packet; browsers do not. Few ACKs make few packet pairs, so the
//   channel is often unknown.
// - The probe begins anew if nothing is in flight: a handshake's pauses would count as the link's. Only the
//   first ten packets are held to 1200 kB/s and ten in flight; the rest waits for their estimate.
// - Time in which the rate is held does not count for the ramp: in the original it did, so that after a long
//   under-use a rate of any size followed.
// - What is sent is measured over half a second, not one. A window bounds what is in flight if no ACK comes
//   (rate_based.h); the original had none.
// - Losses are QUIC's of today (RFC 9002), not reports of the receiver.
#include "congestion/inter_arrival_estimates.h"
#include "congestion/rate_based.h"
#include "congestion/rate_meter.h"

#include <math.h>
#include <stdlib.h>

static const double MARGIN = 0.7; // of estimates that are uncertain
static const double KEPT_AFTER_LOSS = 0.7;
static const double CUT_LEAST = 0.05, CUT_MOST = 0.9;
static const double LEAST_RATE = 10 * 1000 / 8.0; // bytes per second, as all rates here
static const double FIRST_RTT_S = 0.06;

// What was so when the rate was last lowered.
struct back_down {
    uint64_t at_ns;
    double rate;
    double delay_us;
};

struct flow {
    double packet_bytes;
    bool probing;
    double rate;
    uint64_t start_window; // when probing ended
    double rtt_s;
    uint64_t min_rtt_ns;
    uint64_t newest_sent_ns; // of the packets whose arrival was used
    enum inter_arrival_usage usage;
    struct back_down back_down;
    struct rate_meter sending;
    struct inter_arrival_probe probe;
    struct inter_arrival_channel channel;
    struct inter_arrival_detector detector;
    struct inter_arrival_ramp ramp;
    struct inter_arrival_states states;
};

static void *open_path(const struct congestion_controller *controller, const struct congestion_start *start) {
    (void)controller;
    struct flow *f = malloc(sizeof *f);
    if (!f) return NULL;
    *f = (struct flow){
        .packet_bytes = (double)start->datagram_bytes,
        .probing = true,
        .rate = INTER_ARRIVAL_PROBE_RATE,
        .rtt_s = FIRST_RTT_S,
    };
    inter_arrival_detector_init(&f->detector);
    inter_arrival_states_init(&f->states);
    return f;
}

// The channel's estimate with its margin; `unknown` if there is none.
static double channel_or(const struct flow *f, double unknown) {
    double estimate;
    switch (inter_arrival_channel_estimate(&f->channel, &estimate)) {
    case INTER_ARRIVAL_GOOD:
        return estimate;
    case INTER_ARRIVAL_UNCERTAIN:
        return MARGIN * estimate;
    default:
        return unknown;
    }
}

static void end_probe(struct flow *f, uint64_t now_ns) {
    double available;
    if (!inter_arrival_probe_estimate(&f->probe, &available)) return;
    f->probing = false;
    f->rate = fmax(MARGIN * available, LEAST_RATE);
    f->start_window = rate_based_window(8 * f->rate, f->min_rtt_ns, f->packet_bytes);
    inter_arrival_ramp_reset(&f->ramp, now_ns, f->rate, available, channel_or(f, available));
}

static void lower(struct flow *f, uint64_t now_ns, double to) {
    const double rate = fmax(to, LEAST_RATE);
    f->back_down.at_ns = now_ns;
    f->back_down.rate = f->rate;
    inter_arrival_ramp_reset(&f->ramp, now_ns, rate, f->rate, channel_or(f, f->rate));
    if (rate == f->rate) return;
    f->rate = rate;
    inter_arrival_states_decreased(&f->states, now_ns);
}

static void lower_by_delay(struct flow *f, uint64_t now_ns) {
    const double cut = fmin(fmax(floor(f->detector.delay_us / 1e6 / f->rtt_s), CUT_LEAST), CUT_MOST);
    f->back_down.delay_us = f->detector.delay_us;
    lower(f, now_ns, fmax(f->rate * (1 - cut), f->packet_bytes / f->rtt_s));
}

static void raise_by_ramp(struct flow *f, uint64_t now_ns) {
    const double rate = inter_arrival_ramp_rate(&f->ramp, now_ns, rate_meter_bps(&f->sending) / 8);
    if (rate == f->rate) return;
    f->rate = rate;
    inter_arrival_states_increased(&f->states, now_ns);
    double channel;
    if (inter_arrival_channel_estimate(&f->channel, &channel) == INTER_ARRIVAL_GOOD)
        inter_arrival_ramp_set_channel(&f->ramp, now_ns, channel);
}

// How fast the queue drained says what the path carries.
static void raise_after_draining(struct flow *f, uint64_t now_ns) {
    const struct back_down *before = &f->back_down;
    if (f->rate > before->rate || f->detector.delay_us >= before->delay_us) return;
    const double shrunk_s = (before->delay_us - f->detector.delay_us) / 1e6;
    const double passed_s = (double)(now_ns - before->at_ns) / 1e9 - f->rtt_s;
    double rate = before->rate;
    if (shrunk_s < passed_s) {
        const double drained = before->rate * shrunk_s / passed_s;
        if (drained <= before->rate - f->rate) rate = fmax(f->rate, (f->rate + drained) * (1 - CUT_LEAST));
    }
    if (rate == f->rate) return;
    inter_arrival_ramp_reset(&f->ramp, now_ns, rate, before->rate, channel_or(f, f->rate));
    inter_arrival_states_increased(&f->states, now_ns);
    f->rate = rate;
}

static void go_by_delay(struct flow *f, uint64_t now_ns) {
    const enum inter_arrival_usage usage = inter_arrival_detector_judge(&f->detector);
    if (usage == INTER_ARRIVAL_STEADY && f->usage < INTER_ARRIVAL_DRAINING) {
        raise_by_ramp(f, now_ns);
    } else {
        inter_arrival_ramp_hold(&f->ramp, now_ns);
        if (usage == INTER_ARRIVAL_STEADY)
            raise_after_draining(f, now_ns);
        else if (usage == INTER_ARRIVAL_OVER_USING) {
            if (!inter_arrival_states_delay(&f->states, now_ns)) return;
            lower_by_delay(f, now_ns);
        }
    }
    f->usage = usage;
}

static void sent(void *state, const struct congestion_sent *sent) {
    struct flow *f = state;
    if (f->probing && sent->in_flight_bytes == 0) inter_arrival_probe_restart(&f->probe);
    rate_meter_add(&f->sending, sent->now_ns, sent->bytes);
}

static void take_rtt(struct flow *f, const struct congestion_rtt *rtt) {
    const double sample_s = (double)rtt->latest_ns / 1e9;
    f->rtt_s = f->min_rtt_ns == 0 ? sample_s : (3 * f->rtt_s + sample_s) / 4;
    f->min_rtt_ns = rtt->min_ns;
    f->states.rtt_ns = (uint64_t)(f->rtt_s * 1e9);
}

static void acked(void *state, const struct congestion_acked *acked) {
    struct flow *f = state;
    struct arrival newest;
    if (acked->rtt.latest_ns > 0) take_rtt(f, &acked->rtt);
    if (!arrival_of(acked, f->newest_sent_ns, &newest)) return;
    f->newest_sent_ns = newest.sent_ns;
    inter_arrival_channel_acked(&f->channel, &newest, acked_bytes(acked));
    if (f->probing) {
        inter_arrival_probe_acked(&f->probe, &newest, acked->packet_count, acked_bytes(acked));
        end_probe(f, acked->now_ns);
        return;
    }
    inter_arrival_detector_add(&f->detector, &newest);
    if (f->states.state == INTER_ARRIVAL_PACKET_LOSS || f->states.state == INTER_ARRIVAL_COMPETING_TCP)
        raise_by_ramp(f, acked->now_ns);
    else
        go_by_delay(f, acked->now_ns);
}

static void lost(void *state, const struct congestion_lost *lost) {
    struct flow *f = state;
    if (lost->packet_count == 0) return;
    inter_arrival_channel_lost(&f->channel);
    if (f->probing)
        inter_arrival_probe_lost(&f->probe, lost->packet_count);
    else if (inter_arrival_states_loss(&f->states, lost->now_ns))
        lower(f, lost->now_ns, KEPT_AFTER_LOSS * f->rate);
}

static void window(const void *state, struct congestion_window *out) {
    const struct flow *f = state;
    *out = (struct congestion_window){
        .window_bytes = f->probing ? (uint64_t)(INTER_ARRIVAL_PROBE_PACKETS * f->packet_bytes)
                                   : rate_based_window(8 * f->rate, f->min_rtt_ns, f->packet_bytes),
        .ssthresh_bytes = f->probing ? UINT64_MAX : f->start_window,
        .pacing_bps = (uint64_t)(8 * f->rate),
        .phase = f->probing ? CONGESTION_SLOW_START : CONGESTION_AVOIDANCE,
    };
}

const struct congestion_controller inter_arrival = {
    .name = "inter-arrival-2013",
    .open = open_path,
    .sent = sent,
    .acked = acked,
    .lost = lost,
    .window = window,
    .close = free,
    .wants_single_acks = true,
};
