// Both quantiles follow their samples: up a little at each that was higher, down a little at each that was
// not, in the ratio of their odds (3 to 1 for three of four). One very late wake-up moves them no more than
// any other.
#include "shaper/punctual.h"

static const uint64_t max_lead_ns = 150000;
static const uint64_t max_credit_ns = 4000000;
static const uint64_t awake_share = 16; // one part in so many

// The budget: a fifth of a core, for timers' wake-ups and for packets, at what they cost on a virtual machine
// of two cores: some six thousand packets a second that are each on time. (A fourteenth kept a link of 100
// Mbit/s below 8 % of a core, but made packets of 2000 a second each way late by 0.3 ms in the mean.) What
// was not used may be used later, but no more than a moment's.
static const uint64_t share = 5;
static const uint64_t wake_cost_ns = 25000, packet_cost_ns = 5500;
static const uint64_t saved_ns = 20000000;

void punctual_open(struct punctual *punctual, uint64_t now_ns) {
    *punctual = (struct punctual){
        .lead_ns = 40000, .wake_ns = 20000, .credit_ns = max_credit_ns, .credited_ns = now_ns};
}

uint64_t punctual_timer_ns(const struct punctual *punctual, uint64_t due_ns) {
    uint64_t lead_ns = punctual->credit_ns >= punctual->lead_ns ? punctual->lead_ns : 0;
    uint64_t timer_ns = due_ns > lead_ns ? due_ns - lead_ns : due_ns;
    uint64_t spaced_ns = punctual->paced_ns > saved_ns ? punctual->paced_ns - saved_ns : 0;
    if (spaced_ns > punctual->woke_ns + PUNCTUAL_GAP_NS) spaced_ns = punctual->woke_ns + PUNCTUAL_GAP_NS;
    return timer_ns > spaced_ns ? timer_ns : spaced_ns;
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
    if (punctual->paced_ns < now_ns) punctual->paced_ns = now_ns;
    if (punctual->paced_ns > now_ns + saved_ns + PUNCTUAL_GAP_NS)
        punctual->paced_ns = now_ns + saved_ns + PUNCTUAL_GAP_NS;
    punctual->paced_ns += wake_cost_ns * share;
    punctual->woke_ns = now_ns;

    uint64_t wait_ns = due_ns > now_ns ? due_ns - now_ns : 0;
    if (wait_ns > punctual->credit_ns || wait_ns > max_lead_ns) return 0;
    punctual->credit_ns -= wait_ns;
    return wait_ns;
}

void punctual_wrote(struct punctual *punctual, uint64_t packets) {
    punctual->paced_ns += packets * packet_cost_ns * share;
}

bool punctual_busy(const struct punctual *punctual, uint64_t now_ns) {
    return punctual->paced_ns > now_ns + saved_ns;
}

uint64_t punctual_arrived_ns(const struct punctual *punctual, uint64_t idle_ns, uint64_t now_ns) {
    uint64_t slept_ns = now_ns - idle_ns;
    return now_ns - (slept_ns < punctual->wake_ns ? slept_ns : punctual->wake_ns);
}

uint64_t punctual_found_ns(uint64_t idle_ns, uint64_t now_ns) {
    return now_ns - (now_ns - idle_ns) / 2;
}
