// One change of a QUIC client's address, as the end that follows it saw it, and how reports tell it
// (schemas/path-changes.schema.json).
#pragma once

#include <jansson.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>

// CLOCK_MONOTONIC, at this end; 0: it did not happen.
struct path_change {
    struct sockaddr_in6 peer;
    uint64_t seen_ns;      // a first packet came from there
    uint64_t answered_ns;  // the peer acknowledged a packet sent there
    uint64_t validated_ns; // it answered a challenge as long as a packet must fit (RFC 9000, 8.2)
    uint64_t resumed_ns;   // the first packet with content left for it; known if it was answered
};

// NULL when memory is short.
json_t *path_changes_json(const struct path_change *changes, size_t count);
