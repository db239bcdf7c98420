// Equations, R the incoming rate, dt the seconds since the last update:
//   states: over-use -> Decrease; under-use -> Hold; normal: Decrease -> Hold, Hold -> Increase
//   Increase, multiplicative: A = 1.08^min(dt, 1) A
//   Increase, additive, where R is within 3 sigma of the mean incoming rate at decreases (exponential
//   average,
//     0.95): A = A + max(1000, 0.5 min(1000 dt / (100 + RTT in ms), 1) s), s the bits of a packet: of A / 30,
//     divided into packets of at most 1200 bytes; above 3 sigma the mean is forgotten
//   an increase ends at 1.5 R
//   Decrease: A = 0.85 R
//   by loss: p > 0.1: (1 - 0.5 p) As; p < 0.02: 1.05 As; else As
// Chosen where the draft leaves it open, as WebRTC's code does: sigma^2 is between 0.4 and 2.5 kbit/s times
// the mean; a decrease never raises; 1.5 R ends increases but reduces nothing.
#include "congestion/gcc_rate.h"

#include <math.h>

static const double ETA = 1.08;
static const double BETA = 0.85;
static const double SMOOTHING = 0.95;
static const double CLOSE = 3; // standard deviations
static const double VARIANCE_LEAST = 400, VARIANCE_MOST = 2500;
static const double REACTION_MS = 100;
static const double STEP_LEAST_BPS = 1000;
static const double INCOMING_FACTOR = 1.5;
static const double FRAMES_PER_SECOND = 30, PACKET_BITS_MOST = 1200 * 8;

static enum gcc_state next_state(enum gcc_state state, enum gcc_signal signal) {
    if (signal == GCC_OVER_USE) return GCC_DECREASE;
    if (signal == GCC_UNDER_USE) return GCC_HOLD;
    return state == GCC_DECREASE ? GCC_HOLD : GCC_INCREASE;
}

static double packet_bits(double bps) {
    const double frame_bits = bps / FRAMES_PER_SECOND;
    return frame_bits / ceil(frame_bits / PACKET_BITS_MOST);
}

static double sigma(const struct gcc_rate *r) {
    const double least = VARIANCE_LEAST * r->average_bps, most = VARIANCE_MOST * r->average_bps;
    return sqrt(fmin(fmax(r->variance, least), most));
}

static double increased(struct gcc_rate *r, const struct gcc_feedback *feedback) {
    const double incoming = feedback->incoming_bps, dt_s = (double)(feedback->now_ns - r->updated_ns) / 1e9;
    if (r->has_average && incoming > r->average_bps + CLOSE * sigma(r)) r->has_average = false;
    if (r->has_average && incoming >= r->average_bps - CLOSE * sigma(r)) {
        const double alpha = 0.5 * fmin(1000 * dt_s / (REACTION_MS + feedback->rtt_ms), 1);
        return r->bps + fmax(STEP_LEAST_BPS, alpha * packet_bits(r->bps));
    }
    return r->bps * pow(ETA, fmin(dt_s, 1));
}

static void remember(struct gcc_rate *r, double incoming_bps) {
    if (!r->has_average) {
        r->has_average = true;
        r->average_bps = incoming_bps;
        r->variance = 0;
        return;
    }
    const double apart = incoming_bps - r->average_bps;
    r->average_bps += (1 - SMOOTHING) * apart;
    r->variance = SMOOTHING * r->variance + (1 - SMOOTHING) * apart * apart;
}

void gcc_rate_update(struct gcc_rate *rate, const struct gcc_feedback *feedback) {
    const double incoming = feedback->incoming_bps;
    rate->state = next_state(rate->state, feedback->signal);
    if (rate->state == GCC_INCREASE) {
        const double more = increased(rate, feedback);
        rate->bps = incoming > 0 ? fmax(rate->bps, fmin(more, INCOMING_FACTOR * incoming)) : more;
    } else if (rate->state == GCC_DECREASE) {
        rate->bps = fmin(rate->bps, BETA * (incoming > 0 ? incoming : rate->bps));
        if (incoming > 0) remember(rate, incoming);
    }
    rate->updated_ns = feedback->now_ns;
}

double gcc_rate_after_losses(double bps, uint64_t lost, uint64_t all) {
    const double p = (double)lost / (double)all;
    if (p > 0.1) return bps * (1 - 0.5 * p);
    return p < 0.02 ? 1.05 * bps : bps;
}
