// Duplication: a packet comes twice, the copy right behind it. Stands after loss: what is lost comes never.
#pragma once

#include "shaper/nodes/node.h"
#include "shaper/nodes/random.h"

struct duplicate {
    struct node node;
    struct packet_pool *pool;
    double probability;
    struct random random;
    uint64_t copies; // made; where memory is short there is none
    uint64_t copied_bytes;
};

void duplicate_open(struct duplicate *duplicate, struct packet_pool *pool, double probability, uint64_t seed,
                    uint64_t stream, struct node *next);
void duplicate_steer(struct duplicate *duplicate, double probability);
