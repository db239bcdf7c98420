// Seeded random numbers: the same seed and stream give the same numbers on every machine (SplitMix64).
// Not for secrets.
#ifndef TRILANE_SHAPER_RANDOM_H
#define TRILANE_SHAPER_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct random {
    uint64_t state;
};

// Streams of one seed are independent of each other: one for each thing that is decided.
void random_open(struct random *random, uint64_t seed, uint64_t stream);
uint64_t random_next(struct random *random);
bool random_chance(struct random *random, double probability); // draws one number, also for 0 and 1

#endif
