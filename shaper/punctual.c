// The lead follows the lateness that three of four wake-ups stay below: up a little at each that was later,
// down a third of that at each that was not. One very late wake-up moves it no more than any other.
#include "shaper/punctual.h"

static const uint64_t step_ns = 1000;
static const uint64_t max_lead_ns = 150000;
static const uint64_t max_credit_ns = 2000000;
static const uint64_t awake_share = 32; // one part in so many

void punctual_open(struct punctual *punctual, uint64_t now_ns) {
    *punctual = (struct punctual){.lead_ns = 20000, .credit_ns = max_credit_ns, .credited_ns = now_ns};
}

uint64_t punctual_timer_ns(const struct punctual *punctual, uint64_t due_ns) {
    uint64_t lead_ns = punctual->credit_ns >= punctual->lead_ns ? punctual->lead_ns : 0;
    return due_ns > lead_ns ? due_ns - lead_ns : due_ns;
}

uint64_t punctual_woke(struct punctual *punctual, uint64_t timer_ns, uint64_t due_ns, uint64_t now_ns) {
    punctual->credit_ns += (now_ns - punctual->credited_ns) / awake_share;
    punctual->credited_ns = now_ns;
    if (punctual->credit_ns > max_credit_ns) punctual->credit_ns = max_credit_ns;

    if (now_ns > timer_ns + punctual->lead_ns)
        punctual->lead_ns += punctual->lead_ns + step_ns < max_lead_ns ? step_ns : 0;
    else
        punctual->lead_ns -= punctual->lead_ns > step_ns / 3 ? step_ns / 3 : 0;

    uint64_t wait_ns = due_ns > now_ns ? due_ns - now_ns : 0;
    if (wait_ns > punctual->credit_ns || wait_ns > max_lead_ns) return 0;
    punctual->credit_ns -= wait_ns;
    return wait_ns;
}
