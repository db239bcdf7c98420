// The HTTP/2 lane: one connection on a stream, each of its requests in an exchange. nghttp2 does the protocol
// (framing, HPACK, flow control, RFC 9218 priorities, errors); this file's .c is the only one that knows
// nghttp2. Does not do TLS, nor accept connections.
#pragma once

#include "replay/exchange/exchange.h"
#include "replay/tcp/stream.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// After the handshake. From a return of 0 on the lane owns both and ends them with exchange_connection_close
// and then stream_close or stream_finish. -1 (memory is short): it took neither.
int h2_open(struct stream *stream, struct exchange_connection *connection);

// Reads a priority field value (RFC 9218, 4) as nghttp2 does for h2: h3 uses it too, so that both lanes
// understand the same. What the value leaves out is left as it is. 0, or -1 when it is none.
int h2_parse_priority(const void *value, size_t size, uint8_t *urgency, bool *incremental);

// The library's version, for the report.
const char *h2_library_version(void);
