#include "shaper/origin_delay.h"

static uint64_t due_ns(const struct node *node) {
    return packet_heap_due_ns(&((const struct origin_delay *)node)->heap);
}

static void advance(struct node *node, uint64_t now_ns) {
    struct origin_delay *delay = (struct origin_delay *)node;
    uint64_t first_ns;
    while ((first_ns = due_ns(node)) <= now_ns)
        node_take(node->next, packet_heap_remove(&delay->heap), first_ns);
}

// Where the two addresses stand in the header (RFC 791, RFC 8200). A packet here is whole.
static uint64_t one_way_ns(const struct origin_delay *delay, const struct packet *packet) {
    enum { V4_SOURCE = 12, V4_BYTES = 4, V6_SOURCE = 8, V6_BYTES = 16 };
    bool v6 = packet->bytes[0] >> 4 == 6;
    size_t size = v6 ? V6_BYTES : V4_BYTES;
    const uint8_t *source = packet->bytes + (v6 ? V6_SOURCE : V4_SOURCE);
    return origin_delays_one_way_ns(delay->delays, delay->place == ORIGIN_IS_SOURCE ? source : source + size,
                                    size);
}

static void take(struct node *node, struct packet *packet, uint64_t now_ns) {
    struct origin_delay *delay = (struct origin_delay *)node;
    if (!delay->delays) {
        node_take(node->next, packet, now_ns);
        return;
    }
    advance(node, now_ns); // nodes upstream may pass on packets of several times in one go
    uint64_t extra_ns = one_way_ns(delay, packet);
    if (extra_ns == 0) {
        node_take(node->next, packet, now_ns);
    } else if (packet_heap_add(&delay->heap, packet, now_ns + extra_ns) < 0) {
        delay->drops++;
        delay->dropped_bytes += packet->size_bytes;
        packet_drop(delay->pool, packet, DROP_MEMORY, now_ns);
    }
}

static uint64_t held(const struct node *node) {
    return ((const struct origin_delay *)node)->heap.count;
}

static const struct node_kind origin_delay_kind = {take, advance, due_ns, held};

void origin_delay_open(struct origin_delay *delay, struct packet_pool *pool, enum origin_place place,
                       struct node *next) {
    *delay = (struct origin_delay){.node = {&origin_delay_kind, next}, .pool = pool, .place = place};
}

struct packet *origin_delay_take_back(struct origin_delay *delay) {
    return delay->heap.count > 0 ? packet_heap_remove(&delay->heap) : NULL;
}

void origin_delay_close(struct origin_delay *delay) {
    packet_heap_close(&delay->heap);
}
