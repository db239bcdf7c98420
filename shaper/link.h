// A link of constant rate with a queue before it: sends one packet at a time, each for as long as its bytes
// take. Bytes are those of the IP packet: 1500 at 1 Mbit/s take 12 ms. Does not delay beyond that: see
// delay.h.
#ifndef TRILANE_SHAPER_LINK_H
#define TRILANE_SHAPER_LINK_H

#include "shaper/drop_tail.h"
#include "shaper/node.h"

struct link {
    struct node node;
    struct packet_pool *pool;
    uint64_t rate_bps; // 0: unlimited; packets pass at once and nothing queues
    struct drop_tail queue;
    struct packet *sending; // NULL: idle
    uint64_t end_ns;        // when `sending` has left
    uint64_t end_fraction;  // and what was rounded off of it, in 1/rate_bps of a nanosecond
    uint64_t busy_ns;       // time spent sending packets that have left
    uint64_t start_ns;      // when `sending` was begun
};

void link_open(struct link *link, struct packet_pool *pool, uint64_t rate_bps, uint64_t limit_packets,
               uint64_t limit_bytes, struct node *next);

#endif
