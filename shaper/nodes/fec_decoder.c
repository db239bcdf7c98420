#include "shaper/nodes/fec_decoder.h"

#include "shaper/nodes/settings.h"

#include <stdlib.h>

struct fec_group {
    uint32_t number;
    uint16_t size;      // 0: none is remembered here
    uint16_t count;     // datagrams that came or were repaired
    uint64_t datagrams; // which: bit by bit
    bool parity;        // it came
    bool failed;        // is among the failures
    bool repaired;      // `repair` was, and has not come itself
    uint16_t repair;
    uint8_t ecn;        // the parity packet's: what the network said of this group last
    struct packet *sum; // of all that came; NULL: of nothing, or not needed any more
};

struct fec_sink {
    uint32_t flow; // 0: none
    struct fec_group groups[FEC_GROUPS];
};

static bool is_before(uint32_t a, uint32_t b) {
    return (int32_t)(a - b) < 0; // numbers wrap
}

static void forget_sum(struct fec_decoder *decoder, struct fec_group *group) {
    if (group->sum) packet_return(decoder->pool, group->sum);
    group->sum = NULL;
}

// Where the packet's group is remembered; NULL if it is too late for it.
static struct fec_group *find(struct fec_decoder *decoder, const struct packet_fec *fec) {
    if (fec->size > FEC_GROUP_MAX || fec->index > fec->size) return NULL;
    if (!decoder->sinks && !(decoder->sinks = calloc(FEC_FLOWS, sizeof *decoder->sinks))) return NULL;
    struct fec_sink *sink = &decoder->sinks[fec->flow % FEC_FLOWS];
    if (sink->flow != fec->flow) {
        if (sink->flow > 0 && is_before(fec->flow, sink->flow)) return NULL;
        for (int i = 0; i < FEC_GROUPS; i++)
            forget_sum(decoder, &sink->groups[i]);
        *sink = (struct fec_sink){.flow = fec->flow};
    }
    struct fec_group *group = &sink->groups[fec->group % FEC_GROUPS];
    if (group->size == 0 || group->number != fec->group) {
        if (group->size > 0 && is_before(fec->group, group->number)) return NULL;
        forget_sum(decoder, group);
        *group = (struct fec_group){.number = fec->group, .size = fec->size};
    }
    return group->size == fec->size ? group : NULL;
}

// Without memory for a sum the packet counts as not come: it may then be repaired although it did.
static bool add(struct fec_decoder *decoder, struct fec_group *group, const struct packet *packet) {
    if (!group->sum) {
        group->sum = packet_take(decoder->pool);
        if (!group->sum) return false;
        group->sum->size_bytes = 0;
    }
    return fec_add(group->sum, packet);
}

// After something of the group has come.
static void settle(struct fec_decoder *decoder, struct fec_group *group, uint64_t now_ns) {
    bool failed = group->parity && group->count + 1 < group->size;
    decoder->failures += (uint64_t)failed - (uint64_t)group->failed;
    group->failed = failed;
    if (group->count == group->size) forget_sum(decoder, group);
    if (!group->parity || group->count + 1 != group->size) return;

    struct packet *repaired = group->sum;
    group->sum = NULL;
    uint16_t missing = (uint16_t)__builtin_ctzll(~group->datagrams);
    group->count++;
    group->datagrams |= UINT64_C(1) << missing;
    if (!fec_make_datagram(repaired, group->ecn)) { // no encoder's group
        decoder->failures++;
        packet_return(decoder->pool, repaired);
        return;
    }
    group->repaired = true;
    group->repair = missing;
    decoder->repairs++;
    decoder->repaired_bytes += repaired->size_bytes;
    repaired->fec.index = missing;
    node_take(decoder->node.next, repaired, now_ns);
}

static void take_parity(struct fec_decoder *decoder, struct fec_group *group, const struct packet *packet,
                        uint64_t now_ns) {
    if (group->parity) return; // a copy
    bool needed = group->count < group->size;
    if (needed && !add(decoder, group, packet)) return;
    group->parity = true;
    group->ecn = fec_ecn(packet);
    if (!needed) return;
    group->sum->number = packet->number; // the missing one's own is unknown here
    group->sum->arrived_ns = packet->arrived_ns;
    group->sum->fec = packet->fec;
    settle(decoder, group, now_ns);
}

static void take(struct node *node, struct packet *packet, uint64_t now_ns) {
    struct fec_decoder *decoder = (struct fec_decoder *)node;
    if (packet->fec.size == 0) {
        node_take(node->next, packet, now_ns);
        return;
    }
    struct fec_group *group = find(decoder, &packet->fec);
    uint16_t index = packet->fec.index;
    if (index >= packet->fec.size) {
        decoder->parity_packets++;
        if (group) take_parity(decoder, group, packet, now_ns);
        packet_return(decoder->pool, packet);
        return;
    }
    if (group && group->repaired && group->repair == index) {
        group->repaired = false; // a copy of it, if the network made one, passes as any other
        decoder->late++;
        packet_return(decoder->pool, packet);
        return;
    }
    bool news = group && !(group->datagrams >> index & 1) && add(decoder, group, packet);
    node_take(node->next, packet, now_ns);
    if (!news) return;
    group->datagrams |= UINT64_C(1) << index;
    group->count++;
    settle(decoder, group, now_ns);
}

static const struct node_kind decoder_kind = {take, NULL, NULL, NULL};

void fec_decoder_open(struct fec_decoder *decoder, struct packet_pool *pool, struct node *next) {
    *decoder = (struct fec_decoder){.node = {&decoder_kind, next}, .pool = pool};
}

void fec_decoder_close(struct fec_decoder *decoder) {
    for (int flow = 0; decoder->sinks && flow < FEC_FLOWS; flow++)
        for (int i = 0; i < FEC_GROUPS; i++)
            forget_sum(decoder, &decoder->sinks[flow].groups[i]);
    free(decoder->sinks);
    decoder->sinks = NULL;
}
