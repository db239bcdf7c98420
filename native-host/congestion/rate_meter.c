#include "congestion/rate_meter.h"

static const uint64_t BIN_NS = 10 * 1000 * 1000;
static const uint64_t LEAST_NS = 100 * 1000 * 1000;

void rate_meter_add(struct rate_meter *meter, uint64_t now_ns, uint64_t bytes) {
    if (!meter->running) {
        meter->running = true;
        meter->last_ns = now_ns > meter->last_ns ? now_ns : meter->last_ns;
        return;
    }
    const uint64_t passed_ns = now_ns > meter->last_ns ? now_ns - meter->last_ns : 0;
    const uint64_t from = meter->metered_ns / BIN_NS;
    meter->last_ns += passed_ns;
    meter->metered_ns += passed_ns;
    const uint64_t to = meter->metered_ns / BIN_NS;
    for (uint64_t bin = from + 1; bin <= to && bin <= from + RATE_METER_BINS; bin++)
        meter->bytes[bin % RATE_METER_BINS] = 0;
    meter->bytes[to % RATE_METER_BINS] += bytes;
}

void rate_meter_pause(struct rate_meter *meter) {
    meter->running = false;
}

double rate_meter_bps(const struct rate_meter *meter) {
    if (meter->metered_ns < LEAST_NS) return 0;
    uint64_t bytes = 0;
    for (int i = 0; i < RATE_METER_BINS; i++)
        bytes += meter->bytes[i];
    // The newest bin is not full yet.
    const uint64_t window_ns = (RATE_METER_BINS - 1) * BIN_NS + meter->metered_ns % BIN_NS;
    const uint64_t span_ns = meter->metered_ns < window_ns ? meter->metered_ns : window_ns;
    return (double)bytes * 8e9 / (double)span_ns;
}
