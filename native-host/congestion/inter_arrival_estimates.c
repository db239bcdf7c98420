// Equations and constants of each part stand before it.
#include "congestion/inter_arrival_estimates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- Probe. Equations: estimate = bytes after the first / (arrival of the last - arrival of the first)
//   arrivals span less than 1.1 times what departures span: the sender was the limit; at least 40 kB/s
//   fewer than ten arrived: half of it; fewer than two after the first: 40 kB/s
// An ACK's packets count from its newest one's arrival. So that of the first ACK only its newest is known,
// and the first packet begins the span but brings no bytes.

static const double FALLBACK = 40 * 1000;
static const double UNCERTAIN = 0.5;
static const double SENDER_LIMITED = 1.1;
enum { LATER_LEAST = 2 };

void inter_arrival_probe_restart(struct inter_arrival_probe *probe) {
    *probe = (struct inter_arrival_probe){0};
}

void inter_arrival_probe_acked(struct inter_arrival_probe *probe, const struct arrival *newest,
                               uint64_t packets, uint64_t bytes) {
    if (probe->has_first) {
        probe->bytes += bytes;
        probe->packets += packets;
    } else {
        probe->has_first = true;
        probe->first = *newest;
        probe->packets = packets;
    }
    probe->last = *newest;
}

void inter_arrival_probe_lost(struct inter_arrival_probe *probe, uint64_t packets) {
    probe->lost += packets;
}

bool inter_arrival_probe_estimate(const struct inter_arrival_probe *probe, double *bytes_per_s) {
    if (probe->packets + probe->lost < INTER_ARRIVAL_PROBE_PACKETS) return false;
    const double sent_s = ((double)probe->last.sent_ns - (double)probe->first.sent_ns) / 1e9;
    const double arrived_s = ((double)probe->last.arrived_ns - (double)probe->first.arrived_ns) / 1e9;
    *bytes_per_s = FALLBACK;
    if (!probe->has_first || probe->packets < 1 + LATER_LEAST || probe->bytes == 0 || arrived_s <= 0)
        return true;
    const double measured = (double)probe->bytes / arrived_s;
    if (arrived_s < SENDER_LIMITED * sent_s)
        *bytes_per_s = fmax(measured, FALLBACK);
    else
        *bytes_per_s = probe->packets < INTER_ARRIVAL_PROBE_PACKETS ? UNCERTAIN * measured : measured;
    return true;
}

// ---- Channel. Equations: a pair counts if its gap at arrival exceeds 5 times the gap at departure; its rate
// is the bytes that the later ACK acknowledges over the gap at arrival. Of the last 10 to 100 pairs, n
// sorted: the median is the one with index n / 2, the quartiles n / 4 and n - n / 4; uncertain where the
// quartiles are more than 0.25 of the median apart.

static const double GAP_RATIO = 5;
static const double UNCERTAIN_SPREAD = 0.25;

void inter_arrival_channel_acked(struct inter_arrival_channel *channel, const struct arrival *newest,
                                 uint64_t bytes) {
    if (channel->has_last && newest->arrived_ns > channel->last.arrived_ns) {
        const double arrived_ns = (double)(newest->arrived_ns - channel->last.arrived_ns);
        const double sent_ns = (double)newest->sent_ns - (double)channel->last.sent_ns;
        if (arrived_ns > GAP_RATIO * sent_ns)
            channel->rates[channel->count++ % INTER_ARRIVAL_PAIRS] = (double)bytes * 1e9 / arrived_ns;
    }
    channel->last = *newest;
    channel->has_last = true;
}

void inter_arrival_channel_lost(struct inter_arrival_channel *channel) {
    channel->has_last = false;
}

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

