#include "shaper/loss.h"

#include <stddef.h>

static void take(struct node *node, struct packet *packet, uint64_t now_ns) {
    struct loss *loss = (struct loss *)node;
    if (random_chance(&loss->random, loss->probability)) {
        loss->drops++;
        loss->dropped_bytes += packet->size_bytes;
        packet_return(loss->pool, packet);
        return;
    }
    node_take(node->next, packet, now_ns);
}

static const struct node_kind loss_kind = {take, NULL, NULL, NULL};

void loss_open(struct loss *loss, struct packet_pool *pool, double probability, uint64_t seed,
               uint64_t stream, struct node *next) {
    *loss = (struct loss){.node = {&loss_kind, next}, .pool = pool, .probability = probability};
    random_open(&loss->random, seed, stream);
}
