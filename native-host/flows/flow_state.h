// What the engine keeps of a flow. Only its parts (engine, sampler, report) see inside: transports have
// flow.h.
#pragma once

#include "flows/flow.h"

struct engine;

enum flow_state {
    FLOW_WAITING, // for its time, or for the end of the run
    FLOW_OPENING,
    FLOW_RUNNING,
    FLOW_ENDED,
    FLOW_CUT,
    FLOW_FAILED
};

struct flow {
    struct engine *engine;
    const struct flow_plan *plan;
    unsigned number;
    enum flow_state state;
    void *connection; // the transport's; NULL: none (any more)
    bool is_sender;
    bool is_closed;           // its connection is to be released
    struct loop_timer begin;  // near end
    struct loop_timer expiry; // near end: its duration is over
    char error[192];
    char local[64]; // "": never connected
    char peer[64];
    char congestion[32];
    int paced;                 // -1: not known
    uint64_t connect_begin_ns; // each FLOW_UNAVAILABLE until it happens
    uint64_t connected_ns;
    uint64_t first_byte_ns;
    uint64_t ended_ns;
    uint64_t sent_bytes;
    uint64_t received_bytes;
    struct flow_sample last;   // when its connection was released
    struct path_change *moves; // of its released connection
    size_t move_count;
    uint64_t cpu_ns;
    uint64_t entered_ns; // CPU time; FLOW_UNAVAILABLE: not in a callback of it
};

// All that its transport can tell now.
void flow_sample_now(const struct flow *flow, struct flow_sample *sample);

// How its peer's address changed.
const struct path_change *flow_moves(const struct flow *flow, size_t *count);

static inline bool flow_is_over(const struct flow *flow) {
    return flow->state >= FLOW_ENDED;
}
