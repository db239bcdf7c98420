// Reordering: a packet is chosen at random and steps aside until `distance` later ones have overtaken it.
// If fewer come, it leaves once nothing has come for REORDER_PATIENCE_NS: the last packet of a flow, or a
// handshake's only one, would otherwise never arrive. Loses nothing.
#pragma once

#include "shaper/nodes/node.h"
#include "shaper/nodes/random.h"
#include "shaper/nodes/settings.h"

#define REORDER_PATIENCE_NS UINT64_C(100000000)

// While so many stand aside, none joins them: where all or most are chosen, nothing would overtake.
enum { REORDER_HELD_MAX = 256 };

struct reorder {
    struct node node;
    struct reorder_settings settings;
    struct random random;
    struct packet_list aside; // in the order they came; due_ns: what `passed` must reach
    uint64_t passed;          // packets that did not step aside
    uint64_t last_ns;         // when the last one came
    uint64_t reordered;       // packets that stepped aside
};

void reorder_open(struct reorder *reorder, const struct reorder_settings *settings, uint64_t seed,
                  uint64_t stream, struct node *next);
// Those that stand aside stay for as many as before.
void reorder_steer(struct reorder *reorder, const struct reorder_settings *settings);
