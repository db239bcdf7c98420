// The HTTP/3 lane: a server of QUIC connections, each request in an exchange. quiche does QUIC and HTTP/3;
// the .c is the only file that knows quiche. What is done here: routing of packets, pacing, the order in
// which responses send, timers. No server push, no 0-RTT, no Retry, no migration: a lab has one client that
// keeps its address.
#ifndef TRILANE_REPLAY_H3_H
#define TRILANE_REPLAY_H3_H

#include "replay/server.h"
#include "replay/udp.h"

#include <stddef.h>
#include <stdint.h>

struct h3_server;

// How packets leave when they do not go through a UDP socket: a test's in-memory link. As udp_send.
struct h3_link {
    int (*send)(void *context, const struct udp_burst *burst);
    void *context;
};

// Binds UDP `port` on the IPv6 wildcard, IPv4 mapped too; 0 lets the kernel choose. Makes an
// exchange_connection for each connection it accepts and ends them all in h3_server_close. 0, or -1 with a
// line in `error`.
int h3_server_open(struct h3_server **server, const struct server_parts *parts, uint16_t port, char *error,
                   size_t error_size);
// The same without a socket.
int h3_server_open_on(struct h3_server **server, const struct server_parts *parts, const struct h3_link *link,
                      char *error, size_t error_size);
void h3_server_close(struct h3_server *server);

uint16_t h3_server_port(const struct h3_server *server); // 0 without a socket
// Packets that came in, and that the link has room again; a server with a socket calls these itself.
void h3_server_receive(struct h3_server *server, struct udp_packet *packets, size_t count);
void h3_server_writable(struct h3_server *server);

// The library's version, for the report; and whether it has a congestion control of that name.
const char *h3_library_version(void);
bool h3_has_congestion_control(const char *name);

#endif
