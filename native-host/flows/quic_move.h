// A near end that moves to another address of its own accord (RFC 9000, 9.2: active migration), as often as
// its plan says: a new socket, thus a new port, is probed beside the one in use, and used once the far end
// has answered there. What is under way to the old one still arrives. A NAT's rebinding is the link's doing.
#pragma once

#include "base/loop.h"
#include "quic_io/udp.h"

#include <stdbool.h>
#include <stdint.h>

struct quic_connection;

struct quic_move {
    uint64_t every_ns; // 0: it stays
    struct loop_timer timer;
    struct udp *next; // is probed; NULL: none
    struct udp *left; // packets may still come to it
    struct sockaddr_in6 next_local;
    uint64_t probed_ns; // when the probe was sent
    uint64_t leave_ns;  // when what left from the old address and was not acknowledged is lost; 0: nothing is
    uint64_t begun;
    uint64_t made;
};

// Of a connection that is set up: from now on.
void quic_move_start(struct quic_connection *connection);
// After packets came in: goes over to the socket that is probed, if the far end has answered there. True if
// it did.
bool quic_move_turn(struct quic_connection *connection, uint64_t now_ns);
// No more moves.
void quic_move_stop(struct quic_connection *connection);
void quic_move_free(struct quic_connection *connection);

// The link of a connection that moves: each burst by the socket of its address.
struct udp_link quic_move_link(struct quic_connection *connection);
