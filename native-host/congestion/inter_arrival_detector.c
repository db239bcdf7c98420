// Equations, x the gap between two arrivals less the gap between their departures, in microseconds:
//   mu = (49 mu + x) / 50; var = (49 var + (mu - x)^2) / 50, at least 10^4, at first 10^6; sigma = sqrt(var)
//   S = sum of x; D = the delay above the least one seen
//   from 10 samples on:
//   slope: steady while sigma > 14 |mu|; else over-use (mu > 0) or under-use
//   drift: steady while D < 7 sigma and |S| < 5 sigma; else over-use (S > 0) or under-use. Steady again, S is
//   0;
//     in under-use S gains sigma / 8 each time, so that a queue that was full at the start is forgotten
//   after over-use, draining until steady, while mu > 0 (slope) or S > 1 ms (drift)
#include "congestion/inter_arrival_detector.h"

#include <math.h>

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
