#include "shaper/nodes/drop_tail.h"

#include <stddef.h>

void drop_tail_open(struct queue *queue, uint64_t now_ns) {
    (void)queue, (void)now_ns;
}

void drop_tail_put(struct queue *queue, struct packet *packet, bool fits, uint64_t now_ns) {
    if (fits)
        queue_add(queue, &queue->fifo, packet);
    else
        queue_drop(queue, packet, DROP_QUEUE, now_ns);
}

struct packet *drop_tail_get(struct queue *queue, uint64_t now_ns) {
    (void)now_ns;
    return queue_remove(queue, &queue->fifo);
}

const struct queue_kind drop_tail_kind = {drop_tail_open, NULL, drop_tail_put, drop_tail_get};
