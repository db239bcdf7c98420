#include "replay/server_time.h"

#include <stdlib.h>
#include <string.h>

int server_times_add(struct server_times *times, const char *name, uint64_t time_ns) {
    struct server_times_lane *lane = times->lanes;
    while (lane->lane && strcmp(lane->lane, name) != 0)
        if (++lane == times->lanes + SERVER_TIME_LANES_MAX) return -1;
    if (lane->count == lane->capacity) {
        size_t capacity = lane->capacity ? 2 * lane->capacity : 256;
        uint64_t *grown = realloc(lane->times_ns, capacity * sizeof *grown);
        if (!grown) return -1;
        lane->times_ns = grown;
        lane->capacity = capacity;
    }
    lane->lane = name;
    lane->times_ns[lane->count++] = time_ns;
    return 0;
}

void server_times_free(struct server_times *times) {
    for (size_t i = 0; i < SERVER_TIME_LANES_MAX; i++)
        free(times->lanes[i].times_ns);
    *times = (struct server_times){0};
}

static int ascending(const void *a, const void *b) {
    const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

// Between the two nearest of the sorted times.
static json_int_t quantile(const struct server_times_lane *lane, double probability) {
    const double place = probability * (double)(lane->count - 1);
    const size_t below = (size_t)place;
    const size_t above = below + 1 < lane->count ? below + 1 : below;
    const double from_ns = (double)lane->times_ns[below], to_ns = (double)lane->times_ns[above];
    return (json_int_t)(from_ns + (place - (double)below) * (to_ns - from_ns));
}

json_t *server_times_json(struct server_times *times) {
    json_t *lanes = json_object();
    for (size_t i = 0; i < SERVER_TIME_LANES_MAX && times->lanes[i].count > 0; i++) {
        struct server_times_lane *lane = &times->lanes[i];
        qsort(lane->times_ns, lane->count, sizeof *lane->times_ns, ascending);
        json_object_set_new(lanes, lane->lane,
                            json_pack("{s:I, s:I, s:I, s:I}", "requests", (json_int_t)lane->count,
                                      "median_ns", quantile(lane, 0.5), "p90_ns", quantile(lane, 0.9),
                                      "max_ns", quantile(lane, 1)));
    }
    return lanes;
}
