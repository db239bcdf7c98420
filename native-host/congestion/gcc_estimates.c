// Equations and constants of each part stand before it.
#include "congestion/gcc_estimates.h"

#include <math.h>

// ---- Filter. Equations, i counting groups, T departures, t arrivals:
//   d(i) = t(i) - t(i-1) - (T(i) - T(i-1));  z(i) = d(i) - m(i-1)
//   k(i) = (e(i-1) + q) / (var_v(i) + e(i-1) + q);  m(i) = m(i-1) + k(i) z(i);  e(i) = (1 - k(i)) (e(i-1) +
//   q) var_v(i) = max(alpha var_v(i-1) + (1 - alpha) z(i)^2, 1), z there within 3 sqrt(var_v) alpha = (1 -
//   chi)^(30 / (1000 f_max)), f_max the most groups per millisecond among the last 60
// Constants of the draft: q = 0.001, e(0) = 0.1. Chosen within what it leaves open: chi = 0.01 (0.1 to
// 0.001), var_v(0) = 1, its floor, and 60 for its K.

static const uint64_t BURST_NS = 5 * 1000 * 1000;
static const double Q = 1e-3;
static const double E_0 = 0.1;
static const double CHI = 0.01;
static const double VAR_V_LEAST = 1;
static const double OUTLIER = 3;
static const double REFERENCE_RATE = 30; // groups per second at which chi counts once for each

static double ms_between(uint64_t from_ns, uint64_t to_ns) {
    return ((double)to_ns - (double)from_ns) / 1e6;
}

static bool belongs(const struct gcc_group *group, const struct arrival *packet) {
    if (packet->sent_ns - group->first_sent_ns <= BURST_NS) return true;
    const double gap_ms = ms_between(group->arrived_ns, packet->arrived_ns);
    return gap_ms < (double)BURST_NS / 1e6 && gap_ms - ms_between(group->sent_ns, packet->sent_ns) < 0;
}

bool gcc_groups_add(struct gcc_groups *groups, const struct arrival *packet, struct gcc_variation *out) {
    struct gcc_group *current = &groups->current;
    if (groups->count > 0 && belongs(current, packet)) {
        current->sent_ns = packet->sent_ns;
        current->arrived_ns = packet->arrived_ns;
        return false;
    }
    const bool compares = groups->count >= 2;
    if (compares) {
        const double sent_gap_ms = ms_between(groups->previous.sent_ns, current->sent_ns);
        const double arrival_gap_ms = ms_between(groups->previous.arrived_ns, current->arrived_ns);
        *out = (struct gcc_variation){
            .arrived_ns = current->arrived_ns,
            .sent_gap_ms = sent_gap_ms,
            .d_ms = arrival_gap_ms - sent_gap_ms,
        };
    }
    groups->previous = *current;
    *current = (struct gcc_group){packet->sent_ns, packet->sent_ns, packet->arrived_ns};
    groups->count++;
    return compares;
}

void gcc_filter_init(struct gcc_filter *filter) {
    *filter = (struct gcc_filter){.e = E_0, .var_v = VAR_V_LEAST};
}

static double least_gap_ms(const struct gcc_filter *f) {
    double least = INFINITY;
    for (uint64_t i = 0; i < GCC_GAPS && i < f->count; i++)
        least = fmin(least, f->sent_gaps_ms[i]);
    return least;
}

void gcc_filter_update(struct gcc_filter *filter, double d_ms, double sent_gap_ms) {
    filter->sent_gaps_ms[filter->count++ % GCC_GAPS] = sent_gap_ms;
    const double z = d_ms - filter->m_ms;
    const double most = OUTLIER * sqrt(filter->var_v);
    const double within = fmax(-most, fmin(z, most));
    const double alpha = pow(1 - CHI, REFERENCE_RATE * least_gap_ms(filter) / 1000);
    filter->var_v = fmax(alpha * filter->var_v + (1 - alpha) * within * within, VAR_V_LEAST);
    const double e = filter->e + Q;
    const double k = e / (filter->var_v + e);
    filter->m_ms += z * k;
    filter->e = (1 - k) * e;
}

// ---- Detector. Equations, M(i) = min(i, 60) m(i):
//   over-use: M(i) > th(i-1) for 10 ms or more, and m(i) >= m(i-1); under-use: M(i) < -th(i-1)
//   th(i) = th(i-1) + (t(i) - t(i-1)) K (|M(i)| - th(i-1)), K = K_d if |M(i)| < th(i-1), else K_u; within 6
//   to 600 ms; unchanged where |M(i)| - th(i-1) > 15 ms
// Constants of the draft: th(0) = 12.5 ms, K_u = 0.01, K_d = 0.00018 (per ms).
//
// Not the draft's: the factor min(i, 60). The draft compares m itself, but its constants are those of the
// code that it describes (WebRTC's), which multiplies so. Groups are 5 ms apart: without the factor a queue
// would have to grow by 12.5 ms in 5 ms. A step of the threshold counts at most 100 ms, as in that code: with
// K_u, longer gaps would overshoot.

static const double THRESHOLD_0_MS = 12.5, THRESHOLD_LEAST_MS = 6, THRESHOLD_MOST_MS = 600;
static const double K_U = 0.01, K_D = 0.00018;
static const double TOO_FAR_MS = 15;
static const double STEP_MOST_MS = 100;
static const uint64_t OVER_USE_NS = 10 * 1000 * 1000;
enum { FACTOR_MOST = 60 };

void gcc_detector_init(struct gcc_detector *detector) {
    *detector = (struct gcc_detector){.threshold_ms = THRESHOLD_0_MS};
}

static void adapt(struct gcc_detector *d, double magnitude_ms, uint64_t arrived_ns) {
    if (d->count < 2 || magnitude_ms - d->threshold_ms > TOO_FAR_MS) return;
    const double passed_ms = arrived_ns > d->last_ns ? (double)(arrived_ns - d->last_ns) / 1e6 : 0;
    const double gain = magnitude_ms < d->threshold_ms ? K_D : K_U;
    d->threshold_ms += fmin(passed_ms, STEP_MOST_MS) * gain * (magnitude_ms - d->threshold_ms);
    d->threshold_ms = fmin(fmax(d->threshold_ms, THRESHOLD_LEAST_MS), THRESHOLD_MOST_MS);
}

enum gcc_signal gcc_detector_update(struct gcc_detector *detector, double m_ms, uint64_t arrived_ns) {
    detector->count++;
    const double factor = detector->count < FACTOR_MOST ? (double)detector->count : FACTOR_MOST;
    const double scaled_ms = factor * m_ms;
    enum gcc_signal signal = GCC_NORMAL;
    const bool over = scaled_ms > detector->threshold_ms;
    if (over && !detector->over) detector->over_since_ns = arrived_ns;
    if (over && arrived_ns >= detector->over_since_ns + OVER_USE_NS && m_ms >= detector->last_m_ms)
        signal = GCC_OVER_USE;
    if (scaled_ms < -detector->threshold_ms) signal = GCC_UNDER_USE;
    detector->over = over;
    adapt(detector, fabs(scaled_ms), arrived_ns);
    detector->last_m_ms = m_ms;
    if (arrived_ns > detector->last_ns) detector->last_ns = arrived_ns;
    return signal;
}

// ---- Rates. Equations, R the incoming rate, dt the seconds since the last update:
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
