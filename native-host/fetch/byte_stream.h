// HTTP over a stream of bytes, as tcp_connection.c runs it: h1_exchange.c and h2_exchange.c. They see bytes
// that TLS has opened, and leave bytes to be sent; neither sees a socket.
#pragma once

#include "base/buf.h"
#include "fetch/connection.h"

struct exchange;

struct exchange_kind {
    struct exchange *(*open)(void); // NULL when memory is short
    // Adds to `out` what is to be sent.
    void (*ask)(struct exchange *exchange, const struct request *request, struct response *response,
                struct buf *out);
    // Of the server; what is to be sent thereupon is added to `out`.
    void (*received)(struct exchange *exchange, const uint8_t *bytes, size_t size, struct buf *out);
    // The server said that nothing more comes (close_notify); or the connection broke or ended without it,
    // `why` in words.
    void (*ended)(struct exchange *exchange, const char *why);
    bool (*is_reusable)(const struct exchange *exchange);
    void (*close)(struct exchange *exchange);
};

extern const struct exchange_kind h1_exchange, h2_exchange;
