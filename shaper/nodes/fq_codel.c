#include "shaper/nodes/fq_codel.h"

#include "shaper/nodes/flow_key.h"
#include "shaper/nodes/queue.h"

#include <stddef.h>
#include <string.h>

enum { QUANTUM_BYTES = 1514, BATCH_MAX = 64 };

// Hashed with the queue's seed. Packets that are not IP share flow 0.
static struct fq_flow *flow_of(struct queue *queue, const struct packet *packet) {
    struct fq_codel *fq = &queue->fq_codel;
    struct flow_packet read;
    if (!flow_packet_read(&read, packet->bytes, packet->size_bytes, true)) return &fq->flows[0];
    uint64_t hash = queue->random.state, word;
    _Static_assert(sizeof read.key % sizeof word == 0, "hashed by words");
    for (size_t at = 0; at < sizeof read.key; at += sizeof word) {
        memcpy(&word, (const uint8_t *)&read.key + at, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return &fq->flows[hash % FQ_CODEL_FLOWS];
}

static void set_place(struct fq_codel *fq, uint32_t place, uint32_t flow) {
    fq->fattest[place] = (uint16_t)flow;
    fq->flows[flow].place = place;
}

static uint64_t bytes_at(const struct fq_codel *fq, uint32_t place) {
    return fq->flows[fq->fattest[place]].list.size_bytes;
}

static void swap(struct fq_codel *fq, uint32_t a, uint32_t b) {
    uint32_t flow = fq->fattest[a];
    set_place(fq, a, fq->fattest[b]);
    set_place(fq, b, flow);
}

// Right again after the flow at a place has got more or fewer bytes: as many swaps as the heap is high.
static void settle(struct fq_codel *fq, uint32_t place) {
    for (; place > 0 && bytes_at(fq, place) > bytes_at(fq, (place - 1) / 2); place = (place - 1) / 2)
        swap(fq, place, (place - 1) / 2);
    for (;;) {
        uint32_t most = place, left = 2 * place + 1;
        for (uint32_t child = left; child < left + 2 && child < fq->backlogged; child++)
            if (bytes_at(fq, child) > bytes_at(fq, most)) most = child;
        if (most == place) return;
        swap(fq, place, most);
        place = most;
    }
}

static bool backlogged(const struct fq_codel *fq, const struct fq_flow *flow) {
    return flow->place < fq->backlogged && &fq->flows[fq->fattest[flow->place]] == flow;
}

// To be called whenever the flow's list has changed.
static void weigh(struct fq_codel *fq, struct fq_flow *flow) {
    if (flow->list.first && !backlogged(fq, flow))
        set_place(fq, fq->backlogged++, (uint32_t)(flow - fq->flows));
    if (!backlogged(fq, flow)) return;
    uint32_t place = flow->place;
    if (!flow->list.first) {
        swap(fq, place, --fq->backlogged);
        if (place == fq->backlogged) return;
    }
    settle(fq, place);
}

static void join(struct fq_turns *turns, struct fq_flow *flow) {
    flow->next = NULL;
    if (turns->last)
        turns->last->next = flow;
    else
        turns->first = flow;
    turns->last = flow;
    flow->in_turn = true;
}

static void leave(struct fq_turns *turns) {
    struct fq_flow *flow = turns->first;
    turns->first = flow->next;
    if (!turns->first) turns->last = NULL;
    flow->in_turn = false;
}

static void add(struct queue *queue, struct packet *packet) {
    struct fq_codel *fq = &queue->fq_codel;
    struct fq_flow *flow = flow_of(queue, packet);
    queue_add(queue, &flow->list, packet);
    weigh(fq, flow);
    if (flow->in_turn) return;
    flow->deficit_bytes = QUANTUM_BYTES;
    join(&fq->new_flows, flow);
}

// Half of the fattest flow's packets, from its head, 64 at the most.
static void drop_from_fattest(struct queue *queue, uint64_t now_ns) {
    struct fq_codel *fq = &queue->fq_codel;
    struct fq_flow *flow = &fq->flows[fq->fattest[0]];
    uint64_t batch = flow->list.packets / 2;
    if (batch > BATCH_MAX) batch = BATCH_MAX;
    do
        queue_drop(queue, queue_remove(queue, &flow->list), DROP_QUEUE, now_ns);
    while (batch-- > 1);
    weigh(fq, flow);
}

static void put(struct queue *queue, struct packet *packet, bool fits, uint64_t now_ns) {
    uint32_t size_bytes = packet->size_bytes;
    add(queue, packet);
    if (fits) return;
    while (queue->packets > 0) {
        uint64_t ahead_bytes = queue->size_bytes > size_bytes ? queue->size_bytes - size_bytes : 0;
        if (queue_allows(queue, queue->packets, queue->size_bytes, ahead_bytes, now_ns)) return;
        drop_from_fattest(queue, now_ns);
    }
}

static struct packet *get(struct queue *queue, uint64_t now_ns) {
    struct fq_codel *fq = &queue->fq_codel;
    for (;;) {
        bool is_new = fq->new_flows.first;
        struct fq_turns *turns = is_new ? &fq->new_flows : &fq->old_flows;
        struct fq_flow *flow = turns->first;
        if (!flow) return NULL;
        if (flow->deficit_bytes <= 0) {
            flow->deficit_bytes += QUANTUM_BYTES;
            leave(turns);
            join(&fq->old_flows, flow);
            continue;
        }
        struct packet *packet = codel_get(&flow->codel, queue, &flow->list, now_ns);
        weigh(fq, flow);
        if (packet) {
            flow->deficit_bytes -= packet->size_bytes;
            return packet;
        }
        // A new flow that has run empty waits its turn among the old ones before it may be new again: else it
        // could starve them.
        leave(turns);
        if (is_new) join(&fq->old_flows, flow);
    }
}

static void open(struct queue *queue, uint64_t now_ns) {
    (void)now_ns;
    struct packet *packet;
    memset(&queue->fq_codel, 0, sizeof queue->fq_codel);
    while ((packet = queue_remove(queue, &queue->fifo)))
        add(queue, packet);
}

static void close(struct queue *queue) {
    struct packet *packet;
    for (uint32_t i = 0; i < FQ_CODEL_FLOWS; i++)
        while ((packet = packet_list_remove(&queue->fq_codel.flows[i].list)))
            packet_list_add(&queue->fifo, packet);
}

const struct queue_kind fq_codel_kind = {open, close, put, get};
