#include "shaper/delay.h"

static void take(struct node *node, struct packet *packet, uint64_t now_ns) {
    struct delay *delay = (struct delay *)node;
    packet->due_ns = now_ns + delay->delay_ns;
    packet_list_add(&delay->list, packet);
}

static void advance(struct node *node, uint64_t now_ns) {
    struct delay *delay = (struct delay *)node;
    while (delay->list.first && delay->list.first->due_ns <= now_ns) {
        struct packet *packet = packet_list_remove(&delay->list);
        node_take(node->next, packet, packet->due_ns);
    }
}

static uint64_t due_ns(const struct node *node) {
    const struct delay *delay = (const struct delay *)node;
    return delay->list.first ? delay->list.first->due_ns : NODE_NEVER;
}

static uint64_t held(const struct node *node) {
    return ((const struct delay *)node)->list.packets;
}

static const struct node_kind delay_kind = {take, advance, due_ns, held};

void delay_open(struct delay *delay, uint64_t delay_ns, struct node *next) {
    *delay = (struct delay){.node = {&delay_kind, next}, .delay_ns = delay_ns};
}
