#include "shaper/nodes/drop_tail.h"

#include <stddef.h>

static void open(struct queue *queue, uint64_t now_ns) {
    (void)queue, (void)now_ns;
}

void drop_tail_put(struct queue *queue, struct packet *packet, bool fits, uint64_t now_ns) {
    if (fits)
        queue_add(queue, &queue->fifo, packet);
    else
        queue_drop(queue, packet, DROP_QUEUE, now_ns);
}

static struct packet *get(struct queue *queue, uint64_t now_ns) {
    (void)now_ns;
    return queue_remove(queue, &queue->fifo);
}

const struct queue_kind drop_tail_kind = {open, NULL, drop_tail_put, get};

// A packet that would not even fit an empty queue is dropped itself, after all others, as in Mahimahi.
static void put_at_head(struct queue *queue, struct packet *packet, bool fits, uint64_t now_ns) {
    while (!fits && queue->fifo.first) {
        queue_drop(queue, queue_remove(queue, &queue->fifo), DROP_QUEUE, now_ns);
        fits = queue_fits(queue, packet, now_ns);
    }
    if (fits)
        queue_add(queue, &queue->fifo, packet);
    else
        queue_drop(queue, packet, DROP_QUEUE, now_ns);
}

const struct queue_kind drop_head_kind = {open, NULL, put_at_head, get};
