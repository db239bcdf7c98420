// An IP packet held by the shaper, its pool, who learns its fate, and a first-in-first-out list of
// packets. Does not know what is inside: packets are sizes in time to most nodes.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// More than the lab's MTU of 1500, so that a longer packet is recognized as such.
enum { PACKET_CAPACITY = 2000, PACKET_OFFLOAD = 10 };

// Which group of datagrams a packet belongs to, between the encoder of forward error correction and its
// decoder (fec.h). As an encoder's header would, it travels with the packet; unlike one, it takes no bytes.
struct packet_fec {
    uint32_t flow;
    uint32_t group; // of the flow's, in order
    uint16_t size;  // datagrams of the group; 0: the packet is of no group
    uint16_t index; // of the datagram in its group; `size`: the group's parity packet
};

struct packet {
    struct packet *next;
    uint64_t due_ns;     // for the node that holds it
    uint64_t arrived_ns; // at the path
    uint64_t queued_ns;  // put into the node's queue that holds it
    uint64_t number;     // of the direction's packets, from 0
    struct packet_fec fec;
    uint32_t size_bytes;
    bool cut;                        // by segments.h from a larger whole: its checksum is right
    uint8_t offload[PACKET_OFFLOAD]; // right before the bytes: how a TUN device reads and writes them
    uint8_t bytes[PACKET_CAPACITY];
};

enum drop_reason {
    DROP_QUEUE,        // no room
    DROP_AQM,          // CoDel's or PIE's decision
    DROP_LOSS,         // lost on the wire
    DROP_OFF,          // while the link was off
    DROP_UDP,          // by what the network does to UDP
    DROP_MOVED_QUEUED, // waited at a link that was switched from
    DROP_MOVED_SENT,   // under way behind it
    DROP_UNBOUND,      // for an address or port that the NAT has given up
    DROP_MEMORY,       // of this machine: counted as refused
};

// Learns what becomes of the packets of one direction; the packet stays the caller's. A path is entered and
// left outside of it, so it is its owner (tun_loop.h) that reports that.
struct packet_watcher {
    void (*arrived)(struct packet_watcher *watcher, const struct packet *packet, uint64_t now_ns);
    void (*delivered)(struct packet_watcher *watcher, const struct packet *packet, uint64_t due_ns);
    // It reached the link's queue, also where it is dropped there at once.
    void (*queued)(struct packet_watcher *watcher, const struct packet *packet, uint64_t now_ns);
    // The queue marked it instead of dropping it.
    void (*marked)(struct packet_watcher *watcher, const struct packet *packet, uint64_t now_ns);
    void (*sent)(struct packet_watcher *watcher, const struct packet *packet, uint64_t end_ns); // by the link
    void (*dropped)(struct packet_watcher *watcher, const struct packet *packet, enum drop_reason reason,
                    uint64_t now_ns);
};

// Memory for packets in slabs, never given back before packet_pool_close: a packet costs no allocation.
struct packet_pool {
    struct packet *free;
    struct packet_slab *slabs;
    struct packet_watcher *watcher; // NULL: none; one pool for each direction
};

// A zeroed pool is an empty one.
void packet_pool_close(struct packet_pool *pool); // frees every packet ever taken from it

struct packet *packet_take(struct packet_pool *pool); // NULL when memory is short; bytes undefined
void packet_return(struct packet_pool *pool, struct packet *packet);
// Notifies the watcher, then takes the packet back. The caller counts it.
void packet_drop(struct packet_pool *pool, struct packet *packet, enum drop_reason reason, uint64_t now_ns);

// A zeroed list is an empty one.
struct packet_list {
    struct packet *first;
    struct packet *last;
    uint64_t packets;
    uint64_t size_bytes;
};

void packet_list_add(struct packet_list *list, struct packet *packet);
struct packet *packet_list_remove(struct packet_list *list); // the first; NULL when empty
