// Being on time although the kernel wakes us up some 20 to 100 us late, within a budget of CPU time.
//
// Departures: timers are set earlier by as much as they are late as a rule, and what is left until the due
// time is waited out awake. Waiting awake takes no more than a small share of the time, and timers wake us no
// more often than that a busy link's packets leave several at a wake-up: they are late instead, by less than
// PUNCTUAL_GAP_NS.
//
// Arrivals: a packet that woke us up was there for as long as a wake-up takes. That is this path's only fixed
// cost that the emulated link's delay would not contain, and it is taken off: such a packet's arrival is set
// back by the median of what wake-ups by a timer take, which we can see. (What a packet takes through the two
// kernels before and after us is the machine's own, with or without a shaper.)
#ifndef TRILANE_SHAPER_PUNCTUAL_H
#define TRILANE_SHAPER_PUNCTUAL_H

#include <stdint.h>

#define PUNCTUAL_GAP_NS UINT64_C(200000)

struct punctual {
    uint64_t lead_ns;   // how much earlier timers are set: three of four wake-ups are quicker than this
    uint64_t wake_ns;   // what a wake-up takes in the median
    uint64_t credit_ns; // how long we may wait awake
    uint64_t credited_ns;
    uint64_t paced_ns; // where evenly spaced wake-ups would have come to by now
};

void punctual_open(struct punctual *punctual, uint64_t now_ns);

// What to set the timer to for something due at due_ns.
uint64_t punctual_timer_ns(const struct punctual *punctual, uint64_t due_ns);

// We slept until a timer set to timer_ns woke us, and it is now_ns: learns what that took.
void punctual_slept(struct punctual *punctual, uint64_t timer_ns, uint64_t now_ns);

// The timer went off, asleep or not. Returns how long, from now_ns on, it is worth staying awake for
// something due at due_ns; 0 if it is due, or if our share of waiting awake is used up.
uint64_t punctual_woke(struct punctual *punctual, uint64_t due_ns, uint64_t now_ns);

// When the packet arrived that we, idle since idle_ns, were woken up by and see at now_ns.
uint64_t punctual_arrived_ns(const struct punctual *punctual, uint64_t idle_ns, uint64_t now_ns);

#endif
