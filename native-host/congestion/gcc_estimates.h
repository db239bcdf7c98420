// What GCC (gcc.c) estimates: how fast the delay grows, whether that is over-use, and two rates, by delay and
// by loss. Delays are milliseconds, rates bits per second. Virtual time.
#pragma once

#include "congestion/rate_based.h"

#include <stdbool.h>
#include <stdint.h>

// GCC's estimate of how fast the queueing delay grows (draft-ietf-rmcat-gcc-02, 5.1 to 5.3): packets become
// groups, two groups a delay variation, and a scalar Kalman filter estimates its mean.

enum { GCC_GAPS = 60 };

// Sent within 5 ms, or arrived together after something held them up (5.2).
struct gcc_group {
    uint64_t first_sent_ns;
    uint64_t sent_ns; // the last packet, as arrived_ns
    uint64_t arrived_ns;
};

// A group compared with the one before it.
struct gcc_variation {
    uint64_t arrived_ns;
    double sent_gap_ms;
    double d_ms; // the gap between arrivals less the one between departures
};

struct gcc_groups {
    struct gcc_group current, previous;
    uint64_t count; // of groups begun
};

// True if the packet begins a group: `out` then compares the two groups before it.
bool gcc_groups_add(struct gcc_groups *groups, const struct arrival *packet, struct gcc_variation *out);

struct gcc_filter {
    double m_ms; // the estimate
    double e;    // its error's variance
    double var_v;
    double sent_gaps_ms[GCC_GAPS]; // a ring of the last
    uint64_t count;                // of variations so far
};

void gcc_filter_init(struct gcc_filter *filter);
void gcc_filter_update(struct gcc_filter *filter, double d_ms, double sent_gap_ms);

// GCC's over-use detector (draft-ietf-rmcat-gcc-02, 5.4): the estimate against an adaptive threshold.

enum gcc_signal { GCC_NORMAL, GCC_OVER_USE, GCC_UNDER_USE };

struct gcc_detector {
    double threshold_ms;
    double last_m_ms;
    uint64_t last_ns;       // the group before
    uint64_t over_since_ns; // the first group in a row that was above the threshold
    bool over;              // the last one was
    uint64_t count;         // of groups
};

void gcc_detector_init(struct gcc_detector *detector);
// The estimate m after the group that arrived at `arrived_ns`.
enum gcc_signal gcc_detector_update(struct gcc_detector *detector, double m_ms, uint64_t arrived_ns);

// GCC's two estimates of the bandwidth (draft-ietf-rmcat-gcc-02, 5.5 and 6).

enum gcc_state { GCC_INCREASE, GCC_DECREASE, GCC_HOLD };

// By delay. Starts with its rate, in GCC_INCREASE.
struct gcc_rate {
    double bps;
    enum gcc_state state;
    uint64_t updated_ns; // when it was opened or last updated
    // Of the incoming rates at which it decreased.
    bool has_average;
    double average_bps;
    double variance;
};

struct gcc_feedback {
    uint64_t now_ns;
    enum gcc_signal signal;
    double incoming_bps; // 0: not known yet
    double rtt_ms;
};

void gcc_rate_update(struct gcc_rate *rate, const struct gcc_feedback *feedback);

// By loss: what becomes of `bps` after a report in which `lost` of `all` packets were lost.
double gcc_rate_after_losses(double bps, uint64_t lost, uint64_t all);
