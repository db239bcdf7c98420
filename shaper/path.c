#include "shaper/path.h"

// A node's place in the path: which of its direction's streams it draws from.
enum place {
    PLACE_ONOFF = 1,
    PLACE_LINK,
    PLACE_LOSS,
    PLACE_DUPLICATE,
    PLACE_REORDER,
    PLACE_DELAY,
    PLACES = 16
};

static const struct direction_settings *settings_of(const struct link_profile *profile,
                                                    enum path_stream stream) {
    return stream == PATH_DOWN ? &profile->down : &profile->up;
}

void path_open(struct path *path, const struct link_profile *profile, enum path_stream stream,
               struct packet_pool *pool, struct node *out) {
    const struct direction_settings *settings = settings_of(profile, stream);
    uint64_t seed = profile->seed, first = stream * (uint64_t)PLACES;
    path->stream = stream;
    path->pool = pool;
    path->packets = path->moved = path->moved_bytes = 0;
    origin_delay_open(&path->origin_delay, pool,
                      stream == PATH_DOWN ? ORIGIN_IS_SOURCE : ORIGIN_IS_DESTINATION, out);
    fec_decoder_open(&path->fec_decoder, pool, &path->origin_delay.node);
    delay_open(&path->delay, pool, &settings->delay, seed, first + PLACE_DELAY, &path->fec_decoder.node);
    reorder_open(&path->reorder, &settings->reorder, seed, first + PLACE_REORDER, &path->delay.node);
    duplicate_open(&path->duplicate, pool, settings->duplicate, seed, first + PLACE_DUPLICATE,
                   &path->reorder.node);
    loss_open(&path->loss, pool, &settings->loss, seed, first + PLACE_LOSS, &path->duplicate.node);
    link_open(&path->link, pool, &settings->rate, &settings->queue, seed, first + PLACE_LINK,
              &path->loss.node);
    onoff_open(&path->onoff, pool, &settings->onoff, seed, first + PLACE_ONOFF, &path->link.node);
    fec_encoder_open(&path->fec_encoder, pool, settings->fec_group, &path->onoff.node);
    udp_policy_open(&path->udp_policy, pool, &profile->udp, stream == PATH_DOWN, &path->fec_encoder.node);
}

void path_close(struct path *path) {
    udp_policy_close(&path->udp_policy);
    fec_encoder_close(&path->fec_encoder);
    link_close(&path->link);
    delay_close(&path->delay);
    fec_decoder_close(&path->fec_decoder);
    origin_delay_close(&path->origin_delay);
}

void path_delay_origins(struct path *path, const struct origin_delays *delays) {
    path->origin_delay.delays = delays;
}

void path_start(struct path *path, uint64_t now_ns) {
    onoff_start(&path->onoff, now_ns);
    link_start(&path->link, now_ns);
    loss_start(&path->loss, now_ns);
    delay_start(&path->delay, now_ns);
}

static void steer(struct path *path, const struct direction_settings *settings, uint64_t now_ns) {
    fec_encoder_steer(&path->fec_encoder, settings->fec_group);
    onoff_steer(&path->onoff, &settings->onoff);
    link_steer(&path->link, &settings->rate, &settings->queue, now_ns);
    loss_steer(&path->loss, &settings->loss, now_ns);
    duplicate_steer(&path->duplicate, settings->duplicate);
    reorder_steer(&path->reorder, &settings->reorder);
    delay_steer(&path->delay, &settings->delay);
}

void path_steer(struct path *path, const struct link_profile *profile, uint64_t now_ns) {
    const struct direction_settings *settings = settings_of(profile, path->stream);
    path_advance(path, now_ns); // all up to now is decided by the old settings
    udp_policy_steer(&path->udp_policy, &profile->udp, now_ns);
    steer(path, settings, now_ns);
}

static void lose(struct path *path, struct packet *packet, bool queued, uint64_t now_ns) {
    path->moved++;
    path->moved_bytes += packet->size_bytes;
    packet_drop(path->pool, packet, queued ? DROP_MOVED_QUEUED : DROP_MOVED_SENT, now_ns);
}

void path_switch(struct path *path, const struct link_profile *profile, uint64_t now_ns) {
    const struct direction_settings *settings = settings_of(profile, path->stream);
    struct packet *packet;
    path_advance(path, now_ns);
    while ((packet = udp_policy_take_back(&path->udp_policy)))
        lose(path, packet, false, now_ns);
    while ((packet = link_take_back(&path->link, now_ns)))
        lose(path, packet, true, now_ns);
    while ((packet = packet_list_remove(&path->reorder.aside)))
        lose(path, packet, false, now_ns);
    while ((packet = delay_take_back(&path->delay)))
        lose(path, packet, false, now_ns);
    while ((packet = origin_delay_take_back(&path->origin_delay)))
        lose(path, packet, false, now_ns);
    udp_policy_steer(&path->udp_policy, &profile->udp, now_ns);
    steer(path, settings, now_ns);
    path_start(path, now_ns);
}

void path_take(struct path *path, struct packet *packet, uint64_t now_ns) {
    path_advance(path, now_ns);
    packet->number = path->packets++;
    packet->arrived_ns = now_ns;
    packet->fec = (struct packet_fec){0};
    node_take(&path->udp_policy.node, packet, now_ns);
}

// The nodes that hold something, in the packets' direction. Each brings itself up to date when a packet
// reaches it, so that one after the other is enough: what one passes on at several times in one go finds the
// next one as it was at each of them.
enum { HOLDING = 5 };

static void holding(const struct path *path, const struct node *nodes[HOLDING]) {
    nodes[0] = &path->udp_policy.node;
    nodes[1] = &path->link.node;
    nodes[2] = &path->reorder.node;
    nodes[3] = &path->delay.node;
    nodes[4] = &path->origin_delay.node;
}

void path_advance(struct path *path, uint64_t now_ns) {
    const struct node *nodes[HOLDING];
    holding(path, nodes);
    for (int i = 0; i < HOLDING; i++)
        nodes[i]->kind->advance((struct node *)nodes[i], now_ns);
}

uint64_t path_due_ns(const struct path *path) {
    const struct node *nodes[HOLDING];
    holding(path, nodes);
    uint64_t first_ns = NODE_NEVER;
    for (int i = 0; i < HOLDING; i++) {
        uint64_t due_ns = nodes[i]->kind->due_ns(nodes[i]);
        if (due_ns < first_ns) first_ns = due_ns;
    }
    return first_ns;
}

uint64_t path_held(const struct path *path) {
    const struct node *nodes[HOLDING];
    holding(path, nodes);
    uint64_t packets = 0;
    for (int i = 0; i < HOLDING; i++)
        packets += nodes[i]->kind->held(nodes[i]);
    return packets;
}
