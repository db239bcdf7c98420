// The queue before a link: what all disciplines share (limits, counters, marks), and the interface behind
// which each has a file of its own. Does not send: a link takes from it. What the link is sending is not in
// the queue.
#pragma once

#include "shaper/nodes/packet.h"
#include "shaper/nodes/queue_kinds.h"
#include "shaper/nodes/random.h"
#include "shaper/nodes/settings.h"

#include <stdbool.h>

struct link; // link.h
struct queue;

// Time never goes back from one call to the next.
struct queue_kind {
    // Begins with the packets that are in `fifo`.
    void (*open)(struct queue *queue, uint64_t now_ns);
    // Puts the packets back into `fifo`. NULL: they always are there.
    void (*close)(struct queue *queue);
    // Keeps the packet or drops it. `fits`: the limits allow it.
    void (*put)(struct queue *queue, struct packet *packet, bool fits, uint64_t now_ns);
    // The next to be sent, after any drops that are due; NULL when empty.
    struct packet *(*get)(struct queue *queue, uint64_t now_ns);
};

// How a discipline is called in a link's form.
struct queue_word {
    const char *word;
    const struct queue_kind *kind;
    bool active; // keeps the queue short by itself: it gets room to do so, and may mark
};

extern const struct queue_word queue_words[QUEUE_DISCIPLINES];

struct queue {
    const struct queue_kind *kind;
    struct packet_pool *pool;
    const struct link *link; // says how long packets would wait; only used if limit_ns is set
    struct queue_settings settings;
    struct random random;
    struct packet_list fifo; // of all disciplines with one queue
    union {
#define QUEUE_STATE(constant, kind, word, active, state, ...) state
        QUEUE_KINDS(QUEUE_STATE)
#undef QUEUE_STATE
    };

    uint64_t packets; // that are in it
    uint64_t size_bytes;
    uint64_t peak_packets;
    uint64_t peak_bytes;
    uint64_t drops; // for want of room
    uint64_t dropped_bytes;
    uint64_t aqm_drops; // decided by CoDel or PIE
    uint64_t aqm_dropped_bytes;
    uint64_t marks; // packets marked instead
};

void queue_open(struct queue *queue, struct packet_pool *pool, const struct link *link,
                const struct queue_settings *settings, uint64_t seed, uint64_t stream);

// Other settings from now on. What is held stays held, also where it is more than the new limits allow;
// another discipline gets it in order, that of FQ-CoDel flow by flow.
void queue_steer(struct queue *queue, const struct queue_settings *settings, uint64_t now_ns);

// The packet arrives. `at_once`: the link is idle and takes the next packet now, so that no limit counts.
void queue_put(struct queue *queue, struct packet *packet, bool at_once, uint64_t now_ns);

// The next packet, the caller's now; NULL when empty.
struct packet *queue_get(struct queue *queue, uint64_t now_ns);

// Any packet it holds, whatever the discipline says of it: the caller's now; NULL when empty, and the
// discipline begins anew. Until then the queue may not be used.
struct packet *queue_take_back(struct queue *queue, uint64_t now_ns);

// What follows is for the disciplines.

// True if the limits allow a queue of so many packets and bytes whose last packet has ahead_bytes before it.
bool queue_allows(const struct queue *queue, uint64_t packets, uint64_t size_bytes, uint64_t ahead_bytes,
                  uint64_t now_ns);
bool queue_fits(const struct queue *queue, const struct packet *packet, uint64_t now_ns); // one more

// To a list of the queue, or from it: counted in the queue's totals.
void queue_add(struct queue *queue, struct packet_list *list, struct packet *packet);
struct packet *queue_remove(struct queue *queue, struct packet_list *list); // NULL when the list is empty

void queue_drop(struct queue *queue, struct packet *packet, enum drop_reason reason, uint64_t now_ns);
bool queue_mark(struct queue *queue, struct packet *packet, uint64_t now_ns); // false: it is to be dropped
