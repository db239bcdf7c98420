// In which order responses of one connection get to send (RFC 9218): by urgency, 0 first; within one urgency
// in order of arrival, where an incremental one goes behind the others after each turn and one that is not
// stays until it is done. h2 and h3 both send by it, so that they honour priorities alike, or both not: then
// all responses take turns, as many servers have it. Does not own the items.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { URGENCY_LEVELS = 8, URGENCY_DEFAULT = 3 };
enum { PRIORITY_SCHEDULER_TURN_BYTES = 16 * 1024 }; // of an incremental response, before the next one's turn

// Part of the owner's struct; zeroed: not queued.
struct send_item {
    struct send_item *previous;
    struct send_item *next;
    bool queued;
    bool incremental;
    uint8_t urgency;
    size_t turn_taken_bytes; // of the turn that it is in, if it is incremental
};

// Zeroed: empty.
struct priority_scheduler {
    struct send_item *first[URGENCY_LEVELS];
    struct send_item *last[URGENCY_LEVELS];
    struct send_item *up_next; // of priority_scheduler_run
    bool equal;                // priorities count for nothing: all responses take turns
};

void priority_scheduler_add(struct priority_scheduler *order, struct send_item *item);
void priority_scheduler_remove(struct priority_scheduler *order, struct send_item *item);
// A changed priority; a queued item goes behind its new equals.
void priority_scheduler_change(struct priority_scheduler *order, struct send_item *item, uint8_t urgency,
                               bool incremental);
// The item has had a turn.
void priority_scheduler_turn(struct priority_scheduler *order, struct send_item *item);
// How many bytes of body the item may still send in its turn.
size_t priority_scheduler_turn_left(const struct send_item *item);
// It has sent so many of them. True if its turn is over; a turn continues where the transport was full in
// between, so that which bytes follow which does not depend on how much a transport takes at a time.
bool priority_scheduler_took(struct send_item *item, size_t size);

// What came of an item's turn.
enum sent {
    SENT_ALL,     // it is done, and in the order no more
    SENT_SOME,    // there may be room for more of it
    SENT_TURN,    // its turn is over
    SENT_NOTHING, // there is no room for it now
    SENT_FULL,    // there is no room for any other either
    SENT_FAILED,  // it cannot be sent, and is in the order no more
};
// Gives each item turns, in order, until there is room for none. `turn` may remove any item, and add none.
void priority_scheduler_run(struct priority_scheduler *order,
                            enum sent (*turn)(void *context, struct send_item *item), void *context);

struct send_item *priority_scheduler_first(const struct priority_scheduler *order);
struct send_item *priority_scheduler_next(const struct priority_scheduler *order,
                                          const struct send_item *item);
