// A server on loopback that keeps to QUIC and says of HTTP/3 what it is given, byte by byte: on the request's
// stream, and on streams of its own. For tests only.
#pragma once

#include "hostile_server.h"

struct hostile_h3 {
    const char *says; // after the request, on its stream
    size_t size;
    const char *again; // and then this without end; NULL: the stream ends
    size_t again_size;
    bool resets;     // in place of the stream's end
    bool closes;     // the connection, in order, in place of the stream's end
    const char *own; // on a stream of the server's beside the one that SETTINGS come on, from its type on
    size_t own_size;
    const char *control; // on the latter, behind the SETTINGS
    size_t control_size;
    unsigned idle_ms; // its idle time-out; 0: a long one
    unsigned chain;   // as many more certificates that it sends along
};

// As hostile_server_start: 0, or -1. Ended by hostile_server_stop.
int hostile_h3_start(struct hostile_server *server, const struct hostile_h3 *hostile);
