// What comes back for a request, whatever the lane: status, the fields that the record keeps, the body's size
// and digest, the times of its first and last byte, and whether it kept its word (content-length). Keeps no
// body. The lanes call it; it calls whoever waits for the object, once.
#pragma once

#include <openssl/sha.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Where an object's way ended, in the order of the way (schemas/fetch-record.schema.json, definitions/error).
enum fetch_stage {
    STAGE_DNS,
    STAGE_CONNECT,
    STAGE_TLS,
    STAGE_REQUEST,
    STAGE_RESPONSE,
    STAGE_TIMEOUT,
    STAGES
};

enum {
    REASON_SIZE = 192,
    RESPONSE_FIELDS_MAX = 256 * 1024, // bytes of all fields together
    RESPONSE_FIELD_KEPT = 8192,       // bytes of a field that is kept
};

struct response {
    uint64_t max_body_bytes;     // more ends it
    void (*over)(void *context); // all of it came, or `failed` says why not
    void *context;

    uint64_t first_byte_ns; // CLOCK_MONOTONIC; 0: none came
    uint64_t last_byte_ns;  // 0: not all of it has come
    int status;             // 0: none came
    const char *version;    // a literal; NULL: none came
    uint64_t body_bytes;
    uint64_t declared_bytes;  // UINT64_MAX: no content-length
    char *location, *alt_svc; // NULL: none; of RESPONSE_FIELD_KEPT bytes and more, the first
    SHA256_CTX digest;
    uint8_t sha256[SHA256_DIGEST_LENGTH]; // once it has come whole
    size_t field_bytes;
    unsigned interim_heads;
    bool in_head; // fields that come are the head's, not trailers
    bool is_over;
    bool has_failed;
    enum fetch_stage failed_stage;
    char reason[REASON_SIZE];
};

void response_begin(struct response *response, uint64_t max_body_bytes, void (*over)(void *context),
                    void *context);
void response_free(struct response *response);

void response_first_byte(struct response *response); // also more than once
// A new head begins: of an interim response (1xx), or the final one. `version` is a literal. A status that is
// none is 0.
void response_head(struct response *response, int status, const char *version);
void response_field(struct response *response, const void *name, size_t name_size, const void *value,
                    size_t value_size);
// What follows is another head, the body or trailers, of which nothing is kept.
void response_head_end(struct response *response);
void response_body(struct response *response, const void *bytes, size_t size);
// All of it came, as the lane sees it.
void response_end(struct response *response);
// After it is over: nothing. Without a full stop.
__attribute__((format(printf, 3, 4))) void response_fail(struct response *response, enum fetch_stage stage,
                                                         const char *reason, ...);
