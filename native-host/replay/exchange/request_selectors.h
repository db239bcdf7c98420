// What of a request decides its answer, kept until the request is whole: its head comes long before the last
// byte of its body, and the lane does not keep it. Does not look anything up.
#pragma once

#include "archive/matcher.h"
#include "replay/exchange/exchange.h"

#include <openssl/sha2.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Header fields that the response depends on, or the choice of one. Several lines of one are joined (RFC
// 9110, 5.3).
enum selector_field {
    SELECTOR_ACCEPT_ENCODING,
    SELECTOR_IF_MATCH,
    SELECTOR_IF_MODIFIED_SINCE,
    SELECTOR_IF_NONE_MATCH,
    SELECTOR_IF_RANGE,
    SELECTOR_IF_UNMODIFIED_SINCE,
    SELECTOR_RANGE,
    SELECTOR_ACCEPT,
    SELECTOR_ACCESS_CONTROL_REQUEST_HEADERS,
    SELECTOR_ACCESS_CONTROL_REQUEST_METHOD,
    SELECTOR_CONTENT_TYPE,
    SELECTOR_ORIGIN,
    SELECTOR_PING_TO,
    SELECTOR_SEC_FETCH_DEST,
    SELECTOR_FIELDS
};

struct request_selectors_text {
    const char *text; // not NUL-terminated; NULL: not sent
    size_t size;
};

struct request_selectors {
    char *text; // one allocation for all the strings
    struct match_request match;
    struct request_selectors_text fields[SELECTOR_FIELDS];
    bool is_head;
    bool is_get;
    SHA256_CTX hash; // of the body, begun with its first byte
    uint64_t body_bytes;
    uint8_t body_sha256[RECORDING_HASH_BYTES];
};

// 0, or -1 when memory is short.
int request_selectors_keep(struct request_selectors *selectors, const struct exchange_request *request);
void request_selectors_body(struct request_selectors *selectors, const void *bytes, size_t size);
// The request is whole: `match` is complete. It points into `selectors`.
void request_selectors_finish(struct request_selectors *selectors);
void request_selectors_free(struct request_selectors *selectors);
