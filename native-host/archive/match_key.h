// What a request is looked up by: method, host, port, path and query, in one form for requests and for
// recorded exchanges, with their hashes. Pure.
#pragma once

#include "archive/recording.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MATCH_HOST_MAX = 255 };

// The ports of http and https are one: MATCH_OWN_PORT, which no port has. MATCH_NO_PORT is none either.
enum { MATCH_OWN_PORT = 0, MATCH_NO_PORT = 0x10000 };

// Strings are not the key's.
struct match_key {
    const char *method;
    size_t method_size;
    const char *host; // lower case, without port or brackets
    size_t host_size;
    const char *path; // with query
    size_t path_size;
    size_t bare_size; // of the path without query
    uint32_t port;
    uint64_t host_hash;  // of method and host
    uint64_t place_hash; // of these and the bare path
    uint64_t query_hash; // of these and the query
};

struct match_key match_key_of(const struct recorded_exchange *exchange);

// Of a request. `host` may be in any case and carry a port, and is written into `copy` as the key has it.
struct match_request_text {
    const char *method;
    size_t method_size;
    const char *host;
    size_t host_size;
    const char *path;
    size_t path_size;
    bool is_secure;
};
struct match_key match_key_of_request(const struct match_request_text *text, char copy[MATCH_HOST_MAX]);
// Only that host; its size, or 0 when it is none.
size_t match_bare_host(const char *host, size_t size, char copy[MATCH_HOST_MAX]);
// The same for another method.
void match_key_set_method(struct match_key *key, const char *method);

// The exchange has the key's method and host, whatever its port.
bool match_key_same_host(const struct match_key *key, const struct recorded_exchange *exchange);
// And its path, whatever its query.
bool match_key_same_place(const struct match_key *key, const struct recorded_exchange *exchange);
// And its query.
bool match_key_same_query(const struct match_key *key, const struct recorded_exchange *exchange);

uint64_t match_hash(uint64_t hash, const void *bytes, size_t size);
