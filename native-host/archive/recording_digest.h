// A recording's digest: SHA-256 over its exchanges in order, over all that a replay serves by: servers'
// times, round trips and certificates too. Independent of the recording's name, time and notes, of the order
// of object members in JSON, and of what the source knew beyond.
//
// The bytes hashed are fields, each its size as 8 bytes big-endian and then itself. First
// "trilane/recording/2"; then for each exchange: method, scheme, host, port (decimal), path, request body's
// SHA-256 (hex; "" for none), address, status (decimal), number of response headers (decimal), each name and
// value, response body's SHA-256 (likewise); of `recorded` server_time_ms and rtt_ms (whole microseconds,
// decimal), connection, tls.chain_bytes, tls.record_bytes (decimal), tls.group, the number of tls.names and
// each of them. What is not known, or no such thing, is "". The first kind began with "trilane/recording/1"
// and ended each exchange with the response body's SHA-256.
#pragma once

#include <openssl/sha2.h>

struct archive_exchange;

enum recording_digest_kind {
    RECORDING_DIGEST_FIRST = 1, // of recordings made before `recorded` was covered: to verify them only
    RECORDING_DIGEST_NOW = 2,
};

struct recording_digest {
    enum recording_digest_kind kind;
    SHA256_CTX hash;
};

void recording_digest_start(struct recording_digest *digest, enum recording_digest_kind kind);
// `request_body_sha256`, `body_sha256`: "" for none.
void recording_digest_add(struct recording_digest *digest, const struct archive_exchange *exchange,
                          const char *request_body_sha256, const char *body_sha256);
void recording_digest_finish(struct recording_digest *digest, char hex[2 * SHA256_DIGEST_LENGTH + 1]);
