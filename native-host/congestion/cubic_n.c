// CUBIC as N flows.
//
// Sources: RFC 9438 (CUBIC), whose names stand here; RFC 9002, 7 and appendix B (QUIC's loss and recovery);
// RFC 9406 (HyStart++); and Chromium's CUBIC, whose emulation of N connections was QUIC's default with N = 2
// when Carlucci et al. measured it (2015) and until 2017. With N = 1 every factor below is RFC 9438's.
//
// Equations, with windows in packets, times in seconds, b of N flows of which one loses:
//   beta_N  = (N - 1 + 0.7) / N                         0.7, 0.85, 0.9, 0.925
//   alpha_N = 3 N^2 (1 - beta_N) / (1 + beta_N)         0.529, 0.973, 1.421, 1.870
//   W_cubic(t) = C (t - K)^3 + W_max, K = cbrt((W_max - cwnd_epoch) / C), C = 0.4
//   for each packet acknowledged: target = W_cubic(t + smoothed RTT), within 1 to 1.5 times cwnd;
//     W_est += alpha / cwnd; cwnd = W_est if W_cubic(t) < W_est, else cwnd += (target - cwnd) / cwnd
//   loss: W_max = cwnd, or cwnd (1 + beta_N) / 2 if cwnd < W_max (fast convergence);
//     cwnd = ssthresh = beta_N cwnd, at least 2
//   alpha is alpha_N until W_est is where cwnd was before the loss, then N, which is Reno's 1 for each flow.
// The epoch, t = 0, begins with the first acknowledgement of a packet that was sent after the loss was
// noticed. t excludes times in which the application limits, and idle ones.
//
// Faithful: the above; slow start with HyStart++; persistent congestion (window of 2 packets, then slow
// start; the next epoch has K = 0). Not here: PRR (the window falls at once, as RFC 9002 has it), the
// optional rollback after a spurious loss (4.9), ECN (quiche reports none). Chromium never went on with N in
// place of alpha_N, had another HyStart, and PRR.
#include "congestion/cubic_n.h"

#include "congestion/congestion.h"

#include <math.h>
#include <stdlib.h>

// ---- HyStart++ (RFC 9406, 4.2 and 4.3), without the limit L, which is for senders that do not pace: leaves
// the first slow start when round trips grow longer, before packets are lost. Rounds end by the time at which
// packets were sent, not by their numbers, which differ between packet number spaces.

// Of what slow start would add, what conservative slow start adds.
enum { HYSTART_GROWTH_DIVISOR = 4 };

enum hystart_phase { HYSTART_SLOW_START, HYSTART_CONSERVATIVE, HYSTART_DONE };

struct hystart {
    enum hystart_phase phase;
    uint64_t round_end_ns; // a packet sent after it, acknowledged, ends the round
    uint64_t round_min_ns; // UINT64_MAX: no sample
    uint64_t last_round_min_ns;
    uint64_t baseline_ns;
    uint32_t samples;
    uint32_t conservative_rounds;
};

static const uint64_t MIN_RTT_THRESH_NS = 4 * 1000 * 1000;
static const uint64_t MAX_RTT_THRESH_NS = 16 * 1000 * 1000;
enum { MIN_RTT_DIVISOR = 8, N_RTT_SAMPLE = 8, CSS_ROUNDS = 5 };

static void hystart_init(struct hystart *hystart) {
    *hystart = (struct hystart){.round_min_ns = UINT64_MAX, .last_round_min_ns = UINT64_MAX};
}

static bool is_slower(const struct hystart *h) {
    if (h->last_round_min_ns == UINT64_MAX) return false;
    uint64_t threshold_ns = h->last_round_min_ns / MIN_RTT_DIVISOR;
    if (threshold_ns > MAX_RTT_THRESH_NS) threshold_ns = MAX_RTT_THRESH_NS;
    if (threshold_ns < MIN_RTT_THRESH_NS) threshold_ns = MIN_RTT_THRESH_NS;
    return h->round_min_ns >= h->last_round_min_ns + threshold_ns;
}

static void hystart_judge(struct hystart *h) {
    if (h->samples < N_RTT_SAMPLE) return;
    if (h->phase == HYSTART_SLOW_START && is_slower(h)) {
        h->phase = HYSTART_CONSERVATIVE;
        h->baseline_ns = h->round_min_ns;
        h->conservative_rounds = 0;
    } else if (h->phase == HYSTART_CONSERVATIVE && h->round_min_ns < h->baseline_ns) {
        h->phase = HYSTART_SLOW_START; // the delay was not the queue's
    }
}

