// A link with a queue before it: sends one packet at a time, each for as long as its bytes take at the rate,
// which may be unlimited, change in steps or follow a trace. Bytes are those of the IP packet: 1500 at
// 1 Mbit/s take 12 ms. Does not delay beyond that: see delay.h.
//
// Where the rate changes, what is left of the packet being sent continues at the new one. A trace's
// opportunities each carry 1500 bytes, of one packet or of several; a packet leaves with the opportunity that
// carries its last byte, and what no packet uses of an opportunity is lost.
#pragma once

#include "shaper/nodes/node.h"
#include "shaper/nodes/queue.h"
#include "shaper/nodes/settings.h"

struct link {
    struct node node;
    struct packet_pool *pool;
    struct rate_settings rate;
    uint64_t zero_ns; // time 0 of the steps or the trace
    struct queue queue;
    struct packet *sending; // NULL: none begun
    uint64_t start_ns;      // since when there has been something to send, or since the last packet left
    uint64_t busy_ns;       // time during which packets that have left were being sent or waited for it

    // Steps.
    uint64_t begun_ns; // `sending`, or the rest of it after a change
    uint64_t work;     // what it takes from then on
    uint64_t end_ns;   // when `sending` has left; NODE_NEVER
    uint64_t rest;     // and what was rounded off of that: to be done before the next

    // Trace.
    uint64_t opportunity; // the next one's number
    uint64_t left_bytes;  // of `sending`
};

// The trace stays borrowed until link_close or a steering to another.
void link_open(struct link *link, struct packet_pool *pool, const struct rate_settings *rate,
               const struct queue_settings *queue, uint64_t seed, uint64_t stream, struct node *next);
// What it holds, one packet after the other, the one being sent first: the caller's now. NULL: nothing more.
struct packet *link_take_back(struct link *link, uint64_t now_ns);
void link_close(struct link *link); // gives what is held back to the pool, without a word to its watcher

void link_start(struct link *link, uint64_t now_ns); // time 0 of steps and trace; before the first packet

// Other settings from now on; what is held stays held. Time 0 stays the start's: a trace continues where it
// would be had it been there from the start.
void link_steer(struct link *link, const struct rate_settings *rate, const struct queue_settings *queue,
                uint64_t now_ns);

// How long a packet would wait with that much ahead of it, until it begins to be sent: at the rate of now, or
// by the trace's opportunities to come. NODE_NEVER if it never is.
uint64_t link_wait_ns(const struct link *link, uint64_t ahead_bytes, uint64_t now_ns);
