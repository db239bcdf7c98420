// Both quantiles follow their samples: up a little at each that was higher, down a little at each that was
// not, in the ratio of their odds (3 to 1 for three of four). One very late wake-up moves them no more than
// any other.
#include "shaper/punctual.h"

static const uint64_t max_lead_ns = 150000;
static const uint64_t max_credit_ns = 4000000;
static const uint64_t awake_share = 16; // one part in so many

// The budget, in parts of a core: a fifth is enough for 2000 packets a second each way, each on time, where a
// wake-up costs 25 us (a fourteenth made them late by 0.3 ms in the mean). While packets queue, a fourteenth
// keeps a link of 100 Mbit/s below 8 % of a core. The savings let a page of some megabytes through first.
static const int64_t share = 5, share_queued = 14;
static const int64_t max_saved_ns = 40000000;

void punctual_open(struct punctual *punctual, uint64_t now_ns) {
    *punctual = (struct punctual){.lead_ns = 40000,
                                  .wake_ns = 20000,
                                  .credit_ns = max_credit_ns,
                                  .credited_ns = now_ns,
                                  .saved_ns = max_saved_ns,
                                  .budgeted_ns = now_ns};
}

uint64_t punctual_timer_ns(const struct punctual *punctual, uint64_t due_ns) {
    uint64_t lead_ns = punctual->credit_ns >= punctual->lead_ns ? punctual->lead_ns : 0;
    uint64_t timer_ns = due_ns > lead_ns ? due_ns - lead_ns : due_ns;
    uint64_t paced_ns = punctual->paced_ns, latest_ns = punctual->woke_ns + PUNCTUAL_GAP_NS;
    if (paced_ns > latest_ns) paced_ns = latest_ns;
    return timer_ns > paced_ns ? timer_ns : paced_ns;
}

static uint64_t followed(uint64_t quantile_ns, uint64_t sample_ns, uint64_t up, uint64_t down) {
    uint64_t step_ns = quantile_ns / 64 + 100;
    if (sample_ns > quantile_ns) return quantile_ns + step_ns * up;
    return quantile_ns > step_ns * down ? quantile_ns - step_ns * down : quantile_ns;
}

void punctual_slept(struct punctual *punctual, uint64_t timer_ns, uint64_t now_ns) {
    uint64_t late_ns = now_ns > timer_ns ? now_ns - timer_ns : 0;
    punctual->lead_ns = followed(punctual->lead_ns, late_ns, 3, 1);
    if (punctual->lead_ns > max_lead_ns) punctual->lead_ns = max_lead_ns;
    punctual->wake_ns = followed(punctual->wake_ns, late_ns, 1, 1);
    if (punctual->wake_ns > max_lead_ns) punctual->wake_ns = max_lead_ns;
}

uint64_t punctual_woke(struct punctual *punctual, uint64_t due_ns, uint64_t now_ns) {
    punctual->credit_ns += (now_ns - punctual->credited_ns) / awake_share;
    punctual->credited_ns = now_ns;
    if (punctual->credit_ns > max_credit_ns) punctual->credit_ns = max_credit_ns;
    punctual->woke_ns = now_ns;

    uint64_t wait_ns = due_ns > now_ns ? due_ns - now_ns : 0;
    if (wait_ns > punctual->credit_ns || wait_ns > max_lead_ns || punctual->saved_ns < 0) return 0;
    punctual->credit_ns -= wait_ns;
    return wait_ns;
}

void punctual_spent(struct punctual *punctual, uint64_t spent_ns, bool queued, uint64_t now_ns) {
    int64_t parts = queued ? share_queued : share;
    punctual->saved_ns += (int64_t)(now_ns - punctual->budgeted_ns) / parts;
    if (punctual->saved_ns > max_saved_ns) punctual->saved_ns = max_saved_ns;
    punctual->saved_ns -= (int64_t)(spent_ns - punctual->spent_ns);
    punctual->spent_ns = spent_ns;
    punctual->budgeted_ns = now_ns;
    punctual->paced_ns = 0;
    if (punctual->saved_ns >= 0) return;

    // What a gap cannot make up for is forgiven: it would hold back packets that come long after.
    const int64_t gap_ns = (int64_t)PUNCTUAL_GAP_NS;
    if (punctual->saved_ns < -gap_ns / parts) punctual->saved_ns = -gap_ns / parts;
    punctual->paced_ns = now_ns + (uint64_t)(-punctual->saved_ns * parts);
}

bool punctual_busy(const struct punctual *punctual, uint64_t now_ns) {
    return punctual->paced_ns > now_ns;
}

uint64_t punctual_arrived_ns(const struct punctual *punctual, uint64_t idle_ns, uint64_t now_ns) {
    uint64_t slept_ns = now_ns - idle_ns;
    return now_ns - (slept_ns < punctual->wake_ns ? slept_ns : punctual->wake_ns);
}

uint64_t punctual_found_ns(uint64_t idle_ns, uint64_t now_ns) {
    return now_ns - (now_ns - idle_ns) / 2;
}
