// Seeded random numbers: the same seed and stream give the same numbers on every machine (SplitMix64).
// Not for secrets.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct random {
    uint64_t state;
};

// Streams of one seed are independent of each other: one for each thing that is decided.
void random_open(struct random *random, uint64_t seed, uint64_t stream);
uint64_t random_next(struct random *random);
double random_unit(struct random *random);                     // uniform in [0, 1), draws one number
bool random_chance(struct random *random, double probability); // draws one number, also for 0 and 1

void random_skip(struct random *random, uint64_t numbers); // as if so many had been drawn

// What the n-th of the numbers to come (from 0) would decide; draws none. For what is indexed by something
// else than how often it was drawn from.
bool random_chance_at(const struct random *random, uint64_t n, double probability);

// Each draws the same count of numbers every time, whatever comes of it. Up to the last bit of the
// mathematics library they are the same on every machine.
double random_normal(struct random *random);      // mean 0, standard deviation 1; draws two
double random_exponential(struct random *random); // mean 1, above 0; draws one
// Pareto of the second kind (Lomax: from 0 on) with shape 3 and mean 1: standard deviation 1.73, and one in
// 1331 is above 20. Draws one.
double random_pareto(struct random *random);
