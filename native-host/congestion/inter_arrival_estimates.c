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
