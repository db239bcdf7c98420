#include "quic_io/burst.h"

#include <string.h>

uint8_t *burst_place(struct burst *burst, size_t size) {
    const struct udp_burst *first = &burst->first;
    bool full = burst->behind.size > 0 || burst->due_ns > 0 ||
                (first->size > 0 && first->size % first->segment_size > 0) ||
                first->size + size > sizeof burst->bytes ||
                (first->size > 0 && first->size / first->segment_size >= UDP_BURST_PACKETS_MAX);
    return full ? NULL : burst->bytes + first->size;
}

static bool same_way(const struct udp_burst *a, const struct udp_burst *b) {
    return memcmp(&a->peer, &b->peer, sizeof a->peer) == 0 &&
           memcmp(&a->local, &b->local, sizeof a->local) == 0;
}

void burst_add(struct burst *burst, const struct udp_burst *packet, uint64_t due_ns) {
    struct udp_burst *first = &burst->first;
    if (first->size == 0)
        *first = *packet;
    else if (due_ns == 0 && packet->size <= first->segment_size && same_way(first, packet))
        first->size += packet->size;
    else
        burst->behind = *packet;
    burst->due_ns = due_ns;
}

bool burst_flush(struct burst *burst, const struct udp_link *link, uint64_t now_ns) {
    while (burst->first.size > 0) {
        bool last = burst->behind.size == 0;
        if (last && burst->due_ns > now_ns) return false;
        burst->first.bytes = burst->bytes;
        burst->no_room = link->send(link->context, &burst->first) == 0;
        if (burst->no_room) return false;
        if (!last) memmove(burst->bytes, burst->bytes + burst->first.size, burst->behind.size);
        burst->first = burst->behind;
        burst->behind = (struct udp_burst){0};
    }
    burst->due_ns = 0;
    return true;
}
