// What of a request decides its answer, kept until the request is whole: its head comes long before the last
// byte of its body, and the lane does not keep it. Does not look anything up.
#ifndef TRILANE_REPLAY_ASKED_H
#define TRILANE_REPLAY_ASKED_H

#include "archive/matcher.h"
#include "replay/exchange.h"

#include <openssl/sha2.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Header fields that the response depends on, or the choice of one. Several lines of one are joined (RFC
// 9110, 5.3).
enum asked_field {
    ASKED_ACCEPT_ENCODING,
    ASKED_IF_MATCH,
    ASKED_IF_MODIFIED_SINCE,
    ASKED_IF_NONE_MATCH,
    ASKED_IF_RANGE,
    ASKED_IF_UNMODIFIED_SINCE,
    ASKED_RANGE,
    ASKED_ACCEPT,
    ASKED_ACCESS_CONTROL_REQUEST_HEADERS,
    ASKED_ACCESS_CONTROL_REQUEST_METHOD,
    ASKED_CONTENT_TYPE,
    ASKED_ORIGIN,
    ASKED_PING_TO,
    ASKED_SEC_FETCH_DEST,
    ASKED_FIELDS
};

struct asked_text {
    const char *text; // not NUL-terminated; NULL: not sent
    size_t size;
};

struct asked {
    char *text; // one allocation for all the strings
    struct match_request match;
    struct asked_text fields[ASKED_FIELDS];
    bool is_head;
    bool is_get;
    SHA256_CTX hash; // of the body, begun with its first byte
    uint64_t body_bytes;
    uint8_t body_sha256[RECORDING_HASH_BYTES];
};

// 0, or -1 when memory is short.
int asked_keep(struct asked *asked, const struct exchange_request *request);
void asked_body(struct asked *asked, const void *bytes, size_t size);
// The request is whole: `match` is complete. It points into `asked`.
void asked_finish(struct asked *asked);
void asked_free(struct asked *asked);

#endif
