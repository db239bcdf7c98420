// How fast bytes came (or went), over the last half second. Times given must not go back; one that does
// counts as the last. Virtual time.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { RATE_METER_BINS = 50 };

struct rate_meter {
    uint64_t bytes[RATE_METER_BINS]; // a ring of the last bins of metered time
    uint64_t metered_ns;             // time since the first addition, without pauses
    uint64_t last_ns;                // of the last addition
    bool running;                    // false: the next addition only starts the clock
};

void rate_meter_add(struct rate_meter *meter, uint64_t now_ns, uint64_t bytes);
// The time until the next addition does not count, and neither do the bytes of that one: they say nothing of
// a rate.
void rate_meter_pause(struct rate_meter *meter);
// Bits per second, of up to the last 0.5 s; 0 as long as less than 0.1 s was metered.
double rate_meter_bps(const struct rate_meter *meter);
