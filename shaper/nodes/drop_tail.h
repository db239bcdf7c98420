// Drop-tail: first in, first out, and what does not fit is dropped.
#pragma once

#include "shaper/nodes/queue.h"

extern const struct queue_kind drop_tail_kind;

// CoDel's too, which decides when packets leave.
void drop_tail_put(struct queue *queue, struct packet *packet, bool fits, uint64_t now_ns);
// Drop-head's too.
void drop_tail_open(struct queue *queue, uint64_t now_ns);
struct packet *drop_tail_get(struct queue *queue, uint64_t now_ns);
