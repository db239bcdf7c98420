// What Inter-Arrival (inter_arrival.c) takes the path for: over-used or not, and shared or not. Virtual time.
#pragma once

#include "congestion/rate_based.h"

#include <stdbool.h>
#include <stdint.h>

// Inter-Arrival's detector of over-use: are packets further apart when they arrive than when they were sent?

// In the order of their weight: the greater one of two detectors' counts.
enum inter_arrival_usage {
    INTER_ARRIVAL_STEADY,
    INTER_ARRIVAL_UNDER_USING,
    INTER_ARRIVAL_DRAINING, // over-use was reported, and the queue it made is not gone
    INTER_ARRIVAL_OVER_USING,
};

// One of the two detectors: by the mean of differences, and by their sum and the delay.
struct inter_arrival_judge {
    enum inter_arrival_usage usage;
    int over_uses; // begun, less under-uses begun, since it was last steady
};

struct inter_arrival_detector {
    struct arrival last;
    bool has_last;
    uint64_t samples;
    double mean_us;
    double variance_us2;
    double sum_us;
    int64_t least_offset_ns; // of arrival after departure; INT64_MAX: none yet
    double delay_us;         // of the last packet, above the least
    struct inter_arrival_judge slope, drift;
};

void inter_arrival_detector_init(struct inter_arrival_detector *detector);
void inter_arrival_detector_add(struct inter_arrival_detector *detector, const struct arrival *packet);
// What the path is now. Over-use is reported once; afterwards the path drains.
enum inter_arrival_usage inter_arrival_detector_judge(struct inter_arrival_detector *detector);

// What Inter-Arrival takes the path for: is it alone there, does it share it, and with what?

enum inter_arrival_state {
    INTER_ARRIVAL_PACKET_LOSS, // loss without delay
    INTER_ARRIVAL_STABLE,
    INTER_ARRIVAL_DELAY,
    INTER_ARRIVAL_COMPETING_FLOW,
    INTER_ARRIVAL_COMPETING_TCP,
};

// Events of a kind count once in a round trip.
struct inter_arrival_count {
    uint64_t last_ns; // 0: none yet
    unsigned count;
};

struct inter_arrival_states {
    enum inter_arrival_state state;
    uint64_t rtt_ns; // set by the owner
    struct inter_arrival_count increases, decreases, losses, delays;
};

void inter_arrival_states_init(struct inter_arrival_states *states);
// The rate was raised; it was lowered.
void inter_arrival_states_increased(struct inter_arrival_states *states, uint64_t now_ns);
void inter_arrival_states_decreased(struct inter_arrival_states *states, uint64_t now_ns);
// Loss, or over-use by delay. False: less than a round trip after the last one, which is to be ignored.
bool inter_arrival_states_loss(struct inter_arrival_states *states, uint64_t now_ns);
bool inter_arrival_states_delay(struct inter_arrival_states *states, uint64_t now_ns);
