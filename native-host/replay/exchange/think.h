// The server's think time: how long a whole request waits before its response may be sent, as the recorded
// server took it, or the same for all. Says how long; exchange.c waits.
#pragma once

#include "archive/recording.h"

#include <stdbool.h>
#include <stdint.h>

enum think_kind { THINK_NONE, THINK_RECORDED, THINK_FIXED };

// Zeroed: none.
struct think {
    enum think_kind kind;
    uint64_t fixed_ns;
};

// "none", "recorded", or milliseconds up to an hour, as "20" or "2.5". 0, or -1 and `think` as it was.
int think_parse(struct think *think, const char *text);

// How long the request waits, in nanoseconds. What is not in the recording (NULL) waits as long as anything
// where the time is fixed, and else not at all. `known` is false where the recording has the request and not
// the time, and so nothing is waited for.
uint64_t think_time_ns(const struct think *think, const struct recorded_exchange *recorded, bool *known);
