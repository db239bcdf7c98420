// PIE (RFC 8033): drops, or marks, arriving packets with a probability that a proportional-integral
// controller adapts every 15 ms to the delay of the queue, which it works out from the queue's length and the
// measured rate of departures.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct queue_kind;

// By the RFC's names. Zeroed: inactive.
struct pie {
    double drop_probability;
    double accumulated; // probability since the last drop
    uint64_t delay_old_ns;
    uint64_t burst_allowance_ns;
    uint64_t updated_ns; // when the probability was last adapted
    uint64_t measurement_start_ns;
    uint64_t departed_bytes; // in this measurement
    double departure_ns;     // a threshold's worth of bytes takes this long, averaged; 0: not yet measured
    bool active;
    bool measuring;
};

extern const struct queue_kind pie_kind;
