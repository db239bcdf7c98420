// What of a recorded response decides whether it may answer a request for the same thing: its coding, the
// part that it is, and what it is conditional on. Says how well it fits; does not change it
// (replay/exchange/representation.h does).
#pragma once

#include "archive/byte_range.h"
#include "archive/recording.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Content codings (RFC 9110, 8.4.1), as bits. CODING_OTHER: several, or one that is not known.
enum coding {
    CODING_IDENTITY = 1,
    CODING_GZIP = 2,
    CODING_DEFLATE = 4,
    CODING_BR = 8,
    CODING_ZSTD = 16,
    CODING_OTHER = 32
};
enum coding coding_of(const char *name, size_t size);
// Which codings an Accept-Encoding header takes. One that is not there (NULL) takes all.
unsigned codings_accepted(const char *accept_encoding, size_t size);

// Of a recorded response.
struct variant {
    enum coding coding;
    bool to_https; // recorded in clear: sends to the same URL with https
    bool is_part;  // 206 with a Content-Range that is understood:
    struct byte_range range;
    uint64_t whole_size; // UINT64_MAX: not known
};
void variant_read(struct variant *variant, const struct recorded_exchange *exchange);

// Of a request. Zeroed: without the header; but `accepted` is always to be set.
struct variant_wish {
    unsigned accepted; // codings
    bool is_secure;
    bool is_conditional; // If-None-Match or If-Modified-Since
    bool has_range;
    struct range_request range;
};

// In ascending order of fit.
enum fit {
    FIT_NONE,    // would be wrong: a 304 where nothing was conditional, a part where all was requested, ...
    FIT_RECODED, // has a coding that is not accepted
    FIT_USABLE,  // can be made what was requested
    FIT_EXACT
};
enum fit variant_fit(const struct variant *variant, const struct recorded_exchange *exchange,
                     const struct variant_wish *wish);

// The recorded header's value, or NULL. Names are in lower case.
const struct header *recorded_header(const struct recorded_exchange *exchange, const char *name);
