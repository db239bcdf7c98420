#include "shaper/nodes/packet.h"

#include <stdlib.h>
#include <string.h>

enum { PACKETS_PER_SLAB = 128 };

struct packet_slab {
    struct packet_slab *next;
    struct packet packets[PACKETS_PER_SLAB];
};

void packet_pool_close(struct packet_pool *pool) {
    while (pool->slabs) {
        struct packet_slab *slab = pool->slabs;
        pool->slabs = slab->next;
        free(slab);
    }
    pool->free = NULL;
}

struct packet *packet_take(struct packet_pool *pool) {
    if (!pool->free) {
        struct packet_slab *slab = malloc(sizeof *slab);
        if (!slab) return NULL;
        slab->next = pool->slabs;
        pool->slabs = slab;
        for (int i = 0; i < PACKETS_PER_SLAB; i++)
            packet_return(pool, &slab->packets[i]);
    }
    struct packet *packet = pool->free;
    pool->free = packet->next;
    packet->next = NULL;
    packet->cut = false;
    return packet;
}

void packet_return(struct packet_pool *pool, struct packet *packet) {
    packet->next = pool->free;
    pool->free = packet;
}

void packet_list_add(struct packet_list *list, struct packet *packet) {
    packet->next = NULL;
    if (list->last)
        list->last->next = packet;
    else
        list->first = packet;
    list->last = packet;
    list->packets++;
    list->size_bytes += packet->size_bytes;
}

struct packet *packet_list_remove(struct packet_list *list) {
    struct packet *packet = list->first;
    if (!packet) return NULL;
    list->first = packet->next;
    if (!list->first) list->last = NULL;
    __builtin_prefetch(list->first); // in a long list it has left the caches, and is the next that is wanted
    list->packets--;
    list->size_bytes -= packet->size_bytes;
    packet->next = NULL;
    return packet;
}

void packet_drop(struct packet_pool *pool, struct packet *packet, enum drop_reason reason, uint64_t now_ns) {
    if (pool->watcher) pool->watcher->dropped(pool->watcher, packet, reason, now_ns);
    packet_return(pool, packet);
}
