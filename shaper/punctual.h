// Being on time although the kernel wakes us up some 20 to 100 us late: timers are set earlier by as much as
// they are late as a rule, and what is left until the due time is waited out awake. Does not wait awake for
// more than a small share of the time: a busy link's packets may be late instead.
#ifndef TRILANE_SHAPER_PUNCTUAL_H
#define TRILANE_SHAPER_PUNCTUAL_H

#include <stdint.h>

struct punctual {
    uint64_t lead_ns;   // how much earlier timers are set
    uint64_t credit_ns; // how long we may wait awake
    uint64_t credited_ns;
};

void punctual_open(struct punctual *punctual, uint64_t now_ns);

// What to set the timer to for something due at due_ns.
uint64_t punctual_timer_ns(const struct punctual *punctual, uint64_t due_ns);

// A timer set to timer_ns went off at now_ns: learns how late that was. Returns how long, from now_ns on, it
// is worth staying awake for something due at due_ns; 0 if it is due, or if our share of waiting awake is
// used up.
uint64_t punctual_woke(struct punctual *punctual, uint64_t timer_ns, uint64_t due_ns, uint64_t now_ns);

#endif