static void hystart_begin_round(struct hystart *h, uint64_t now_ns) {
    if (h->phase == HYSTART_CONSERVATIVE && ++h->conservative_rounds >= CSS_ROUNDS) h->phase = HYSTART_DONE;
    h->last_round_min_ns = h->round_min_ns;
    h->round_min_ns = UINT64_MAX;
    h->samples = 0;
    h->round_end_ns = now_ns;
}

// An ACK at now_ns whose newest packet was sent at sent_ns. Slow start goes by `phase` afterwards; DONE is
// final.
static void hystart_acked(struct hystart *hystart, uint64_t now_ns, uint64_t sent_ns) {
    if (hystart->phase == HYSTART_DONE) return;
    if (sent_ns > hystart->round_end_ns) hystart_begin_round(hystart, now_ns);
    if (now_ns - sent_ns < hystart->round_min_ns) hystart->round_min_ns = now_ns - sent_ns;
    hystart->samples++;
    hystart_judge(hystart);
}

// ---- Persistent congestion (RFC 9002, 7.6): packets lost over more than three probe time-outs, and none
// between them acknowledged.

enum { PERSISTENT_THRESHOLD = 3 }; // kPersistentCongestionThreshold
static const uint64_t GRANULARITY_NS = 1000 * 1000;

static uint64_t persistent_ns(const struct congestion_rtt *rtt) {
    const uint64_t variation_ns = 4 * rtt->variation_ns;
    return PERSISTENT_THRESHOLD *
           (rtt->smoothed_ns + (variation_ns > GRANULARITY_NS ? variation_ns : GRANULARITY_NS) +
            rtt->max_ack_delay_ns);
}

// Whether `lost` establishes it. Only packets sent after first_sample_ns count, when the first round-trip
// time was measured; UINT64_MAX: none was yet. Losses of two calls are not put together.
static bool persistent_congestion(const struct congestion_lost *lost, uint64_t first_sample_ns) {
    const uint64_t least_ns = persistent_ns(&lost->rtt);
    const struct congestion_packet *first = NULL; // of those with no acknowledged one between
    for (uint64_t i = 0; i < lost->packet_count; i++) {
        const struct congestion_packet *packet = &lost->packets[i];
        if (packet->after_acked) first = NULL;
        if (!packet->ack_eliciting || packet->sent_ns <= first_sample_ns) continue;
        if (!first) first = packet;
        if (packet->sent_ns - first->sent_ns > least_ns) return true;
    }
    return false;
}

// ---- CUBIC

static const double BETA = 0.7;
static const double C = 0.4;
static const double TARGET_MOST = 1.5;
enum { MIN_WINDOW_PACKETS = 2 };

// Windows are bytes, fractions of them counted.
struct cubic {
    unsigned flows;
    double packet_bytes;
    double window;
    double ssthresh; // INFINITY: none yet
    double w_max;    // 0: the next epoch begins on its plateau
    double w_est;
    double window_prior; // when ssthresh was last set
    double k_s;
    bool in_epoch;
    uint64_t epoch_ns;
    uint64_t accounted_ns;    // of the time up to here, t excludes what it should
    uint64_t recovery_ns;     // loss was noticed; packets sent until then say nothing new
    bool in_recovery;         // none sent later is acknowledged yet
    uint64_t first_sample_ns; // UINT64_MAX: no round-trip time was measured yet
    struct hystart hystart;
};

double cubic_n_beta(unsigned flows) {
    return (flows - 1 + BETA) / flows;
}

double cubic_n_alpha(unsigned flows) {
    const double beta = cubic_n_beta(flows);
    return 3.0 * flows * flows * (1 - beta) / (1 + beta);
}

static void *open_path(const struct congestion_controller *controller, const struct congestion_start *start) {
    struct cubic *c = malloc(sizeof *c);
    if (!c) return NULL;
    *c = (struct cubic){
        .flows = controller->flows,
        .packet_bytes = (double)start->datagram_bytes,
        .window = (double)(start->datagram_bytes * start->initial_window_packets),
        .ssthresh = INFINITY,
        .first_sample_ns = UINT64_MAX,
    };
    hystart_init(&c->hystart);
    return c;
}

static void exclude_time(struct cubic *c, uint64_t now_ns) {
    if (c->in_epoch) c->epoch_ns += now_ns - c->accounted_ns;
    c->accounted_ns = now_ns;
}

static void sent(void *state, const struct congestion_sent *sent) {
    if (sent->bytes > 0 && sent->in_flight_bytes == 0) exclude_time(state, sent->now_ns);
}

static double w_cubic(const struct cubic *c, double t_s) {
    const double from_k = t_s - c->k_s;
    return C * from_k * from_k * from_k * c->packet_bytes + c->w_max;
}

