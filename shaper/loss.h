// Random loss: each packet is lost with the same probability, independently of the others.
// Stands after the link: a packet lost on the wire has used its transmission time.
#ifndef TRILANE_SHAPER_LOSS_H
#define TRILANE_SHAPER_LOSS_H

#include "shaper/node.h"
#include "shaper/random.h"

struct loss {
    struct node node;
    struct packet_pool *pool;
    double probability;
    struct random random;
    uint64_t drops;
    uint64_t dropped_bytes;
};

// The n-th packet of a stream has the same fate whenever probability, seed and stream are the same.
void loss_open(struct loss *loss, struct packet_pool *pool, double probability, uint64_t seed,
               uint64_t stream, struct node *next);

#endif
