#include "shaper/nodes/reorder.h"

static uint64_t due_ns(const struct node *node) {
    const struct reorder *reorder = (const struct reorder *)node;
    return reorder->aside.first ? reorder->last_ns + REORDER_PATIENCE_NS : NODE_NEVER;
}

static void advance(struct node *node, uint64_t now_ns) {
    struct reorder *reorder = (struct reorder *)node;
    uint64_t release_ns = due_ns(node);
    if (release_ns > now_ns) return;
    while (reorder->aside.first)
        node_take(node->next, packet_list_remove(&reorder->aside), release_ns);
}

static void take(struct node *node, struct packet *packet, uint64_t now_ns) {
    struct reorder *reorder = (struct reorder *)node;
    advance(node, now_ns); // a link upstream may pass on packets of several times in one go
    reorder->last_ns = now_ns;
    bool chosen = random_chance(&reorder->random, reorder->settings.probability);
    if (chosen && reorder->settings.distance > 0 && reorder->aside.packets < REORDER_HELD_MAX) {
        reorder->reordered++;
        packet->due_ns = reorder->passed + reorder->settings.distance;
        packet_list_add(&reorder->aside, packet);
        return;
    }
    reorder->passed++;
    node_take(node->next, packet, now_ns);
    // After a change to a smaller distance a later one may be due first; it waits for those before it.
    while (reorder->aside.first && reorder->aside.first->due_ns <= reorder->passed)
        node_take(node->next, packet_list_remove(&reorder->aside), now_ns);
}

static uint64_t held(const struct node *node) {
    return ((const struct reorder *)node)->aside.packets;
}

static const struct node_kind reorder_kind = {take, advance, due_ns, held};

void reorder_open(struct reorder *reorder, const struct reorder_settings *settings, uint64_t seed,
                  uint64_t stream, struct node *next) {
    *reorder = (struct reorder){.node = {&reorder_kind, next}, .settings = *settings};
    random_open(&reorder->random, seed, stream);
}

void reorder_steer(struct reorder *reorder, const struct reorder_settings *settings) {
    reorder->settings = *settings;
}
