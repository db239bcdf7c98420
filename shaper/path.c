#include "shaper/path.h"

void path_open(struct path *path, const struct link_profile *profile, enum path_stream stream,
               struct packet_pool *pool, struct node *out) {
    const struct direction_settings *direction = stream == PATH_DOWN ? &profile->down : &profile->up;
    const struct queue_settings *queue = &direction->queue;
    delay_open(&path->delay, link_delay_ns(direction), out);
    loss_open(&path->loss, pool, direction->loss.probability, profile->seed, stream, &path->delay.node);
    link_open(&path->link, pool, link_rate_bps(direction),
              queue->limit_packets > 0 ? queue->limit_packets : UINT64_MAX,
              queue->limit_bytes > 0 ? queue->limit_bytes : UINT64_MAX, &path->loss.node);
}

void path_take(struct path *path, struct packet *packet, uint64_t now_ns) {
    path_advance(path, now_ns);
    node_take(&path->link.node, packet, now_ns);
}

void path_advance(struct path *path, uint64_t now_ns) {
    path->link.node.kind->advance(&path->link.node, now_ns);
    path->delay.node.kind->advance(&path->delay.node, now_ns);
}

uint64_t path_due_ns(const struct path *path) {
    uint64_t link_ns = path->link.node.kind->due_ns(&path->link.node);
    uint64_t delay_ns = path->delay.node.kind->due_ns(&path->delay.node);
    return link_ns < delay_ns ? link_ns : delay_ns;
}

uint64_t path_held(const struct path *path) {
    return path->link.node.kind->held(&path->link.node) + path->delay.node.kind->held(&path->delay.node);
}
