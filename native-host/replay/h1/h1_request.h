// One HTTP/1 request's head as llhttp reports it, piece by piece, and the checks that llhttp leaves to its
// user. Does not parse bytes, nor answer.
#pragma once

#include "base/buf.h"
#include "replay/exchange/exchange.h"

#include <stdbool.h>
#include <stddef.h>

enum { H1_HEAD_BYTES_MAX = 64 * 1024, H1_HEADERS_MAX = 512 };

// Offsets, since the text moves while it grows.
struct h1_field {
    size_t name, name_size;
    size_t value, value_size;
};

// Zeroed: empty.
struct h1_request {
    struct buf text; // the target, then names and values
    size_t target_size;
    struct h1_field *fields;
    size_t field_count;
    bool in_value;          // of the last field
    struct header *headers; // made by h1_request_finish
};

void h1_request_free(struct h1_request *request);
// For the next request on the connection.
void h1_request_clear(struct h1_request *request);

// Each may be called several times for one part. 0, or -1: the head is too large or memory is short.
int h1_request_target(struct h1_request *request, const char *bytes, size_t size);
int h1_request_name(struct h1_request *request, const char *bytes, size_t size);
int h1_request_value(struct h1_request *request, const char *bytes, size_t size);

// The head is whole. Fills in all of `out` but the method and the scheme, with pointers that last until
// h1_request_clear; `default_authority` stands in for HTTP/1.0's missing Host. NULL, or what is wrong with
// the request (a literal).
const char *h1_request_finish(struct h1_request *request, bool http_1_0, const char *default_authority,
                              struct exchange_request *out);

bool h1_request_expects_continue(const struct exchange_request *request);
