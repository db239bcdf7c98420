#include "replay/exchange/server_time.h"

#include <stdlib.h>
#include <string.h>

// NULL when there are too many.
static struct server_times_lane *lane_of(struct server_times *times, const char *name) {
    for (size_t i = 0; i < SERVER_TIME_LANES_MAX; i++) {
        struct server_times_lane *lane = &times->lanes[i];
        if (!lane->lane) lane->lane = name;
        if (strcmp(lane->lane, name) == 0) return lane;
    }
    return NULL;
}

void server_times_waited(struct server_times *times, const char *name) {
    struct server_times_lane *lane = lane_of(times, name);
    if (lane) lane->waited++;
}

int server_times_add(struct server_times *times, const char *name, uint64_t time_ns) {
    struct server_times_lane *lane = lane_of(times, name);
    if (!lane) return -1;
    if (lane->count == lane->capacity) {
        size_t capacity = lane->capacity ? 2 * lane->capacity : 256;
        uint64_t *grown = realloc(lane->times_ns, capacity * sizeof *grown);
        if (!grown) return -1;
        lane->times_ns = grown;
        lane->capacity = capacity;
    }
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
    for (size_t i = 0; i < SERVER_TIME_LANES_MAX; i++) {
        struct server_times_lane *lane = &times->lanes[i];
        if (lane->count == 0) continue;
        qsort(lane->times_ns, lane->count, sizeof *lane->times_ns, ascending);
        json_object_set_new(lanes, lane->lane,
                            json_pack("{s:I, s:I, s:I, s:I, s:I}", "requests", (json_int_t)lane->count,
                                      "waited", (json_int_t)lane->waited, "median_ns", quantile(lane, 0.5),
                                      "p90_ns", quantile(lane, 0.9), "max_ns", quantile(lane, 1)));
    }
    return lanes;
}
