// The HTTP/3 lane's server: a UDP socket and the connections on it, found by their ids. Does not know quiche
// (h3.c and quic.c do).
#pragma once

#include "quic_io/udp.h"
#include "replay/server.h"

#include <stddef.h>
#include <stdint.h>

struct h3_server;

// Binds UDP `port` on the IPv6 wildcard, IPv4 mapped too; 0 lets the kernel choose. Makes an
// exchange_connection for each connection it accepts, with the address the packet was sent to, and ends them
// all in h3_server_close. `parts` must outlive it. 0, or -1 with a line in `error`.
int h3_server_open(struct h3_server **server, const struct server_parts *parts, uint16_t port, char *error,
                   size_t error_size);
// The same on any link, without a socket.
int h3_server_open_on(struct h3_server **server, const struct server_parts *parts,
                      const struct udp_link *link, char *error, size_t error_size);
// The UDP members of `granted`, of a server with a socket.
void h3_server_granted(const struct h3_server *server, struct transport_granted *granted);
void h3_server_close(struct h3_server *server);

// Packets that came in, and that the link has room again; a server with a socket calls these itself.
void h3_server_receive(struct h3_server *server, struct udp_packet *packets, size_t count);
void h3_server_writable(struct h3_server *server);
