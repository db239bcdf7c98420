// Both quantiles follow their samples: up a little at each that was higher, down a little at each that was
// not, in the ratio of their odds (3 to 1 for three of four). One very late wake-up moves them no more than
// any other.
#include "shaper/tun/wakeup_compensation.h"

static const uint64_t max_lead_ns = 150000;
static const uint64_t max_credit_ns = 4000000;
static const uint64_t awake_share = 16; // one part in so many

// The budget, in parts of a core: a fifth is enough for 2000 packets a second each way, each on time, where a
// wake-up costs 25 us (a fourteenth made them late by 0.3 ms in the mean). While packets queue, a fourteenth
// keeps a link of 100 Mbit/s below 8 % of a core. The savings let a page of some megabytes through first.
static const int64_t share = 5, share_queued = 14;
static const int64_t max_saved_ns = 40000000;

void wakeup_compensation_open(struct wakeup_compensation *wakeup_compensation, uint64_t now_ns) {
    *wakeup_compensation = (struct wakeup_compensation){.lead_ns = 40000,
                                                        .wake_ns = 20000,
                                                        .credit_ns = max_credit_ns,
                                                        .credited_ns = now_ns,
                                                        .saved_ns = max_saved_ns,
                                                        .budgeted_ns = now_ns};
}

uint64_t wakeup_compensation_timer_ns(const struct wakeup_compensation *wakeup_compensation,
                                      uint64_t due_ns) {
    uint64_t lead_ns =
        wakeup_compensation->credit_ns >= wakeup_compensation->lead_ns ? wakeup_compensation->lead_ns : 0;
    uint64_t timer_ns = due_ns > lead_ns ? due_ns - lead_ns : due_ns;
    uint64_t paced_ns = wakeup_compensation->paced_ns,
             latest_ns = wakeup_compensation->woke_ns + WAKEUP_COMPENSATION_GAP_NS;
    if (paced_ns > latest_ns) paced_ns = latest_ns;
    return timer_ns > paced_ns ? timer_ns : paced_ns;
}

static uint64_t followed(uint64_t quantile_ns, uint64_t sample_ns, uint64_t up, uint64_t down) {
    uint64_t step_ns = quantile_ns / 64 + 100;
    if (sample_ns > quantile_ns) return quantile_ns + step_ns * up;
    return quantile_ns > step_ns * down ? quantile_ns - step_ns * down : quantile_ns;
}

void wakeup_compensation_slept(struct wakeup_compensation *wakeup_compensation, uint64_t timer_ns,
                               uint64_t now_ns) {
    uint64_t late_ns = now_ns > timer_ns ? now_ns - timer_ns : 0;
    wakeup_compensation->lead_ns = followed(wakeup_compensation->lead_ns, late_ns, 3, 1);
    if (wakeup_compensation->lead_ns > max_lead_ns) wakeup_compensation->lead_ns = max_lead_ns;
    wakeup_compensation->wake_ns = followed(wakeup_compensation->wake_ns, late_ns, 1, 1);
    if (wakeup_compensation->wake_ns > max_lead_ns) wakeup_compensation->wake_ns = max_lead_ns;
}

uint64_t wakeup_compensation_woke(struct wakeup_compensation *wakeup_compensation, uint64_t due_ns,
                                  uint64_t now_ns) {
    wakeup_compensation->credit_ns += (now_ns - wakeup_compensation->credited_ns) / awake_share;
    wakeup_compensation->credited_ns = now_ns;
    if (wakeup_compensation->credit_ns > max_credit_ns) wakeup_compensation->credit_ns = max_credit_ns;
    wakeup_compensation->woke_ns = now_ns;

    uint64_t wait_ns = due_ns > now_ns ? due_ns - now_ns : 0;
    if (wait_ns > wakeup_compensation->credit_ns || wait_ns > max_lead_ns ||
        wakeup_compensation->saved_ns < 0)
        return 0;
    wakeup_compensation->credit_ns -= wait_ns;
    return wait_ns;
}

void wakeup_compensation_spent(struct wakeup_compensation *wakeup_compensation, uint64_t spent_ns,
                               bool queued, uint64_t now_ns) {
    int64_t parts = queued ? share_queued : share;
    wakeup_compensation->saved_ns += (int64_t)(now_ns - wakeup_compensation->budgeted_ns) / parts;
    if (wakeup_compensation->saved_ns > max_saved_ns) wakeup_compensation->saved_ns = max_saved_ns;
    wakeup_compensation->saved_ns -= (int64_t)(spent_ns - wakeup_compensation->spent_ns);
    wakeup_compensation->spent_ns = spent_ns;
    wakeup_compensation->budgeted_ns = now_ns;
    wakeup_compensation->paced_ns = 0;
    if (wakeup_compensation->saved_ns >= 0) return;

    // What a gap cannot make up for is forgiven: it would hold back packets that come long after.
    const int64_t gap_ns = (int64_t)WAKEUP_COMPENSATION_GAP_NS;
    if (wakeup_compensation->saved_ns < -gap_ns / parts) wakeup_compensation->saved_ns = -gap_ns / parts;
    wakeup_compensation->paced_ns = now_ns + (uint64_t)(-wakeup_compensation->saved_ns * parts);
}

bool wakeup_compensation_busy(const struct wakeup_compensation *wakeup_compensation, uint64_t now_ns) {
    return wakeup_compensation->paced_ns > now_ns;
}

uint64_t wakeup_compensation_arrived_ns(const struct wakeup_compensation *wakeup_compensation,
                                        uint64_t idle_ns, uint64_t now_ns) {
    uint64_t slept_ns = now_ns - idle_ns;
    return now_ns - (slept_ns < wakeup_compensation->wake_ns ? slept_ns : wakeup_compensation->wake_ns);
}

uint64_t wakeup_compensation_found_ns(uint64_t idle_ns, uint64_t now_ns) {
    return now_ns - (now_ns - idle_ns) / 2;
}