enum inter_arrival_certainty inter_arrival_channel_estimate(const struct inter_arrival_channel *channel,
                                                            double *bytes_per_s) {
    double sorted[INTER_ARRIVAL_PAIRS];
    const size_t n = channel->count < INTER_ARRIVAL_PAIRS ? (size_t)channel->count : INTER_ARRIVAL_PAIRS;
    if (n < INTER_ARRIVAL_PAIRS_LEAST) return INTER_ARRIVAL_UNKNOWN;
    memcpy(sorted, channel->rates, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_size);
    *bytes_per_s = sorted[n / 2];
    const double spread = sorted[n - n / 4] - sorted[n / 4];
    return spread > UNCERTAIN_SPREAD * *bytes_per_s ? INTER_ARRIVAL_UNCERTAIN : INTER_ARRIVAL_GOOD;
}

// ---- Ramp. Equations, t from the epoch on, in seconds, P the plateau (available below halfway, else
// channel):
//   rate = P + 6000 (t - t0)^3; t0 = cbrt((P - rate at the epoch) / 6000), 0 if that is not below P
// The factor is the original's 6000 x 2^-40 kB/s for times in 1/1024 s: close to TCP's CUBIC at 100 ms. Rates
// are computed at most once in 30 ms.

static const double SCALE = 6000; // bytes/s per s^3
static const uint64_t INTERVAL_NS = 30 * 1000 * 1000;

static double time_to(double difference) {
    return difference > 0 ? cbrt(difference / SCALE) : 0;
}

static double middle(const struct inter_arrival_ramp *r) {
    return r->available + (r->channel - r->available) / 2;
}

static void begin(struct inter_arrival_ramp *r, uint64_t now_ns) {
    r->epoch_ns = r->updated_ns = now_ns;
}

void inter_arrival_ramp_reset(struct inter_arrival_ramp *ramp, uint64_t now_ns, double rate, double available,
                              double channel) {
    begin(ramp, now_ns);
    ramp->rate = rate;
    ramp->available = fmax(rate, available);
    ramp->channel = fmax(channel, ramp->available);
    ramp->halfway = middle(ramp);
    ramp->origin_s = time_to(rate < ramp->available || rate < ramp->halfway ? ramp->available - rate
                                                                            : ramp->channel - rate);
}

void inter_arrival_ramp_set_channel(struct inter_arrival_ramp *ramp, uint64_t now_ns, double channel) {
    if (channel < ramp->available || channel < ramp->rate || channel == ramp->channel) return;
    const bool is_first = ramp->channel <= ramp->available;
    ramp->channel = channel;
    if (is_first) {
        ramp->halfway = middle(ramp);
    } else if (ramp->rate >= ramp->halfway) {
        begin(ramp, now_ns);
        ramp->origin_s = time_to(channel - ramp->rate);
    }
}

void inter_arrival_ramp_hold(struct inter_arrival_ramp *ramp, uint64_t now_ns) {
    ramp->epoch_ns += now_ns - ramp->updated_ns;
    ramp->updated_ns = now_ns;
}

double inter_arrival_ramp_rate(struct inter_arrival_ramp *ramp, uint64_t now_ns, double sent) {
    const uint64_t passed_ns = now_ns - ramp->updated_ns;
    if (passed_ns <= INTERVAL_NS) return ramp->rate;
    if (sent > 0 && 2 * sent < ramp->rate) {
        inter_arrival_ramp_hold(ramp, now_ns);
        return ramp->rate;
    }
    ramp->updated_ns = now_ns;
    const double after_s = (double)(now_ns - ramp->epoch_ns) / 1e9 - ramp->origin_s;
    const double gained = SCALE * after_s * after_s * after_s;
    if (ramp->rate >= ramp->halfway) {
        ramp->rate = ramp->channel + gained;
        return ramp->rate;
    }
    ramp->rate = ramp->available + gained;
    if (ramp->rate >= ramp->halfway) {
        begin(ramp, now_ns);
        ramp->origin_s = time_to(ramp->channel - ramp->rate);
    }
    return ramp->rate;
}

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
