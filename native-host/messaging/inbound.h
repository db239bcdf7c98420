// The stream of bytes that comes in: taken apart into messages, each handed on. Throws away what is too large
// to be taken, as it comes. Reads no descriptor.
#pragma once

#include "base/buf.h"
#include "messaging/dispatch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Zeroed to begin with; buf_free(&inbound.in) at the end.
struct inbound {
    struct buf in;
    size_t thrown_away; // bytes still to come of a message that is not taken
};

enum inbound_status {
    INBOUND_CONTINUES,
    INBOUND_UNREADABLE,      // where the next message starts is not known any more; that has been answered
    INBOUND_CONNECTION_LOST, // nothing can be said any more
};

// Where the next bytes go, and how many: NULL when memory is short.
uint8_t *inbound_room(struct inbound *inbound, size_t *size);
// `size` bytes have been put there: acts on all messages that are whole now.
enum inbound_status inbound_added(struct inbound *inbound, struct host *host, size_t size);
// Whether the stream may end here.
bool inbound_between_messages(const struct inbound *inbound);
