// Equations, constants and rules of each part stand before it.
#include "congestion/inter_arrival_detector.h"

#include <math.h>

// ---- Detector. Equations, x the gap between two arrivals less the gap between their departures, in
// microseconds:
//   mu = (49 mu + x) / 50; var = (49 var + (mu - x)^2) / 50, at least 10^4, at first 10^6; sigma = sqrt(var)
//   S = sum of x; D = the delay above the least one seen
//   from 10 samples on:
//   slope: steady while sigma > 14 |mu|; else over-use (mu > 0) or under-use
//   drift: steady while D < 7 sigma and |S| < 5 sigma; else over-use (S > 0) or under-use. Steady again, S is
//   0;
//     in under-use S gains sigma / 8 each time, so that a queue that was full at the start is forgotten
//   after over-use, draining until steady, while mu > 0 (slope) or S > 1 ms (drift)

static const double MEMORY = 50; // samples
static const double VARIANCE_0_US2 = 1e6, VARIANCE_LEAST_US2 = 1e4;
static const double SLOPE_FACTOR = 14, DRIFT_SIGMAS = 5, DELAY_SIGMAS = 7;
static const double DRAINED_US = 1000;
static const double FORGETTING = 8;
enum { SAMPLES_LEAST = 10 };

void inter_arrival_detector_init(struct inter_arrival_detector *detector) {
    *detector = (struct inter_arrival_detector){.variance_us2 = VARIANCE_0_US2, .least_offset_ns = INT64_MAX};
}

static void take_sample(struct inter_arrival_detector *d, double x_us) {
    d->samples++;
    d->mean_us = ((MEMORY - 1) * d->mean_us + x_us) / MEMORY;
    const double apart = d->mean_us - x_us;
    d->variance_us2 = fmax(((MEMORY - 1) * d->variance_us2 + apart * apart) / MEMORY, VARIANCE_LEAST_US2);
    d->sum_us += x_us;
}

void inter_arrival_detector_add(struct inter_arrival_detector *detector, const struct arrival *packet) {
    struct inter_arrival_detector *d = detector;
    const int64_t offset_ns = (int64_t)packet->arrived_ns - (int64_t)packet->sent_ns;
    if (offset_ns < d->least_offset_ns) d->least_offset_ns = offset_ns;
    d->delay_us = (double)(offset_ns - d->least_offset_ns) / 1e3;
    if (d->has_last) {
        const int64_t last_offset_ns = (int64_t)d->last.arrived_ns - (int64_t)d->last.sent_ns;
        take_sample(d, (double)(offset_ns - last_offset_ns) / 1e3);
    }
    d->last = *packet;
    d->has_last = true;
}

static void leave_steady(struct inter_arrival_judge *judge, bool over) {
    const enum inter_arrival_usage usage = over ? INTER_ARRIVAL_OVER_USING : INTER_ARRIVAL_UNDER_USING;
    if (judge->usage == usage) return;
    judge->usage = usage;
    judge->over_uses += over ? 1 : -1;
}

static void judge_slope(struct inter_arrival_detector *d, double sigma) {
    if (d->slope.over_uses > 0 && d->mean_us > 0)
        d->slope.usage = INTER_ARRIVAL_DRAINING;
    else if (sigma > SLOPE_FACTOR * fabs(d->mean_us))
        d->slope = (struct inter_arrival_judge){0};
    else
        leave_steady(&d->slope, d->mean_us > 0);
}

static void judge_drift(struct inter_arrival_detector *d, double sigma) {
    if (d->drift.over_uses > 0 && d->sum_us > DRAINED_US) {
        d->drift.usage = INTER_ARRIVAL_DRAINING;
        return;
    }
    if (DELAY_SIGMAS * sigma > d->delay_us && DRIFT_SIGMAS * sigma > fabs(d->sum_us)) {
        if (d->drift.usage != INTER_ARRIVAL_STEADY) d->sum_us = 0;
        d->drift = (struct inter_arrival_judge){0};
        return;
    }
    const bool over = d->sum_us > 0;
    leave_steady(&d->drift, over);
    if (!over) d->sum_us += sigma / FORGETTING;
}

