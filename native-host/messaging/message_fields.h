// Checks a message's fields against a table that says what schemas/message.schema.json says; the tests hold
// the two together by the schema's examples. Does not act on messages.
#ifndef TRILANE_MESSAGING_MESSAGE_FIELDS_H
#define TRILANE_MESSAGING_MESSAGE_FIELDS_H

#include "messaging/message_error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct message_field {
    const char *name;
    bool required;
    bool (*valid)(const json_t *value);
    const char *expected; // "a number of 0 or more"
};

// Every required field is there, every field that is there is valid and in the table. `where` names the
// object in errors: "archive.show", "exchange". 0, or -1 with *error.
int message_check_fields(const json_t *object, const char *where, const struct message_field *fields,
                         size_t count, struct message_error *error);

bool is_number(const json_t *value); // 0 to 2^53 - 1
bool is_flag(const json_t *value);
bool is_object(const json_t *value);
bool is_text(const json_t *value);           // any string
bool is_text_not_empty(const json_t *value); // any other than ""
bool is_time(const json_t *value);           // ISO 8601 in UTC, as 2024-02-29T23:59:59.125Z
bool is_base64(const json_t *value);         // at least one byte
bool is_sha256(const json_t *value);         // 64 hex digits in lower case
bool is_recording_name(const json_t *value);
bool is_made(const json_t *value);  // an id that the host made
bool is_label(const json_t *value); // 1 to 300 characters
bool is_lane(const json_t *value);
bool is_lanes(const json_t *value);    // an array of 1 to 8 lanes, each once
bool is_link(const json_t *value);     // visible ASCII and spaces, up to 500, and names no file
bool is_runs(const json_t *value);     // 1 to 1000
bool is_page_url(const json_t *value); // http or https, absolute

// The fields of an exchange; that it is an object has been checked.
int message_check_exchange(const json_t *exchange, struct message_error *error);

#endif
