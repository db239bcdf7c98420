// What a message's handler has come to, and how it reads a message and gives a result.
#pragma once

#include "messaging/message_error.h"

#include <jansson.h>

enum handled {
    REFUSED = -1,         // *error says why
    HANDLED = 0,          // *result has the answer's own fields
    ANSWERED = 1,         // it has answered itself, or will
    CONNECTION_LOST = -2, // nothing can be said any more: nobody reads, or memory is short
};

// NULL if the message has no such field, or another type.
static inline const char *text_of(const json_t *message, const char *field) {
    return json_string_value(json_object_get(message, field));
}

// 0 if the message has no such field, or another type.
static inline json_int_t number_of(const json_t *message, const char *field) {
    return json_integer_value(json_object_get(message, field));
}

// `made`: NULL when memory is short.
static inline int result_of(json_t *made, json_t **result, struct message_error *error) {
    *result = made;
    return made ? HANDLED : message_fail_memory(error);
}
