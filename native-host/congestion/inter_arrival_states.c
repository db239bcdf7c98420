// Rules: 5 increases without a decrease between go one step down: packet loss, delay -> stable; competing
// flow, competing TCP -> delay. 2 decreases without an increase between go one step up: stable -> packet
// loss, if losses were seen and no delay, else delay; delay -> competing flow, or competing TCP if 2 losses
// or more were seen; competing flow -> competing TCP, if so. A loss more than 10 s after the last delay
// forgets delays, and the other way round.
#include "congestion/inter_arrival_states.h"

static const uint64_t FIRST_RTT_NS = 80 * 1000 * 1000;
static const uint64_t EXPIRY_NS = 10ull * 1000 * 1000 * 1000;
enum { INCREASES = 5, DECREASES = 2, LOSSES_OF_TCP = 2 };

void inter_arrival_states_init(struct inter_arrival_states *states) {
    *states = (struct inter_arrival_states){.state = INTER_ARRIVAL_STABLE, .rtt_ns = FIRST_RTT_NS};
}

static bool count_event(const struct inter_arrival_states *s, struct inter_arrival_count *c,
                        uint64_t now_ns) {
    if (c->last_ns > 0 && now_ns - c->last_ns < s->rtt_ns) return false;
    c->last_ns = now_ns;
    c->count++;
    return true;
}

void inter_arrival_states_increased(struct inter_arrival_states *states, uint64_t now_ns) {
    if (!count_event(states, &states->increases, now_ns)) return;
    states->decreases.count = 0;
    if (states->increases.count < INCREASES) return;
    states->increases.count = 0;
    const bool competes =
        states->state == INTER_ARRIVAL_COMPETING_FLOW || states->state == INTER_ARRIVAL_COMPETING_TCP;
    states->state = competes ? INTER_ARRIVAL_DELAY : INTER_ARRIVAL_STABLE;
}

void inter_arrival_states_decreased(struct inter_arrival_states *states, uint64_t now_ns) {
    if (!count_event(states, &states->decreases, now_ns)) return;
    states->increases.count = 0;
    if (states->decreases.count < DECREASES) return;
    states->decreases.count = 0;
    const bool with_tcp = states->losses.count >= LOSSES_OF_TCP;
    switch (states->state) {
    case INTER_ARRIVAL_STABLE:
        states->state = states->delays.count == 0 && states->losses.count > 0 ? INTER_ARRIVAL_PACKET_LOSS
                                                                              : INTER_ARRIVAL_DELAY;
        break;
    case INTER_ARRIVAL_DELAY:
        states->state = with_tcp ? INTER_ARRIVAL_COMPETING_TCP : INTER_ARRIVAL_COMPETING_FLOW;
        break;
    case INTER_ARRIVAL_COMPETING_FLOW:
        if (with_tcp) states->state = INTER_ARRIVAL_COMPETING_TCP;
        break;
    case INTER_ARRIVAL_PACKET_LOSS:
    case INTER_ARRIVAL_COMPETING_TCP:
        break;
    }
}

static bool is_over(const struct inter_arrival_count *c, uint64_t now_ns) {
    return now_ns - c->last_ns > EXPIRY_NS;
}

bool inter_arrival_states_loss(struct inter_arrival_states *states, uint64_t now_ns) {
    if (!count_event(states, &states->losses, now_ns)) return false;
    if (is_over(&states->delays, now_ns)) states->delays.count = 0;
    return true;
}

bool inter_arrival_states_delay(struct inter_arrival_states *states, uint64_t now_ns) {
    if (!count_event(states, &states->delays, now_ns)) return false;
    if (is_over(&states->losses, now_ns)) states->losses.count = 0;
    return true;
}
