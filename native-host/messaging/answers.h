// What goes back to who sent a message: its events, then one answer. Splits a document that is too large for
// one message into parts. Does not decide what is answered, and writes to no descriptor itself.
#pragma once

#include "messaging/message_error.h"

#include <jansson.h>
#include <stddef.h>

struct answers {
    // Takes one message, of at most FRAME_OUT_MAX bytes. 0, or -1 when no one reads any more.
    int (*send)(void *context, const char *json, size_t size);
    void *context;
};

// All return 0, or -1 when nothing can be said any more: `send` has failed, or memory is short.
// `id` is borrowed; NULL (for errors only) where it could not be read.

// `result`'s fields are the answer's own; borrowed.
int answers_done(const struct answers *answers, json_t *id, json_t *result);
int answers_error(const struct answers *answers, json_t *id, const struct message_error *error);
// `fields` are the event's own; borrowed.
int answers_event(const struct answers *answers, json_t *id, const char *event, json_t *fields);
// The document that stands in `fd`, the JSON text of an object, read from its start. A small
// one is the answer's `result`, a large one goes in parts. What is no JSON is answered with *damaged.
int answers_document(const struct answers *answers, json_t *id, int fd, const struct message_error *damaged);
