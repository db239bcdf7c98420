// Counters per flow and per direction: sent, received, lost, bytes, queueing delay, and what NetShaper
// (Carlucci, De Cicco, Mascolo, SAC 2015) reports of them: goodput, channel utilization, loss ratio.
// evidence.h gives it the packets; looks at no clock.
#pragma once

#include "shaper/evidence/stream_bytes.h"
#include "shaper/nodes/flow_key.h"
#include "shaper/nodes/histogram.h"
#include "shaper/nodes/packet.h"

enum { DROP_REASONS = DROP_MEMORY + 1, FLOWS_MAX = 65536 };

#define FLOW_NONE UINT32_MAX

// Of one flow, or of all, in one direction.
struct flow_counts {
    uint64_t sent_packets; // that reached the bottleneck
    uint64_t sent_bytes;   // of IP packets, as all but the goodput
    uint64_t received_packets;
    uint64_t received_bytes;
    uint64_t lost_packets[DROP_REASONS];
    uint64_t lost_bytes;
    uint64_t goodput_bytes; // of payload; for TCP each byte once, for others each datagram received
    uint64_t first_ns;      // sent; where sent_packets > 0
    uint64_t last_ns;       // received; where received_packets > 0
    // From reaching the bottleneck to the end of its transmission, of packets that the link sent: waiting and
    // serialization, without the propagation delay.
    uint64_t queued_packets;
    uint64_t queued_bytes;
    uint64_t queue_delay_sum_ns;
    uint64_t queue_delay_max_ns;
    uint64_t marked_packets; // by the queue, instead of dropped
};

struct flow {
    struct flow_key key;
    struct flow_counts down;
    struct flow_counts up;
    struct stream_bytes received_down;
    struct stream_bytes received_up;
};

struct flow_table {
    struct flow *flows; // in order of their first packet
    uint32_t count;
    uint32_t capacity;
    uint32_t *slots; // of the hash table: 0 empty, else 1 + the flow's number
    uint32_t slot_count;
    struct flow_counts down; // of all packets, also of flows that have no place in the table
    struct flow_counts up;
    struct histogram queue_delay_down_ns;
    struct histogram queue_delay_up_ns;
    uint64_t untracked_packets; // beyond FLOWS_MAX flows, or when memory was short
};

// A zeroed table is an empty one.
void flow_table_close(struct flow_table *table);

// The packet's flow, by its place in `flows`, or FLOW_NONE: it has no place.
uint32_t flow_table_find(struct flow_table *table, const struct packet *packet, bool down);

// These return the packet's flow, too.
uint32_t flow_table_sent(struct flow_table *table, const struct packet *packet, bool down, uint64_t now_ns);
uint32_t flow_table_left_link(struct flow_table *table, const struct packet *packet, bool down,
                              uint64_t end_ns);
uint32_t flow_table_marked(struct flow_table *table, const struct packet *packet, bool down);
uint32_t flow_table_lost(struct flow_table *table, const struct packet *packet, bool down,
                         enum drop_reason reason);
void flow_table_received(struct flow_table *table, const struct packet *packet, bool down, uint64_t now_ns);

// How long a packet that the link has sent waited and was being sent.
uint64_t flow_queue_delay_ns(const struct packet *packet, uint64_t end_ns);
