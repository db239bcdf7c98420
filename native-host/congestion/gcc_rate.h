// GCC's two estimates of the bandwidth (draft-ietf-rmcat-gcc-02, 5.5 and 6): one by delay, one by loss. Rates
// are bits per second. Virtual time.
#pragma once

#include "congestion/gcc_delay.h"

#include <stdbool.h>
#include <stdint.h>

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
