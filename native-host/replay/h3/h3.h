// The HTTP/3 lane's protocol: one QUIC connection, each of its requests in an exchange. quiche does QUIC and
// HTTP/3; only quic.c and the files that share h3_connection.h know it. What is done here: pacing, the order
// in which responses send, timers, following a client whose address changes (quic_io/quiche_paths.h). No
// server push, no Retry, and no move that a client makes by itself: the transport parameters forbid it. Does
// not route packets to connections, nor own a socket: h3_server.c does.
#pragma once

#include "quic_io/udp.h"
#include "replay/h3/cid_table.h"
#include "replay/h3/quic.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { H3_FURTHER_IDS = 3 }; // that a client may be given, beside its first

// What a connection has from its server; at a fixed place as long as the connection.
struct h3_owner {
    const struct quic_settings *settings;
    const struct udp_link *link;
    // Called last thing in a turn: the connection is over, h3_connection_close it.
    void (*over)(void *context);
    // The client may use that id too from now on, or has retired it. route() returns 0, or -1 when memory is
    // short.
    int (*route)(void *context, const struct cid *cid);
    void (*unroute)(void *context, const struct cid *cid);
    void *context;
    size_t *half_open; // the server's count of such connections
};

struct h3_connection;

// For a client's first packet, which is not taken yet. The client will use `scid`. NULL when memory is short.
struct h3_connection *h3_connection_open(const struct h3_owner *owner, const struct cid *scid,
                                         const struct udp_packet *packet, uint64_t now_ns);
// Takes a packet; h3_connection_turn does what follows from those taken.
void h3_connection_receive(struct h3_connection *connection, const struct udp_packet *packet);
void h3_connection_turn(struct h3_connection *connection, uint64_t now_ns);
// The link has room again.
void h3_connection_go_on(struct h3_connection *connection, uint64_t now_ns);
// Whether its client has yet to show that it is there and speaks QUIC.
bool h3_connection_is_half_open(const struct h3_connection *connection);
// Says goodbye if it is not over, and frees it. `reason` is for the report, if it has none by then.
void h3_connection_close(struct h3_connection *connection, const char *reason, uint64_t now_ns);
