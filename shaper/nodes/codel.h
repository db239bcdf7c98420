// CoDel (RFC 8289): drops, or marks, from the head when packets have waited longer than a target for a whole
// interval, the more often the longer that lasts.
#pragma once

#include "shaper/nodes/packet.h"

#include <stdbool.h>

struct queue;
struct queue_kind;

// The state of one queue, by the RFC's names. Zeroed: an empty queue's.
struct codel {
    uint64_t first_above_ns; // when packets will have waited too long for an interval; 0: they do not
    uint64_t drop_next_ns;
    uint32_t count; // drops since the dropping state was entered
    uint32_t last_count;
    uint32_t max_packet_bytes; // seen
    bool dropping;
};

extern const struct queue_kind codel_kind;

// The next packet of a list of the queue (FQ-CoDel has many), after the drops that are due.
struct packet *codel_get(struct codel *codel, struct queue *queue, struct packet_list *list, uint64_t now_ns);
