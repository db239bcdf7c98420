// Equations, t from the epoch on, in seconds, P the plateau (available below halfway, else channel):
//   rate = P + 6000 (t - t0)^3; t0 = cbrt((P - rate at the epoch) / 6000), 0 if that is not below P
// The factor is the original's 6000 x 2^-40 kB/s for times in 1/1024 s: close to TCP's CUBIC at 100 ms. Rates
// are computed at most once in 30 ms.
#include "congestion/inter_arrival_ramp.h"

#include <math.h>
#include <stdbool.h>

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
