// How long the server itself took for responses: from the turn of the loop that brought what a response
// waited for until its first byte had been given to the kernel. What it waited for is its request's last byte
// (and the think time, if the server is to think) or, behind others or for a window, room in the
// transport: how long that took is the link's affair, and what the server adds to it counts. By lane, so that
// a reader sees that the server favours none. Does not look at a clock.
#pragma once

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

enum { SERVER_TIME_LANES_MAX = 4 };

// Zeroed: none.
struct server_times {
    struct server_times_lane {
        const char *lane; // NULL: not used
        uint64_t *times_ns;
        size_t count;
        size_t capacity;
        size_t waited;
    } lanes[SERVER_TIME_LANES_MAX];
};

// `lane` is a literal. 0, or -1 when memory is short.
int server_times_add(struct server_times *times, const char *lane, uint64_t time_ns);
// One of those that are added had to wait for room.
void server_times_waited(struct server_times *times, const char *lane);
void server_times_free(struct server_times *times);
// {"h2": {"requests", "waited", "median_ns", "p90_ns", "max_ns"}, ...} of the lanes that have times. Sorts
// them.
json_t *server_times_json(struct server_times *times);
