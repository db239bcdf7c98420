// Header fields between h2 or h3 and the exchange: gathers a request's fields and checks them by RFC
// 9113, 8.2 and 8.3, which RFC 9114, 4.2 and 4.3 repeat; lists a response's. Does not know HPACK, QPACK or
// frames.
#pragma once

#include "archive/recording.h"
#include "base/buf.h"
#include "replay/exchange/exchange.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FIELDS_SIZE_MAX = 64 * 1024 }; // of all names and values of a request

struct field_place;

// Zeroed: empty.
struct fields {
    struct buf text;
    struct field_place *places;
    size_t count;
    size_t capacity;
    struct header *headers; // made by fields_request
};

void fields_free(struct fields *fields);
// 0, or -1 when memory is short or the request too large.
int fields_add(struct fields *fields, const void *name, size_t name_size, const void *value,
               size_t value_size);
// Fills `request` with pointers into `fields`, good until it is freed or added to. 0, or -1 when the request
// is malformed (the stream is to be reset) or memory is short.
int fields_request(struct fields *fields, struct exchange_request *request);
// Whether they may be a request's trailer section: well-formed, and no pseudo-header among them.
bool fields_are_trailers(struct fields *fields);
// The request's content-length: 1 and *size, 0 where it has none, -1 where it is no number or stands twice.
int fields_content_length(const struct exchange_request *request, uint64_t *size);
// The last value of that name among the fields, or NULL.
const struct header *fields_find(const struct exchange_request *request, const char *name);

// A response's fields: :status first, content-length where one is due, no field that these protocols forbid.
struct response_fields {
    struct header *list;
    size_t count;
    char status[4];
    char content_length[24];
};
// 0, or -1 when memory is short. Pointers last as long as the exchange and `fields`, which is not to be
// moved.
int response_fields_make(struct response_fields *fields, const struct exchange *exchange);
// The same of a 103.
int hint_fields_make(struct response_fields *fields, const struct recorded_hint *hint);
void response_fields_free(struct response_fields *fields);
