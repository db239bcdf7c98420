// Equations: a pair counts if its gap at arrival exceeds 5 times the gap at departure; its rate is the bytes
// that the later ACK acknowledges over the gap at arrival. Of the last 10 to 100 pairs, n sorted: the median
// is the one with index n / 2, the quartiles n / 4 and n - n / 4; uncertain where the quartiles are more than
// 0.25 of the median apart.
#include "congestion/inter_arrival_channel.h"

#include <stdlib.h>
#include <string.h>

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
