// Reads a race's events as they are written, a line at a time. Says nothing to anybody.
#pragma once

#include "base/buf.h"

#include <jansson.h>
#include <stdint.h>
#include <sys/types.h>

struct race_events {
    int fd;
    off_t offset;      // read so far
    struct buf part;   // of a line whose end has not come
    json_int_t number; // of the next line
    json_int_t sweep;  // 0: not begun
};

// 0, or -1 with errno.
int race_events_open(struct race_events *events, const char *folder);
void race_events_close(struct race_events *events);

// Reads what is there now, and calls `each` with every whole line that is a JSON object, until it does not
// return 0. Returns 0, what `each` returned, or -1 when memory is short.
int race_events_read(struct race_events *events, int (*each)(void *context, json_int_t number, json_t *line),
                     void *context);
