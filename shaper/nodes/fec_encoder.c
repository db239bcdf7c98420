// Flows have their places in sets of a few, found by a hash of the key: a datagram costs the same however
// many flows there are.
#include "shaper/nodes/fec_encoder.h"

#include <stdlib.h>
#include <string.h>

enum { WAYS = 8 };

struct fec_source {
    struct fec_key key;
    uint32_t flow; // never 0 in a place that is taken
    uint32_t group;
    uint16_t size;      // of the present group
    uint16_t datagrams; // of it so far
    struct packet *sum; // of those; NULL: none
    uint64_t heard;
};

static uint64_t hash(const struct fec_key *key) {
    uint64_t h = 0;
    for (int i = 0; i < 6; i++) {
        h = (h ^ key->words[i]) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 32;
    }
    return h;
}

static void give_up_group(struct fec_encoder *encoder, struct fec_source *source) {
    if (source->sum) packet_return(encoder->pool, source->sum);
    source->sum = NULL;
    source->datagrams = 0;
}

// The flow's place, or the one in its set that has been silent longest.
static struct fec_source *find(struct fec_encoder *encoder, const struct fec_key *key) {
    struct fec_source *set = encoder->sources + hash(key) % (FEC_FLOWS / WAYS) * WAYS;
    struct fec_source *oldest = set;
    for (struct fec_source *source = set; source < set + WAYS; source++) {
        if (source->flow > 0 && memcmp(&source->key, key, sizeof *key) == 0) return source;
        if (source->heard < oldest->heard) oldest = source;
    }
    give_up_group(encoder, oldest);
    // The decoder keeps flows in as many places: number modulo FEC_FLOWS. This is the same place there.
    uint32_t place = (uint32_t)(oldest - encoder->sources);
    *oldest = (struct fec_source){.key = *key, .flow = ++encoder->generation * FEC_FLOWS + place};
    return oldest;
}

// True if the datagram is part of a group now.
static bool code(struct fec_encoder *encoder, struct fec_source *source, struct packet *packet) {
    if (!source->sum) {
        source->sum = packet_take(encoder->pool);
        if (!source->sum) return false;
        source->sum->size_bytes = 0;
        source->size = (uint16_t)encoder->group;
        source->group++;
    }
    if (!fec_add(source->sum, packet)) return false;
    packet->fec = (struct packet_fec){source->flow, source->group, source->size, source->datagrams++};
    return true;
}

static void take(struct node *node, struct packet *packet, uint64_t now_ns) {
    struct fec_encoder *encoder = (struct fec_encoder *)node;
    struct fec_key key;
    if (encoder->group > 0 && fec_read(packet, &key) &&
        (encoder->sources || (encoder->sources = calloc(FEC_FLOWS, sizeof *encoder->sources)))) {
        struct fec_source *source = find(encoder, &key);
        source->heard = ++encoder->turn;
        if (code(encoder, source, packet) && source->datagrams == source->size) {
            struct packet *parity = source->sum;
            source->sum = NULL;
            source->datagrams = 0;
            fec_make_parity(parity, fec_ecn(packet));
            parity->arrived_ns = now_ns;
            parity->number = packet->number;
            parity->fec = packet->fec;
            parity->fec.index = parity->fec.size;
            encoder->parity_packets++;
            encoder->parity_bytes += parity->size_bytes;
            node_take(node->next, packet, now_ns);
            struct packet_watcher *watcher = encoder->pool->watcher;
            if (watcher) watcher->arrived(watcher, parity, now_ns); // here, and nowhere before
            node_take(node->next, parity, now_ns);
            return;
        }
    }
    node_take(node->next, packet, now_ns);
}

static const struct node_kind encoder_kind = {take, NULL, NULL, NULL};

void fec_encoder_open(struct fec_encoder *encoder, struct packet_pool *pool, uint32_t group,
                      struct node *next) {
    *encoder = (struct fec_encoder){.node = {&encoder_kind, next}, .pool = pool, .group = group};
}

void fec_encoder_steer(struct fec_encoder *encoder, uint32_t group) {
    encoder->group = group;
}

void fec_encoder_close(struct fec_encoder *encoder) {
    for (int i = 0; encoder->sources && i < FEC_FLOWS; i++)
        give_up_group(encoder, &encoder->sources[i]);
    free(encoder->sources);
    encoder->sources = NULL;
}
