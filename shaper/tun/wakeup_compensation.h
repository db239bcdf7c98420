// Being on time although the kernel wakes us up some 20 to 100 us late, within a budget of CPU time.
//
// Departures: timers are set earlier by as much as they are late as a rule, and what is left until the due
// time is waited out awake, for no more than a small share of the time.
//
// Arrivals: a packet that woke us up was there for as long as a wake-up takes. That is this path's only fixed
// cost that the emulated link's delay would not contain, and it is taken off: such a packet's arrival is set
// back by the median of what wake-ups by a timer take, which we can see. (What a packet takes through the two
// kernels before and after us is the machine's own, with or without a shaper.)
//
// Budget: going to sleep and being woken up costs as much CPU time as several packets. Each packet gets a
// wake-up of its own while our CPU time stays within a share of a core: a large one as long as no packet
// waits for the link's rate, since each packet's own time matters then; a small one, after a
// moment that the savings of a quiet time pay for, while packets queue for it. Beyond that wake-ups are
// spaced, at the most by WAKEUP_COMPENSATION_GAP_NS, and packets are late by less than that; rates stay
// exact, since departures are reckoned in virtual time. Arrivals do not wake us then: they are looked for at
// the next wake-up, and count as arrived halfway since the last.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define WAKEUP_COMPENSATION_GAP_NS UINT64_C(1000000)

struct wakeup_compensation {
    uint64_t lead_ns;   // how much earlier timers are set: three of four wake-ups are quicker than this
    uint64_t wake_ns;   // what a wake-up takes in the median
    uint64_t credit_ns; // how long we may wait awake
    uint64_t credited_ns;
    int64_t saved_ns;     // CPU time of the budget that is not used yet; below 0: overdrawn
    uint64_t budgeted_ns; // up to when the budget was reckoned
    uint64_t spent_ns;    // CPU time up to then
    uint64_t paced_ns;    // until then only a timer should wake us: the budget is used up
    uint64_t woke_ns;     // when a timer last went off
};

void wakeup_compensation_open(struct wakeup_compensation *wakeup_compensation, uint64_t now_ns);

// What to set the timer to for something due at due_ns.
uint64_t wakeup_compensation_timer_ns(const struct wakeup_compensation *wakeup_compensation, uint64_t due_ns);

// We slept until a timer set to timer_ns woke us, and it is now_ns: learns what that took.
void wakeup_compensation_slept(struct wakeup_compensation *wakeup_compensation, uint64_t timer_ns,
                               uint64_t now_ns);

// The timer went off, asleep or not. Returns how long, from now_ns on, it is worth staying awake for
// something due at due_ns; 0 if it is due, or if a budget is used up.
uint64_t wakeup_compensation_woke(struct wakeup_compensation *wakeup_compensation, uint64_t due_ns,
                                  uint64_t now_ns);

// Our CPU time so far is spent_ns. Queued: packets are waiting for a link's rate.
void wakeup_compensation_spent(struct wakeup_compensation *wakeup_compensation, uint64_t spent_ns,
                               bool queued, uint64_t now_ns);

// Is the budget used up, so that only timers should wake us?
bool wakeup_compensation_busy(const struct wakeup_compensation *wakeup_compensation, uint64_t now_ns);

// When the packet arrived that we, idle since idle_ns, were woken up by and see at now_ns; or, not woken up
// by it, found at now_ns.
uint64_t wakeup_compensation_arrived_ns(const struct wakeup_compensation *wakeup_compensation,
                                        uint64_t idle_ns, uint64_t now_ns);
uint64_t wakeup_compensation_found_ns(uint64_t idle_ns, uint64_t now_ns);
