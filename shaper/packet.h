// An IP packet held by the shaper, its pool, and a first-in-first-out list of packets.
// Does not know what is inside: packets are sizes in time to the nodes.
#ifndef TRILANE_SHAPER_PACKET_H
#define TRILANE_SHAPER_PACKET_H

#include <stdint.h>

// More than the lab's MTU of 1500, so that a longer packet is recognized as such.
enum { PACKET_CAPACITY = 2000 };

struct packet {
    struct packet *next;
    uint64_t due_ns; // for the node that holds it
    uint32_t size_bytes;
    uint8_t bytes[PACKET_CAPACITY];
};

// Memory for packets in slabs, never given back before packet_pool_close: a packet costs no allocation.
struct packet_pool {
    struct packet *free;
    struct packet_slab *slabs;
};

// A zeroed pool is an empty one.
void packet_pool_close(struct packet_pool *pool); // frees every packet ever taken from it

struct packet *packet_take(struct packet_pool *pool); // NULL when memory is short; contents undefined
void packet_return(struct packet_pool *pool, struct packet *packet);

// A zeroed list is an empty one.
struct packet_list {
    struct packet *first;
    struct packet *last;
    uint64_t packets;
    uint64_t size_bytes;
};

void packet_list_add(struct packet_list *list, struct packet *packet);
struct packet *packet_list_remove(struct packet_list *list); // the first; NULL when empty

#endif
