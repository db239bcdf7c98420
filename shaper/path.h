// One direction of the bottleneck: queue and link, loss, delay, in this order, in virtual time.
// Does not read or write packets: path_take puts them in, and the `out` node gets them.
#ifndef TRILANE_SHAPER_PATH_H
#define TRILANE_SHAPER_PATH_H

#include "shaper/delay.h"
#include "shaper/link.h"
#include "shaper/link_profile.h"
#include "shaper/loss.h"

// Each direction decides by its own stream of random numbers.
enum path_stream { PATH_DOWN = 1, PATH_UP = 2 };

struct path {
    struct link link;
    struct loss loss;
    struct delay delay;
};

void path_open(struct path *path, const struct link_profile *profile, enum path_stream stream,
               struct packet_pool *pool, struct node *out);

// The packet arrives at now_ns, which is not before any time the path was told of. What left before goes out
// first.
void path_take(struct path *path, struct packet *packet, uint64_t now_ns);

// Hands to `out`, with their exact times, all packets that leave up to now_ns.
void path_advance(struct path *path, uint64_t now_ns);

uint64_t path_due_ns(const struct path *path); // when path_advance has something to do; NODE_NEVER
uint64_t path_held(const struct path *path);   // packets inside: in = out + dropped + held

#endif
