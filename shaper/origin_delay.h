// What lies between the link and each server: packets from or to an address leave later than they came by
// that address's delay, in order among those of one address. All others pass at once.
//
// It comes after the link in both directions, so a far server's packets meet the queue when they are sent
// and not half an extra round trip later: with one sender nothing can tell the difference.
#pragma once

#include "shaper/nodes/node.h"
#include "shaper/nodes/packet_heap.h"
#include "shaper/origin_delays.h"

struct origin_delay {
    struct node node;
    struct packet_pool *pool;
    const struct origin_delays *delays; // borrowed; NULL: none
    enum origin_place { ORIGIN_IS_SOURCE, ORIGIN_IS_DESTINATION } place;
    struct packet_heap heap;
    uint64_t drops; // for want of memory
    uint64_t dropped_bytes;
};

void origin_delay_open(struct origin_delay *delay, struct packet_pool *pool, enum origin_place place,
                       struct node *next);
// What it holds, one packet after the other: the caller's now. NULL: nothing more.
struct packet *origin_delay_take_back(struct origin_delay *delay);
void origin_delay_close(struct origin_delay *delay); // packets held stay the pool's
