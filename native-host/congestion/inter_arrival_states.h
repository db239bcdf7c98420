// What Inter-Arrival takes the path for: is it alone there, does it share it, and with what? Virtual time.
#pragma once

#include <stdbool.h>
#include <stdint.h>

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
