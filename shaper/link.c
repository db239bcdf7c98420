#include "shaper/link.h"

#include <stddef.h>

static const uint64_t bit_ns = UINT64_C(8000000000); // nanoseconds a byte takes at 1 bit/s

// Departures follow one another exactly: the next begins when the last ended, fractions of nanoseconds
// included.
static void send(struct link *link, struct packet *packet, uint64_t start_ns, uint64_t start_fraction) {
    uint64_t time =
        packet->size_bytes * bit_ns + start_fraction; // in 1/rate_bps of a nanosecond; 2000 bytes: 1.6e13
    link->sending = packet;
    link->start_ns = start_ns;
    link->end_ns = start_ns + time / link->rate_bps;
    link->end_fraction = time % link->rate_bps;
}

static void tell_sent(const struct link *link, const struct packet *packet, uint64_t end_ns) {
    struct packet_watcher *watcher = link->pool->watcher;
    if (watcher) watcher->sent(watcher, packet, end_ns);
}

static void take(struct node *node, struct packet *packet, uint64_t now_ns) {
    struct link *link = (struct link *)node;
    if (link->rate_bps == 0) {
        tell_sent(link, packet, now_ns);
        node_take(node->next, packet, now_ns);
    } else if (!link->sending) {
        send(link, packet, now_ns, 0);
    } else {
        drop_tail_put(&link->queue, link->pool, packet, now_ns);
    }
}

static void advance(struct node *node, uint64_t now_ns) {
    struct link *link = (struct link *)node;
    while (link->sending && link->end_ns <= now_ns) {
        struct packet *sent = link->sending;
        uint64_t end_ns = link->end_ns;
        link->busy_ns += end_ns - link->start_ns;
        struct packet *packet = drop_tail_get(&link->queue);
        if (packet)
            send(link, packet, end_ns, link->end_fraction);
        else
            link->sending = NULL;
        tell_sent(link, sent, end_ns);
        node_take(node->next, sent, end_ns);
    }
}

static uint64_t due_ns(const struct node *node) {
    const struct link *link = (const struct link *)node;
    return link->sending ? link->end_ns : NODE_NEVER;
}

static uint64_t held(const struct node *node) {
    const struct link *link = (const struct link *)node;
    return link->queue.list.packets + (link->sending ? 1 : 0);
}

static const struct node_kind link_kind = {take, advance, due_ns, held};

void link_open(struct link *link, struct packet_pool *pool, uint64_t rate_bps, uint64_t limit_packets,
               uint64_t limit_bytes, struct node *next) {
    *link = (struct link){
        .node = {&link_kind, next},
        .pool = pool,
        .rate_bps = rate_bps,
        .queue = {.limit_packets = limit_packets, .limit_bytes = limit_bytes},
    };
}
