#include "shaper/path.h"

void path_open(struct path *path, const struct link_profile *profile, enum path_stream stream,
               struct packet_pool *pool, struct node *out) {
    const struct link_direction *direction = stream == PATH_DOWN ? &profile->down : &profile->up;
    struct link_queue_limits limits = link_queue_limits(profile, direction);
    delay_open(&path->delay, direction->delay_ns, out);
    loss_open(&path->loss, pool, direction->loss, profile->seed, stream, &path->delay.node);
    link_open(&path->link, pool, direction->rate_bps, limits.packets, limits.bytes, &path->loss.node);
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
