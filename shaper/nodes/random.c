#include "shaper/nodes/random.h"

#include <math.h>

static const uint64_t step = UINT64_C(0x9e3779b97f4a7c15);

static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static double unit(uint64_t number) {
    return (double)(number >> 11) * 0x1.0p-53; // 53 bits: uniform in [0, 1)
}

void random_open(struct random *random, uint64_t seed, uint64_t stream) {
    // Mixed twice, so that neighbouring seeds and streams start far apart on the generator's one cycle.
    random->state = mix(mix(seed + step) + stream);
}

uint64_t random_next(struct random *random) {
    random->state += step;
    return mix(random->state);
}

void random_skip(struct random *random, uint64_t numbers) {
    random->state += numbers * step;
}

double random_unit(struct random *random) {
    return unit(random_next(random));
}

bool random_chance(struct random *random, double probability) {
    return random_unit(random) < probability;
}

bool random_chance_at(const struct random *random, uint64_t n, double probability) {
    return unit(mix(random->state + (n + 1) * step)) < probability;
}

// Box and Muller's transform; 1 - unit lies in (0, 1], whose logarithm is finite.
double random_normal(struct random *random) {
    double radius = sqrt(-2 * log(1 - random_unit(random)));
    return radius * cos(2 * M_PI * random_unit(random));
}

double random_exponential(struct random *random) {
    return -log(1 - random_unit(random)) + 0x1.0p-60;
}

double random_pareto(struct random *random) {
    return 2 * (1 / cbrt(1 - random_unit(random)) - 1);
}
