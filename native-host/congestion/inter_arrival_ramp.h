// How Inter-Arrival's rate grows: cubic in time, first about what is available, then about the channel. Rates
// are bytes per second. Virtual time.
#pragma once

#include <stdint.h>

struct inter_arrival_ramp {
    double rate;
    double available; // the plateau of the lower half
    double channel;   // of the upper half
    double halfway;   // between them
    double origin_s;  // from the epoch on, when the plateau is reached
    uint64_t epoch_ns, updated_ns;
};

// The rate falls or is first set. `available` counts as at least `rate`, `channel` as at least that.
void inter_arrival_ramp_reset(struct inter_arrival_ramp *ramp, uint64_t now_ns, double rate, double available,
                              double channel);
// A good estimate of the channel.
void inter_arrival_ramp_set_channel(struct inter_arrival_ramp *ramp, uint64_t now_ns, double channel);
// The rate is held now: time does not count until the next call of either.
void inter_arrival_ramp_hold(struct inter_arrival_ramp *ramp, uint64_t now_ns);
// The rate now. `sent`: what is sent, 0 if that is not known: no growth while twice of it is below the rate.
double inter_arrival_ramp_rate(struct inter_arrival_ramp *ramp, uint64_t now_ns, double sent);
