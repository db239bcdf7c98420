// How long the server itself took for requests: from the turn of the loop that brought a request's last byte
// (and the think time, where it was asked to think) until the first byte of its response had been given to
// the kernel. By lane, so that a reader sees that the server favours none. A response that had to wait for
// room in the transport, behind others or for a window, is the link's affair and only counted. Does not look
// at a clock.
#ifndef TRILANE_REPLAY_SERVER_TIME_H
#define TRILANE_REPLAY_SERVER_TIME_H

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
void server_times_waited(struct server_times *times, const char *lane);
void server_times_free(struct server_times *times);
// {"h2": {"requests", "waited", "median_ns", "p90_ns", "max_ns"}, ...} of the lanes that have times. Sorts
// them.
json_t *server_times_json(struct server_times *times);

#endif
