#include "shaper/nodes/duplicate.h"

#include <stddef.h>
#include <string.h>

static void take(struct node *node, struct packet *packet, uint64_t now_ns) {
    struct duplicate *duplicate = (struct duplicate *)node;
    bool twice = random_chance(&duplicate->random, duplicate->probability);
    struct packet *copy = twice ? packet_take(duplicate->pool) : NULL;
    if (copy) {
        memcpy(copy, packet, offsetof(struct packet, bytes) + packet->size_bytes);
        duplicate->copies++;
        duplicate->copied_bytes += copy->size_bytes;
    }
    node_take(node->next, packet, now_ns);
    if (copy) node_take(node->next, copy, now_ns);
}

static const struct node_kind duplicate_kind = {take, NULL, NULL, NULL};

void duplicate_open(struct duplicate *duplicate, struct packet_pool *pool, double probability, uint64_t seed,
                    uint64_t stream, struct node *next) {
    *duplicate =
        (struct duplicate){.node = {&duplicate_kind, next}, .pool = pool, .probability = probability};
    random_open(&duplicate->random, seed, stream);
}

void duplicate_steer(struct duplicate *duplicate, double probability) {
    duplicate->probability = probability;
}
