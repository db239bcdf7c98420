// A link that is there for a while and then not: what comes while it is off is lost (as in Mahimahi's
// mm-onoff). Periods are fixed, or exponentially distributed around their means. Begins on. Stands before the
// queue: what has been queued is sent all the same.
//
// When it is off follows from the time since the start, not from the packets. Exponential periods have to be
// gone through one after the other, but never more than ONOFF_BLOCK_CYCLES of them: after so many mean
// lengths they begin anew, in either state as often as the link is in it, which what they are like does not
// change.
#pragma once

#include "shaper/nodes/node.h"
#include "shaper/nodes/random.h"
#include "shaper/nodes/settings.h"

enum { ONOFF_BLOCK_CYCLES = 4096 };

struct onoff {
    struct node node;
    struct packet_pool *pool;
    struct onoff_settings settings;
    struct random first; // of all the numbers; each block of periods has its own part of them
    uint64_t start_ns;

    // Of exponential periods.
    struct random random;
    uint64_t block;
    uint64_t change_ns; // when the present one ends
    bool off;

    uint64_t drops;
    uint64_t dropped_bytes;
};

// `on_ns` and `off_ns` are at most 60 s.
void onoff_open(struct onoff *onoff, struct packet_pool *pool, const struct onoff_settings *settings,
                uint64_t seed, uint64_t stream, struct node *next);
void onoff_start(struct onoff *onoff, uint64_t now_ns); // the first period begins
// Periods count from the start as ever.
void onoff_steer(struct onoff *onoff, const struct onoff_settings *settings);
