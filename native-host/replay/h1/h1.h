// HTTP/1.1 (and 1.0) on one stream, by llhttp: one request at a time, those that were sent ahead wait their
// turn. Does not match or know recordings: the exchange does.
#pragma once

#include "replay/exchange/exchange.h"
#include "replay/tcp/stream.h"

// See server.h.
int h1_open(struct stream *stream, struct exchange_connection *connection);
