#include "shaper/evidence/flow_table.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 256 };

_Static_assert(sizeof(struct flow_key) % sizeof(uint64_t) == 0, "keys are hashed in words, without padding");

void flow_table_close(struct flow_table *table) {
    for (uint32_t i = 0; i < table->count; i++) {
        stream_bytes_close(&table->flows[i].received_down);
        stream_bytes_close(&table->flows[i].received_up);
    }
    free(table->flows);
    free(table->slots);
    *table = (struct flow_table){0};
}

// Mixes eight bytes at a time. Somebody could make flows collide; the flows here are the user's own.
static uint32_t hash_of(const struct flow_key *key) {
    uint64_t words[sizeof *key / sizeof(uint64_t)], hash = 0;
    memcpy(words, key, sizeof words);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        hash = (hash ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return (uint32_t)hash;
}

// The slot that holds the key's flow, or the empty one where it belongs.
static uint32_t *slot_of(struct flow_table *table, const struct flow_key *key) {
    uint32_t at = hash_of(key) & (table->slot_count - 1);
    while (table->slots[at] != 0 && memcmp(&table->flows[table->slots[at] - 1].key, key, sizeof *key) != 0)
        at = (at + 1) & (table->slot_count - 1);
    return &table->slots[at];
}

// Room for one more flow, with at least half of the slots empty.
static bool make_room(struct flow_table *table) {
    if (table->count >= FLOWS_MAX) return false;
    if (table->count < table->capacity) return true;
    uint32_t capacity = table->capacity > 0 ? table->capacity * 2 : FIRST_SLOTS / 2;
    struct flow *flows = realloc(table->flows, capacity * sizeof *flows);
    if (!flows) return false;
    table->flows = flows;
    uint32_t *slots = calloc((size_t)capacity * 2, sizeof *slots);
    if (!slots) return false;
    free(table->slots);
    table->slots = slots;
    table->slot_count = capacity * 2;
    table->capacity = capacity;
    for (uint32_t i = 0; i < table->count; i++)
        *slot_of(table, &table->flows[i].key) = i + 1;
    return true;
}

// NULL: it has no place.
static struct flow *flow_of(struct flow_table *table, const struct flow_key *key) {
    if (table->slot_count > 0) {
        uint32_t slot = *slot_of(table, key);
        if (slot != 0) return &table->flows[slot - 1];
    }
    if (!make_room(table)) return NULL;
    struct flow *flow = &table->flows[table->count++];
    *flow = (struct flow){.key = *key};
    *slot_of(table, key) = table->count;
    return flow;
}

uint32_t flow_table_find(struct flow_table *table, const struct packet *packet, bool down) {
    struct flow_packet read;
    if (!flow_packet_read(&read, packet->bytes, packet->size_bytes, down)) return FLOW_NONE;
    struct flow *flow = flow_of(table, &read.key);
    return flow ? (uint32_t)(flow - table->flows) : FLOW_NONE;
}

// The flow's counts, or NULL.
static struct flow_counts *counts_of(struct flow_table *table, uint32_t flow, bool down) {
    if (flow == FLOW_NONE) return NULL;
    return down ? &table->flows[flow].down : &table->flows[flow].up;
}

static struct flow_counts *all(struct flow_table *table, bool down) {
    return down ? &table->down : &table->up;
}

static void count_sent(struct flow_counts *counts, const struct packet *packet, uint64_t now_ns) {
    if (!counts) return;
    if (counts->sent_packets++ == 0) counts->first_ns = now_ns;
    counts->sent_bytes += packet->size_bytes;
}

uint32_t flow_table_sent(struct flow_table *table, const struct packet *packet, bool down, uint64_t now_ns) {
    uint32_t flow = flow_table_find(table, packet, down);
    if (flow == FLOW_NONE) table->untracked_packets++;
    count_sent(counts_of(table, flow, down), packet, now_ns);
    count_sent(all(table, down), packet, now_ns);
    return flow;
}

static void count_left_link(struct flow_counts *counts, const struct packet *packet, uint64_t delay_ns) {
    if (!counts) return;
    counts->queued_packets++;
    counts->queued_bytes += packet->size_bytes;
    counts->queue_delay_sum_ns += delay_ns;
    if (delay_ns > counts->queue_delay_max_ns) counts->queue_delay_max_ns = delay_ns;
}

uint64_t flow_queue_delay_ns(const struct packet *packet, uint64_t end_ns) {
    return end_ns > packet->arrived_ns ? end_ns - packet->arrived_ns : 0;
}

uint32_t flow_table_left_link(struct flow_table *table, const struct packet *packet, bool down,
                              uint64_t end_ns) {
    uint64_t delay_ns = flow_queue_delay_ns(packet, end_ns);
    uint32_t flow = flow_table_find(table, packet, down);
    count_left_link(counts_of(table, flow, down), packet, delay_ns);
    count_left_link(all(table, down), packet, delay_ns);
    histogram_add(down ? &table->queue_delay_down_ns : &table->queue_delay_up_ns, delay_ns);
    return flow;
}

uint32_t flow_table_marked(struct flow_table *table, const struct packet *packet, bool down) {
    uint32_t flow = flow_table_find(table, packet, down);
    struct flow_counts *counts = counts_of(table, flow, down);
    if (counts) counts->marked_packets++;
    all(table, down)->marked_packets++;
    return flow;
}

static void count_received(struct flow_counts *counts, const struct packet *packet, uint64_t goodput_bytes,
                           uint64_t now_ns) {
    counts->received_packets++;
    counts->received_bytes += packet->size_bytes;
    counts->goodput_bytes += goodput_bytes;
    if (now_ns > counts->last_ns) counts->last_ns = now_ns;
}

void flow_table_received(struct flow_table *table, const struct packet *packet, bool down, uint64_t now_ns) {
    struct flow_packet read;
    uint64_t goodput_bytes = 0;
    if (flow_packet_read(&read, packet->bytes, packet->size_bytes, down)) {
        struct flow *flow = flow_of(table, &read.key);
        goodput_bytes = read.payload_bytes;
        if (flow && read.ordered)
            goodput_bytes = stream_bytes_add(down ? &flow->received_down : &flow->received_up, read.sequence,
                                             read.payload_bytes);
        if (flow) count_received(down ? &flow->down : &flow->up, packet, goodput_bytes, now_ns);
    }
    count_received(all(table, down), packet, goodput_bytes, now_ns);
}

static void count_lost(struct flow_counts *counts, const struct packet *packet, enum drop_reason reason) {
    if (!counts) return;
    counts->lost_packets[reason]++;
    counts->lost_bytes += packet->size_bytes;
}

uint32_t flow_table_lost(struct flow_table *table, const struct packet *packet, bool down,
                         enum drop_reason reason) {
    uint32_t flow = flow_table_find(table, packet, down);
    count_lost(counts_of(table, flow, down), packet, reason);
    count_lost(all(table, down), packet, reason);
    return flow;
}
