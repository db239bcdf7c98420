// A drop-tail queue: first in, first out, and what does not fit is dropped.
// Does not send: a link takes from it. What the link is sending is not in the queue.
#ifndef TRILANE_SHAPER_DROP_TAIL_H
#define TRILANE_SHAPER_DROP_TAIL_H

#include "shaper/packet.h"

struct drop_tail {
    uint64_t limit_packets; // UINT64_MAX: none
    uint64_t limit_bytes;   // UINT64_MAX: none
    struct packet_list list;
    uint64_t drops;
    uint64_t dropped_bytes;
    uint64_t peak_packets;
    uint64_t peak_bytes;
};

// A zeroed queue with its limits set is an empty one. Takes the packet, or counts it as dropped and gives it
// back to the pool.
void drop_tail_put(struct drop_tail *queue, struct packet_pool *pool, struct packet *packet, uint64_t now_ns);
struct packet *drop_tail_get(struct drop_tail *queue); // NULL when empty

#endif
