// The HTTP/3 lane's protocol: one QUIC connection, each of its requests in an exchange. quiche does QUIC and
// HTTP/3; this file's .c is the only one that knows quiche. What is done here: pacing, the order in which
// responses send, timers. No server push, no 0-RTT, no Retry, no migration: a lab has one client, which keeps
// its address. Does not route packets to connections, nor own a socket: h3_server.c does.
#ifndef TRILANE_REPLAY_H3_H
#define TRILANE_REPLAY_H3_H

#include "replay/cid_table.h"
#include "replay/server.h"
#include "replay/udp.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// quiche's settings, shared by a server's connections.
struct h3_settings;
// `parts` must outlive it. 0, or -1 with a line in `error`.
int h3_settings_open(struct h3_settings **settings, const struct server_parts *parts, char *error,
                     size_t error_size);
void h3_settings_close(struct h3_settings *settings);

// What a connection has from its server; at a fixed place as long as the connection.
struct h3_owner {
    const struct h3_settings *settings;
    const struct udp_link *link;
    // Called last thing in a turn: the connection is over, h3_connection_close it.
    void (*over)(void *context);
    void *context;
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
// Says goodbye if it is not over, and frees it.
void h3_connection_close(struct h3_connection *connection, uint64_t now_ns);

enum h3_packet {
    H3_PACKET_BAD,
    H3_PACKET_FIRST,           // begins a connection, if it belongs to none
    H3_PACKET_UNKNOWN_VERSION, // is to be answered with h3_negotiate_version, if it belongs to none
    H3_PACKET_OTHER,
};
// What the outside of a packet says. Our connection ids have `cid_size` bytes.
enum h3_packet h3_packet_head(const struct udp_packet *packet, size_t cid_size, struct cid *dcid,
                              struct cid *scid);
// The answer's size, or below 0 when it does not fit.
ssize_t h3_negotiate_version(const struct cid *dcid, const struct cid *scid, uint8_t *bytes, size_t size);

// The library's version, for the report; and whether it has a congestion control of that name.
const char *h3_library_version(void);
bool h3_has_congestion_control(const char *name);

#endif
