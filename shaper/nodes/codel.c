#include "shaper/nodes/codel.h"

#include "shaper/nodes/drop_tail.h"
#include "shaper/nodes/queue.h"

#include <math.h>
#include <stddef.h>

static const uint64_t rfc_target_ns = 5000000;
static const uint64_t rfc_interval_ns = 100000000;

// The head of the list, and whether it may be dropped: packets have waited too long for an interval, and
// there is more than one packet's worth.
static struct packet *take_head(struct codel *codel, struct queue *queue, struct packet_list *list,
                                uint64_t now_ns, bool *may_drop) {
    const struct queue_settings *settings = &queue->settings;
    uint64_t target_ns = settings->target_ns > 0 ? settings->target_ns : rfc_target_ns;
    uint64_t interval_ns = settings->interval_ns > 0 ? settings->interval_ns : rfc_interval_ns;
    struct packet *packet = queue_remove(queue, list);
    *may_drop = false;
    if (!packet) {
        codel->first_above_ns = 0;
        return NULL;
    }
    if (packet->size_bytes > codel->max_packet_bytes) codel->max_packet_bytes = packet->size_bytes;
    if (now_ns - packet->queued_ns < target_ns || list->size_bytes <= codel->max_packet_bytes)
        codel->first_above_ns = 0;
    else if (codel->first_above_ns == 0)
        codel->first_above_ns = now_ns + interval_ns;
    else
        *may_drop = now_ns >= codel->first_above_ns;
    return packet;
}

// The control law: drops come closer together with the square root of their number, so that a sender's
// throughput falls linearly.
static uint64_t after(uint64_t time_ns, uint64_t interval_ns, uint32_t count) {
    return time_ns + (uint64_t)((double)interval_ns / sqrt(count));
}

struct packet *codel_get(struct codel *codel, struct queue *queue, struct packet_list *list,
                         uint64_t now_ns) {
    uint64_t interval_ns = queue->settings.interval_ns > 0 ? queue->settings.interval_ns : rfc_interval_ns;
    bool may_drop;
    struct packet *packet = take_head(codel, queue, list, now_ns, &may_drop);
    if (codel->dropping) {
        if (!may_drop) codel->dropping = false;
        while (codel->dropping && now_ns >= codel->drop_next_ns) {
            codel->count++;
            bool marked = queue_mark(queue, packet, now_ns);
            if (!marked) {
                queue_drop(queue, packet, DROP_AQM, now_ns);
                packet = take_head(codel, queue, list, now_ns, &may_drop);
            }
            if (may_drop)
                codel->drop_next_ns = after(codel->drop_next_ns, interval_ns, codel->count);
            else
                codel->dropping = false;
            if (marked) break;
        }
    } else if (may_drop) {
        if (!queue_mark(queue, packet, now_ns)) {
            queue_drop(queue, packet, DROP_AQM, now_ns);
            packet = take_head(codel, queue, list, now_ns, &may_drop);
        }
        codel->dropping = true;
        // Where it was left a short time ago, the rate of drops that was needed then is where to begin.
        uint32_t delta = codel->count - codel->last_count;
        bool recent = now_ns < codel->drop_next_ns + 16 * interval_ns;
        codel->count = recent && delta > 1 ? delta : 1;
        codel->drop_next_ns = after(now_ns, interval_ns, codel->count);
        codel->last_count = codel->count;
    }
    return packet;
}

static void open(struct queue *queue, uint64_t now_ns) {
    (void)now_ns;
    queue->codel = (struct codel){0};
}

static struct packet *get(struct queue *queue, uint64_t now_ns) {
    return codel_get(&queue->codel, queue, &queue->fifo, now_ns);
}

const struct queue_kind codel_kind = {open, NULL, drop_tail_put, get};
