#include "shaper/drop_tail.h"

void drop_tail_put(struct drop_tail *queue, struct packet_pool *pool, struct packet *packet,
                   uint64_t now_ns) {
    struct packet_list *list = &queue->list;
    if (list->packets >= queue->limit_packets || list->size_bytes + packet->size_bytes > queue->limit_bytes) {
        queue->drops++;
        queue->dropped_bytes += packet->size_bytes;
        packet_drop(pool, packet, DROP_QUEUE, now_ns);
        return;
    }
    packet_list_add(list, packet);
    if (pool->watcher) pool->watcher->queued(pool->watcher, packet, now_ns);
    if (list->packets > queue->peak_packets) queue->peak_packets = list->packets;
    if (list->size_bytes > queue->peak_bytes) queue->peak_bytes = list->size_bytes;
}

struct packet *drop_tail_get(struct drop_tail *queue) {
    return packet_list_remove(&queue->list);
}
