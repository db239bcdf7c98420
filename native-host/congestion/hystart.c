// Constants and steps are those of RFC 9406, 4.2 and 4.3, without the limit L, which is for senders that do
// not pace.
#include "congestion/hystart.h"

static const uint64_t MIN_RTT_THRESH_NS = 4 * 1000 * 1000;
static const uint64_t MAX_RTT_THRESH_NS = 16 * 1000 * 1000;
enum { MIN_RTT_DIVISOR = 8, N_RTT_SAMPLE = 8, CSS_ROUNDS = 5 };

void hystart_init(struct hystart *hystart) {
    *hystart = (struct hystart){.round_min_ns = UINT64_MAX, .last_round_min_ns = UINT64_MAX};
}

static bool is_slower(const struct hystart *h) {
    if (h->last_round_min_ns == UINT64_MAX) return false;
    uint64_t threshold_ns = h->last_round_min_ns / MIN_RTT_DIVISOR;
    if (threshold_ns > MAX_RTT_THRESH_NS) threshold_ns = MAX_RTT_THRESH_NS;
    if (threshold_ns < MIN_RTT_THRESH_NS) threshold_ns = MIN_RTT_THRESH_NS;
    return h->round_min_ns >= h->last_round_min_ns + threshold_ns;
}

static void judge(struct hystart *h) {
    if (h->samples < N_RTT_SAMPLE) return;
    if (h->phase == HYSTART_SLOW_START && is_slower(h)) {
        h->phase = HYSTART_CONSERVATIVE;
        h->baseline_ns = h->round_min_ns;
        h->conservative_rounds = 0;
    } else if (h->phase == HYSTART_CONSERVATIVE && h->round_min_ns < h->baseline_ns) {
        h->phase = HYSTART_SLOW_START; // the delay was not the queue's
    }
}

static void begin_round(struct hystart *h, uint64_t now_ns) {
    if (h->phase == HYSTART_CONSERVATIVE && ++h->conservative_rounds >= CSS_ROUNDS) h->phase = HYSTART_DONE;
    h->last_round_min_ns = h->round_min_ns;
    h->round_min_ns = UINT64_MAX;
    h->samples = 0;
    h->round_end_ns = now_ns;
}

void hystart_acked(struct hystart *hystart, uint64_t now_ns, uint64_t sent_ns) {
    if (hystart->phase == HYSTART_DONE) return;
    if (sent_ns > hystart->round_end_ns) begin_round(hystart, now_ns);
    if (now_ns - sent_ns < hystart->round_min_ns) hystart->round_min_ns = now_ns - sent_ns;
    hystart->samples++;
    judge(hystart);
}

void hystart_lost(struct hystart *hystart) {
    hystart->phase = HYSTART_DONE;
}
