#include "messaging/race_events.h"

#include "messaging/frame.h"
#include "messaging/job_supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum {
    READ_SIZE = 64 * 1024,
    LINE_SIZE_MAX = FRAME_OUT_MAX / 2, // room for what stands around it in a message
};

int race_events_open(struct race_events *events, const char *path) {
    *events = (struct race_events){.fd = -1};
    int folder = job_open_folder(path);
    if (folder < 0) return -1;
    events->fd = openat(folder, job_events_name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    int why = errno;
    close(folder);
    errno = why;
    return events->fd < 0 ? -1 : 0;
}

void race_events_close(struct race_events *events) {
    if (events->fd >= 0) close(events->fd);
    buf_free(&events->part);
    events->fd = -1;
}

// One line without its end.
static int take_line(struct race_events *events, const char *text, size_t size,
                     int (*each)(void *context, json_int_t number, json_t *line), void *context) {
    json_int_t number = events->number++;
    json_t *line = size > 0 && size <= LINE_SIZE_MAX ? json_loadb(text, size, 0, NULL) : NULL;
    int status = 0;
    if (json_is_object(line)) {
        const char *event = json_string_value(json_object_get(line, "event"));
        if (event && strcmp(event, "sweep-started") == 0)
            events->sweep = json_integer_value(json_object_get(line, "sweep"));
        status = each(context, number, line);
    }
    json_decref(line);
    return status;
}

int race_events_read(struct race_events *events, int (*each)(void *context, json_int_t number, json_t *line),
                     void *context) {
    for (;;) {
        if (buf_reserve(&events->part, READ_SIZE) < 0) return -1;
        ssize_t n = pread(events->fd, events->part.data + events->part.end, READ_SIZE, events->offset);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return 0;
        events->offset += n;
        events->part.end += (size_t)n;
        for (const char *end; (end = memchr(buf_bytes(&events->part), '\n', buf_size(&events->part)));) {
            const char *start = (const char *)buf_bytes(&events->part);
            size_t size = (size_t)(end - start);
            int status = take_line(events, start, size, each, context);
            buf_drain(&events->part, size + 1);
            if (status != 0) return status;
        }
        // Of a line that is too long to be told only its place counts.
        if (buf_size(&events->part) > LINE_SIZE_MAX + 1)
            buf_drain(&events->part, buf_size(&events->part) - LINE_SIZE_MAX - 1);
    }
}
