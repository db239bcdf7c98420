#include "replay/exchange/priority_scheduler.h"

#include <stddef.h>
#include <stdint.h>

void priority_scheduler_add(struct priority_scheduler *order, struct send_item *item) {
    if (item->queued) return;
    if (order->equal) {
        item->urgency = URGENCY_DEFAULT;
        item->incremental = true;
    }
    item->queued = true;
    item->next = NULL;
    item->previous = order->last[item->urgency];
    if (item->previous)
        item->previous->next = item;
    else
        order->first[item->urgency] = item;
    order->last[item->urgency] = item;
}

void priority_scheduler_remove(struct priority_scheduler *order, struct send_item *item) {
    if (!item->queued) return;
    if (order->up_next == item) order->up_next = priority_scheduler_next(order, item);
    item->queued = false;
    if (item->previous)
        item->previous->next = item->next;
    else
        order->first[item->urgency] = item->next;
    if (item->next)
        item->next->previous = item->previous;
    else
        order->last[item->urgency] = item->previous;
}

void priority_scheduler_change(struct priority_scheduler *order, struct send_item *item, uint8_t urgency,
                               bool incremental) {
    if (order->equal) return;
    item->incremental = incremental;
    if (urgency >= URGENCY_LEVELS) urgency = URGENCY_LEVELS - 1;
    if (urgency == item->urgency) return;
    bool queued = item->queued;
    priority_scheduler_remove(order, item);
    item->urgency = urgency;
    if (queued) priority_scheduler_add(order, item);
}

void priority_scheduler_turn(struct priority_scheduler *order, struct send_item *item) {
    if (!item->incremental || !item->queued) return;
    priority_scheduler_remove(order, item);
    priority_scheduler_add(order, item);
}

size_t priority_scheduler_turn_left(const struct send_item *item) {
    return item->incremental ? PRIORITY_SCHEDULER_TURN_BYTES - item->turn_taken_bytes : SIZE_MAX;
}

bool priority_scheduler_took(struct send_item *item, size_t size) {
    if (!item->incremental) return false;
    item->turn_taken_bytes += size;
    if (item->turn_taken_bytes < PRIORITY_SCHEDULER_TURN_BYTES) return false;
    item->turn_taken_bytes = 0;
    return true;
}

static struct send_item *first_from(const struct priority_scheduler *order, unsigned urgency) {
    for (; urgency < URGENCY_LEVELS; urgency++)
        if (order->first[urgency]) return order->first[urgency];
    return NULL;
}

struct send_item *priority_scheduler_first(const struct priority_scheduler *order) {
    return first_from(order, 0);
}

struct send_item *priority_scheduler_next(const struct priority_scheduler *order,
                                          const struct send_item *item) {
    return item->next ? item->next : first_from(order, item->urgency + 1U);
}

void priority_scheduler_run(struct priority_scheduler *order,
                            enum sent (*turn)(void *context, struct send_item *item), void *context) {
    enum sent sent = SENT_NOTHING;
    for (struct send_item *item = priority_scheduler_first(order); item && sent != SENT_FULL;
         item = order->up_next) {
        order->up_next = priority_scheduler_next(order, item);
        sent = turn(context, item);
        if (sent == SENT_SOME) {
            order->up_next = item;
        } else if (sent == SENT_TURN) {
            // Its equals behind it; the last of them is followed by the first.
            const struct send_item *next = order->up_next;
            priority_scheduler_turn(order, item);
            if (!next || next->urgency != item->urgency) order->up_next = item;
        }
    }
    order->up_next = NULL;
}