enum inter_arrival_usage inter_arrival_detector_judge(struct inter_arrival_detector *detector) {
    if (detector->samples < SAMPLES_LEAST) return INTER_ARRIVAL_STEADY;
    const double sigma = sqrt(detector->variance_us2);
    judge_slope(detector, sigma);
    judge_drift(detector, sigma);
    return detector->slope.usage > detector->drift.usage ? detector->slope.usage : detector->drift.usage;
}

// ---- States. Rules: 5 increases without a decrease between go one step down: packet loss, delay -> stable;
// competing flow, competing TCP -> delay. 2 decreases without an increase between go one step up: stable ->
// packet loss, if losses were seen and no delay, else delay; delay -> competing flow, or competing TCP if 2
// losses or more were seen; competing flow -> competing TCP, if so. A loss more than 10 s after the last
// delay forgets delays, and the other way round.

static const uint64_t FIRST_RTT_NS = 80 * 1000 * 1000;
static const uint64_t EXPIRY_NS = 10ull * 1000 * 1000 * 1000;
enum { INCREASES = 5, DECREASES = 2, LOSSES_OF_TCP = 2 };

void inter_arrival_states_init(struct inter_arrival_states *states) {
    *states = (struct inter_arrival_states){.state = INTER_ARRIVAL_STABLE, .rtt_ns = FIRST_RTT_NS};
}

static bool count_event(const struct inter_arrival_states *s, struct inter_arrival_count *c,
                        uint64_t now_ns) {
    if (c->last_ns > 0 && now_ns - c->last_ns < s->rtt_ns) return false;
    c->last_ns = now_ns;
    c->count++;
    return true;
}

void inter_arrival_states_increased(struct inter_arrival_states *states, uint64_t now_ns) {
    if (!count_event(states, &states->increases, now_ns)) return;
    states->decreases.count = 0;
    if (states->increases.count < INCREASES) return;
    states->increases.count = 0;
    const bool competes =
        states->state == INTER_ARRIVAL_COMPETING_FLOW || states->state == INTER_ARRIVAL_COMPETING_TCP;
    states->state = competes ? INTER_ARRIVAL_DELAY : INTER_ARRIVAL_STABLE;
}

void inter_arrival_states_decreased(struct inter_arrival_states *states, uint64_t now_ns) {
    if (!count_event(states, &states->decreases, now_ns)) return;
    states->increases.count = 0;
    if (states->decreases.count < DECREASES) return;
    states->decreases.count = 0;
    const bool with_tcp = states->losses.count >= LOSSES_OF_TCP;
    switch (states->state) {
    case INTER_ARRIVAL_STABLE:
        states->state = states->delays.count == 0 && states->losses.count > 0 ? INTER_ARRIVAL_PACKET_LOSS
                                                                              : INTER_ARRIVAL_DELAY;
        break;
    case INTER_ARRIVAL_DELAY:
        states->state = with_tcp ? INTER_ARRIVAL_COMPETING_TCP : INTER_ARRIVAL_COMPETING_FLOW;
        break;
    case INTER_ARRIVAL_COMPETING_FLOW:
        if (with_tcp) states->state = INTER_ARRIVAL_COMPETING_TCP;
        break;
    case INTER_ARRIVAL_PACKET_LOSS:
    case INTER_ARRIVAL_COMPETING_TCP:
        break;
    }
}

static bool is_over(const struct inter_arrival_count *c, uint64_t now_ns) {
    return now_ns - c->last_ns > EXPIRY_NS;
}

bool inter_arrival_states_loss(struct inter_arrival_states *states, uint64_t now_ns) {
    if (!count_event(states, &states->losses, now_ns)) return false;
    if (is_over(&states->delays, now_ns)) states->delays.count = 0;
    return true;
}

bool inter_arrival_states_delay(struct inter_arrival_states *states, uint64_t now_ns) {
    if (!count_event(states, &states->delays, now_ns)) return false;
    if (is_over(&states->losses, now_ns)) states->losses.count = 0;
    return true;
}
