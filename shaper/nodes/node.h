// What every node of a path is: something that packets arrive at and leave from, in virtual time.
//
// A node never looks at a clock. It is given the time of everything that happens to it, and it passes each
// packet on with the time at which the packet leaves, which may lie before the time to which the node is
// being advanced. So a loop that wakes up late gives every packet the time it should have had, and errors do
// not add up; and a test may run hours of traffic in a moment.
#pragma once

#include "shaper/nodes/packet.h"

#define NODE_NEVER UINT64_MAX

struct node;

struct node_kind {
    // The packet arrives; the node owns it now. The node has been advanced to now_ns before.
    void (*take)(struct node *node, struct packet *packet, uint64_t now_ns);
    // Passes on, in order, what leaves up to and including now_ns. NULL for a node that holds nothing back.
    void (*advance)(struct node *node, uint64_t now_ns);
    // When the next packet leaves; NODE_NEVER while nothing is held, or what is held never leaves (behind a
    // trace that has ended). NULL as above.
    uint64_t (*due_ns)(const struct node *node);
    // How many packets it holds. NULL as above.
    uint64_t (*held)(const struct node *node);
};

// The first member of every node.
struct node {
    const struct node_kind *kind;
    struct node *next; // where packets go; NULL for the last
};

static inline void node_take(struct node *node, struct packet *packet, uint64_t now_ns) {
    node->kind->take(node, packet, now_ns);
}
