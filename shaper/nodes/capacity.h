// How much a link could have carried up to a time: the integral of its rate, also over steps, traces and
// changes while it runs. Does not know what it did carry.
#pragma once

#include "shaper/nodes/settings.h"

struct capacity {
    struct rate_settings rate;
    uint64_t start_ns;     // time 0 of the steps or the trace
    uint64_t changed_ns;   // `rate` holds since
    uint64_t before_bytes; // carried until then
    bool known;            // false once the link was unlimited for any time
};

void capacity_open(struct capacity *capacity, const struct rate_settings *rate, uint64_t now_ns);
void capacity_steer(struct capacity *capacity, const struct rate_settings *rate, uint64_t now_ns);

// Of a rate that was steered to just now: its time 0 is now.
void capacity_begin_again(struct capacity *capacity, uint64_t now_ns);

// Whole bytes, not falling with time. Only where `known`.
uint64_t capacity_bytes(const struct capacity *capacity, uint64_t now_ns);
