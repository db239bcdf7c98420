// FQ-CoDel (RFC 8290): flows take turns by deficit round robin, those that have just begun to send before the
// others, and CoDel looks after each flow's queue. What does not fit is dropped from the fattest flow.
#pragma once

#include "shaper/nodes/codel.h"
#include "shaper/nodes/packet.h"

enum { FQ_CODEL_FLOWS = 1024 };

struct fq_flow {
    struct packet_list list;
    struct codel codel;
    struct fq_flow *next; // in its turn
    int64_t deficit_bytes;
    uint32_t place; // among the fattest: below `backlogged` while it has packets
    bool in_turn;
};

struct fq_turns {
    struct fq_flow *first;
    struct fq_flow *last;
};

// Flows of different keys may share a queue, as the RFC has it.
struct fq_codel {
    struct fq_flow flows[FQ_CODEL_FLOWS];
    struct fq_turns new_flows;
    struct fq_turns old_flows;
    uint16_t fattest[FQ_CODEL_FLOWS]; // a heap of flows with packets: none has more bytes than its parent
    uint32_t backlogged;
};

extern const struct queue_kind fq_codel_kind;
