// What Inter-Arrival (inter_arrival.c) estimates: a first rate by a probe, the channel, from both how the
// rate grows; and what it takes the path for: over-used or not, shared or not. Rates are bytes per second.
// Virtual time.
#pragma once

#include "congestion/rate_based.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Inter-Arrival's first estimate: how fast ten packets arrive that were sent at 1200 kB/s.

enum { INTER_ARRIVAL_PROBE_PACKETS = 10, INTER_ARRIVAL_PROBE_RATE = 1200 * 1000 };

struct inter_arrival_probe {
    struct arrival first, last;
    bool has_first;
    uint64_t bytes; // that arrived after the first
    uint64_t packets, lost;
};

// What was measured so far no longer counts.
void inter_arrival_probe_restart(struct inter_arrival_probe *probe);
// An ACK: its newest packet, and what it newly acknowledges.
void inter_arrival_probe_acked(struct inter_arrival_probe *probe, const struct arrival *newest,
                               uint64_t packets, uint64_t bytes);
void inter_arrival_probe_lost(struct inter_arrival_probe *probe, uint64_t packets);
// False until ten packets arrived or were lost.
bool inter_arrival_probe_estimate(const struct inter_arrival_probe *probe, double *bytes_per_s);

// Inter-Arrival's estimate of the channel: the rate at which packets arrive that were sent close together.

enum { INTER_ARRIVAL_PAIRS_LEAST = 10, INTER_ARRIVAL_PAIRS = 100 };

enum inter_arrival_certainty {
    INTER_ARRIVAL_UNKNOWN, // fewer than 10 pairs
    INTER_ARRIVAL_UNCERTAIN,
    INTER_ARRIVAL_GOOD,
};

struct inter_arrival_channel {
    struct arrival last;
    bool has_last;
    double rates[INTER_ARRIVAL_PAIRS]; // a ring of the last
    uint64_t count;                    // of pairs so far
};

// An ACK: its newest packet, and what it newly acknowledges.
void inter_arrival_channel_acked(struct inter_arrival_channel *channel, const struct arrival *newest,
                                 uint64_t bytes);
// A packet was lost: the next ACK forms no pair with the last.
void inter_arrival_channel_lost(struct inter_arrival_channel *channel);
// The median, unless it is unknown.
enum inter_arrival_certainty inter_arrival_channel_estimate(const struct inter_arrival_channel *channel,
                                                            double *bytes_per_s);

// How Inter-Arrival's rate grows: cubic in time, first about what is available, then about the channel.

struct inter_arrival_ramp {
    double rate;
    double available; // the plateau of the lower half
    double channel;   // of the upper half
    double halfway;   // between them
    double origin_s;  // from the epoch on, when the plateau is reached
    uint64_t epoch_ns, updated_ns;
};

// The rate falls or is first set. `available` counts as at least `rate`, `channel` as at least that.
void inter_arrival_ramp_reset(struct inter_arrival_ramp *ramp, uint64_t now_ns, double rate, double available,
                              double channel);
// A good estimate of the channel.
void inter_arrival_ramp_set_channel(struct inter_arrival_ramp *ramp, uint64_t now_ns, double channel);
// The rate is held now: time does not count until the next call of either.
void inter_arrival_ramp_hold(struct inter_arrival_ramp *ramp, uint64_t now_ns);
// The rate now. `sent`: what is sent, 0 if that is not known: no growth while twice of it is below the rate.
double inter_arrival_ramp_rate(struct inter_arrival_ramp *ramp, uint64_t now_ns, double sent);

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