static void begin_epoch(struct cubic *c, uint64_t now_ns) {
    c->in_epoch = true;
    c->epoch_ns = now_ns;
    if (c->w_max < c->window) c->w_max = c->window;
    c->k_s = cbrt((c->w_max - c->window) / c->packet_bytes / C);
    c->w_est = c->window;
}

static void grow_by_avoidance(struct cubic *c, double bytes, uint64_t now_ns, uint64_t smoothed_rtt_ns) {
    if (!c->in_epoch) begin_epoch(c, now_ns);
    const double t_s = (double)(now_ns - c->epoch_ns) / 1e9;
    const double alpha = c->w_est < c->window_prior ? cubic_n_alpha(c->flows) : c->flows;
    c->w_est += alpha * bytes / c->window * c->packet_bytes;
    if (w_cubic(c, t_s) < c->w_est) {
        c->window = fmax(c->window, c->w_est);
        return;
    }
    const double target = w_cubic(c, t_s + (double)smoothed_rtt_ns / 1e9);
    const double within = fmin(fmax(target, c->window), TARGET_MOST * c->window);
    c->window += (within - c->window) * bytes / c->window;
}

static void grow_by_slow_start(struct cubic *c, double bytes) {
    c->window += c->hystart.phase == HYSTART_CONSERVATIVE ? bytes / HYSTART_GROWTH_DIVISOR : bytes;
}

static void watch_delay(struct cubic *c, const struct congestion_acked *acked) {
    if (c->ssthresh < INFINITY || acked->packet_count == 0) return;
    hystart_acked(&c->hystart, acked->now_ns, acked->packets[acked->packet_count - 1].sent_ns);
    if (c->hystart.phase == HYSTART_DONE) c->ssthresh = c->window_prior = c->window;
}

static void acked(void *state, const struct congestion_acked *acked) {
    struct cubic *c = state;
    if (c->first_sample_ns == UINT64_MAX && acked->rtt.latest_ns > 0) c->first_sample_ns = acked->now_ns;
    if (acked->app_limited) exclude_time(c, acked->now_ns);
    c->accounted_ns = acked->now_ns;
    watch_delay(c, acked);
    for (uint64_t i = 0; i < acked->packet_count; i++) {
        if (acked->packets[i].sent_ns <= c->recovery_ns) continue;
        c->in_recovery = false;
        if (acked->app_limited) continue;
        const double bytes = (double)acked->packets[i].bytes;
        if (c->window < c->ssthresh)
            grow_by_slow_start(c, bytes);
        else
            grow_by_avoidance(c, bytes, acked->now_ns, acked->rtt.smoothed_ns);
    }
}

static void reduce(struct cubic *c, uint64_t now_ns) {
    const double beta = cubic_n_beta(c->flows);
    c->w_max = c->window < c->w_max ? c->window * (1 + beta) / 2 : c->window;
    c->window_prior = c->window;
    c->window = c->ssthresh = fmax(c->window * beta, MIN_WINDOW_PACKETS * c->packet_bytes);
    c->in_epoch = false;
    c->in_recovery = true;
    c->recovery_ns = now_ns;
    c->hystart.phase = HYSTART_DONE;
}

static void start_over(struct cubic *c) {
    c->window = MIN_WINDOW_PACKETS * c->packet_bytes;
    c->w_max = 0;
    c->in_recovery = false;
    c->recovery_ns = 0;
}

static void lost(void *state, const struct congestion_lost *lost) {
    struct cubic *c = state;
    if (lost->packet_count == 0) return;
    if (lost->packets[lost->packet_count - 1].sent_ns > c->recovery_ns) reduce(c, lost->now_ns);
    if (persistent_congestion(lost, c->first_sample_ns)) start_over(c);
}

static enum congestion_phase phase(const struct cubic *c) {
    if (c->in_recovery) return CONGESTION_RECOVERY;
    if (c->window >= c->ssthresh) return CONGESTION_AVOIDANCE;
    return c->hystart.phase == HYSTART_CONSERVATIVE ? CONGESTION_CONSERVATIVE_SLOW_START
                                                    : CONGESTION_SLOW_START;
}

static void window(const void *state, struct congestion_window *out) {
    const struct cubic *c = state;
    *out = (struct congestion_window){
        .window_bytes = (uint64_t)c->window,
        .ssthresh_bytes = c->ssthresh < INFINITY ? (uint64_t)c->ssthresh : UINT64_MAX,
        .phase = phase(c),
    };
}

#define OF(N)                                                                                                \
    {                                                                                                        \
        .name = "cubic-n" #N, .flows = N, .open = open_path, .sent = sent, .acked = acked, .lost = lost,     \
        .window = window, .close = free                                                                      \
    }
const struct congestion_controller cubic_n[CUBIC_N_MOST] = {OF(1), OF(2), OF(3), OF(4)};
