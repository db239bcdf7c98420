// A link that is there for a while and then not: what comes while it is off is lost (as in Mahimahi's
// mm-onoff). Periods are fixed, or exponentially distributed around their means. Begins on. Stands before the
// queue: what has been queued is sent all the same.
#ifndef TRILANE_SHAPER_ONOFF_H
#define TRILANE_SHAPER_ONOFF_H

#include "shaper/node.h"
#include "shaper/random.h"
#include "shaper/settings.h"

struct onoff {
    struct node node;
    struct packet_pool *pool;
    struct onoff_settings settings;
    struct random random;
    uint64_t start_ns;
    uint64_t change_ns; // of exponential periods: when the present one ends
    bool off;           // of exponential periods
    uint64_t drops;
    uint64_t dropped_bytes;
};

// The periods follow from settings, seed and stream alone, not from the packets.
void onoff_open(struct onoff *onoff, struct packet_pool *pool, const struct onoff_settings *settings,
                uint64_t seed, uint64_t stream, struct node *next);
void onoff_start(struct onoff *onoff, uint64_t now_ns); // the first period begins
// Fixed periods count from the start as ever; exponential ones that were not there before begin now, on.
void onoff_steer(struct onoff *onoff, const struct onoff_settings *settings, uint64_t now_ns);

#endif
