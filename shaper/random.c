#include "shaper/random.h"

static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

void random_open(struct random *random, uint64_t seed, uint64_t stream) {
    // Mixed twice, so that neighbouring seeds and streams start far apart on the generator's one cycle.
    random->state = mix(mix(seed + UINT64_C(0x9e3779b97f4a7c15)) + stream);
}

uint64_t random_next(struct random *random) {
    random->state += UINT64_C(0x9e3779b97f4a7c15);
    return mix(random->state);
}

bool random_chance(struct random *random, double probability) {
    return (double)(random_next(random) >> 11) * 0x1.0p-53 < probability; // 53 bits: uniform in [0, 1)
}
