// A conversation's state, and how the handlers of its messages are listed, read a message and give a result.
#pragma once

#include "messaging/answers.h"
#include "messaging/host_paths.h"
#include "messaging/message_error.h"
#include "messaging/message_rules.h"
#include "messaging/queries.h"

#include <jansson.h>

// What a conversation has open. Each list belongs to the file whose handlers fill it.
struct host {
    const struct host_paths *paths;
    const struct answers *answers;
    struct message_rules *rules;
    struct queries *queries;
    struct {
        struct transaction *first;
        size_t count;
        json_int_t last;
    } transactions; // archive_messages.c
    struct {
        struct open_upload *first;
        size_t count;
        json_int_t last;
    } profiles; // profile_messages.c: those being uploaded
    struct {
        struct follower *first;
        size_t count;
    } followers; // race_messages.c
};

// One message, whose fields have been checked.
struct call {
    struct host *host;
    const json_t *message;
    json_t *result;             // if HANDLED: the answer's own fields
    struct message_error error; // if REFUSED
};

enum handled {
    REFUSED = -1,
    HANDLED = 0,
    ANSWERED = 1,         // it has answered itself, or will
    CONNECTION_LOST = -2, // nothing can be said any more: no one reads, or memory is short
};

struct message_handler {
    const char *name;
    int (*handle)(struct call *call); // an enum handled
};

// Each ends with a NULL name.
extern const struct message_handler archive_handlers[], profile_handlers[], race_handlers[], lab_handlers[];

// These abort and release what the conversation has open.
void transactions_close(struct host *host);
void profile_uploads_close(struct host *host);
void followers_close(struct host *host);

// Informs those that follow races of what is new. 0, or -1 when nothing can be said any more.
int followers_work(struct host *host);

// NULL if the message has no such field, or another type.
static inline const char *text_of(const json_t *message, const char *field) {
    return json_string_value(json_object_get(message, field));
}

// 0 if the message has no such field, or another type.
static inline json_int_t number_of(const json_t *message, const char *field) {
    return json_integer_value(json_object_get(message, field));
}

// `made`: NULL when memory is short.
static inline int done(struct call *call, json_t *made) {
    call->result = made;
    return made ? HANDLED : message_fail_memory(&call->error);
}
