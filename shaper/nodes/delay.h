// A delay: every packet leaves so much later than it came, by a value that may follow steps of time, and by
// jitter: uniform, normal, Pareto, or numbers of a file. In order, unless reordering is allowed: then each
// leaves when its own time has come. Never earlier than it came: of a jitter longer than the delay the rest
// is cut off. Holds as many packets as are on their way.
#pragma once

#include "shaper/nodes/node.h"
#include "shaper/nodes/packet_heap.h"
#include "shaper/nodes/random.h"
#include "shaper/nodes/settings.h"

struct delay {
    struct node node;
    struct packet_pool *pool;
    struct delay_settings settings;
    struct random random;
    uint64_t start_ns;
    uint64_t taken;          // packets: what the next reads from the jitter's file
    uint64_t latest_ns;      // when the last of all that have been taken leaves
    struct packet_list list; // in order of due_ns
    struct packet_heap heap; // those that may leave in another order than they came
    uint64_t drops;          // for want of memory
    uint64_t dropped_bytes;
};

void delay_open(struct delay *delay, struct packet_pool *pool, const struct delay_settings *settings,
                uint64_t seed, uint64_t stream, struct node *next);
void delay_start(struct delay *delay, uint64_t now_ns); // time 0 of the steps
// For packets that come from now on.
void delay_steer(struct delay *delay, const struct delay_settings *settings);
// What it holds, one packet after the other: the caller's now. NULL: nothing more, and the next packet waits
// for none before it.
struct packet *delay_take_back(struct delay *delay);
void delay_close(struct delay *delay); // packets held stay the pool's
