// Packets that leave in another order than they came: the one due first is at hand. Those due at once leave
// as they came.
#pragma once

#include "shaper/nodes/packet.h"

struct packet_heap_entry {
    uint64_t due_ns;
    uint64_t turn;
    struct packet *packet;
};

// A zeroed heap is an empty one.
struct packet_heap {
    struct packet_heap_entry *entries; // [0] leaves first; [i] not after [2i + 1] and [2i + 2]
    uint64_t count;
    uint64_t room;
    uint64_t turns; // packets ever added
};

// 0, or -1 when memory is short: the packet is not held then.
int packet_heap_add(struct packet_heap *heap, struct packet *packet, uint64_t due_ns);
// Of a heap that holds one.
struct packet *packet_heap_remove(struct packet_heap *heap);
uint64_t packet_heap_due_ns(const struct packet_heap *heap); // NODE_NEVER where it is empty
void packet_heap_close(struct packet_heap *heap);            // packets held stay their pool's
