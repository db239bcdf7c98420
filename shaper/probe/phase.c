#include "shaper/probe/phase.h"

#include "base/clock.h"

#include <stdio.h>
#include <string.h>

// A day of packets would be a mistake, and is more memory than a probe should take.
enum { COUNT_MAX = 10000000, DRAIN_MAX_MS = 600000 };

static bool is_one_of(const char *text, const char *const *names, int count, int *which) {
    for (*which = 0; *which < count; (*which)++)
        if (strcmp(text, names[*which]) == 0) return true;
    return false;
}

static const char *const directions[] = {"down", "up"};
static const char *const kinds[] = {"steady", "flood"};

const char *phase_direction_name(enum phase_direction direction) {
    return directions[direction];
}

const char *phase_kind_name(enum phase_kind kind) {
    return kinds[kind];
}

bool phase_read(struct phase *phase, const char *text) {
    char direction[8], kind[8];
    double interval_us;
    int direction_place, kind_place, end = 0;
    memset(phase, 0, sizeof *phase);
    if (sscanf(text, "%7[a-z]:%7[a-z]:%9u:%9u:%lf:%9u:%9u%n", direction, kind, &phase->size_bytes,
               &phase->count, &interval_us, &phase->burst, &phase->drain_ms, &end) != 7 ||
        text[end] != '\0' || !is_one_of(direction, directions, 2, &direction_place) ||
        !is_one_of(kind, kinds, 2, &kind_place))
        return false;
    phase->direction = (enum phase_direction)direction_place;
    phase->kind = (enum phase_kind)kind_place;
    if (!(interval_us >= 0 && interval_us <= 60e6)) return false;
    phase->interval_ns = (uint64_t)(interval_us * (double)NS_PER_US + 0.5);
    return phase->size_bytes >= PHASE_SIZE_MIN && phase->size_bytes <= PHASE_SIZE_MAX && phase->count >= 1 &&
           phase->count <= COUNT_MAX && phase->burst <= phase->count && phase->drain_ms <= DRAIN_MAX_MS;
}
