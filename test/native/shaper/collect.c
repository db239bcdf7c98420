#include "collect.h"

#include <stdlib.h>
#include <string.h>

static void take(struct node *node, struct packet *packet, uint64_t now_ns) {
    struct collect *collect = (struct collect *)node;
    if (collect->count == COLLECT_MAX) abort();
    struct departure *departure = &collect->departures[collect->count++];
    departure->time_ns = now_ns;
    departure->size_bytes = packet->size_bytes;
    memcpy(&departure->number, packet->bytes, sizeof departure->number);
    collect->bytes += packet->size_bytes;
    packet_return(&collect->pool, packet);
}

static const struct node_kind collect_kind = {take, NULL, NULL, NULL};

struct collect *collect_open(void) {
    struct collect *collect = malloc(sizeof *collect);
    if (!collect) abort();
    collect->node = (struct node){&collect_kind, NULL};
    collect->pool = (struct packet_pool){0};
    collect->count = 0;
    collect->bytes = 0;
    return collect;
}

void collect_close(struct collect *collect) {
    packet_pool_close(&collect->pool);
    free(collect);
}

struct packet *test_packet(struct packet_pool *pool, uint32_t number, uint32_t size_bytes) {
    struct packet *packet = packet_take(pool);
    if (!packet) abort();
    memcpy(packet->bytes, &number, sizeof number);
    packet->size_bytes = size_bytes;
    return packet;
}

int collect_set_up(void **state) {
    *state = collect_open();
    return 0;
}

int collect_tear_down(void **state) {
    collect_close(*state);
    return 0;
}
