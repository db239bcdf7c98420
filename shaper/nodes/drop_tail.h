// First in, first out. Drop-tail: what does not fit is dropped. Drop-head: what has waited longest is dropped
// until what arrives fits, so that senders learn of the drop a queue's length earlier.
#pragma once

#include "shaper/nodes/queue.h"

extern const struct queue_kind drop_tail_kind, drop_head_kind;

// CoDel's too, which decides when packets leave.
void drop_tail_put(struct queue *queue, struct packet *packet, bool fits, uint64_t now_ns);
