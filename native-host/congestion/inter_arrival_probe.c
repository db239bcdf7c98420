// Equations: estimate = bytes after the first / (arrival of the last - arrival of the first)
//   arrivals span less than 1.1 times what departures span: the sender was the limit; at least 40 kB/s
//   fewer than ten arrived: half of it; fewer than two after the first: 40 kB/s
// An ACK's packets count from its newest one's arrival. So that of the first ACK only its newest is known,
// and the first packet begins the span but brings no bytes.
#include "congestion/inter_arrival_probe.h"

#include <math.h>

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
