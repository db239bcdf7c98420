// The replay server as a whole: listeners on every port the recording needs, the TLS handshakes on TCP, the
// lists of connections, DNS and UDP beside them. Does not speak a lane (h1.c, h2.c, h3.c do), nor make
// namespaces (main.c).
//
// How a lane gets its work:
//   h1.h  int h1_open(struct stream *stream, struct exchange_connection *connection);
//   h2.h  int h2_open(struct stream *stream, struct exchange_connection *connection);
//         After the handshake (h1 also in clear). The lane owns both from a return of 0 on; it ends them with
//         exchange_connection_close and then stream_close or stream_finish. -1 (memory is short): it took
//         neither. It sets its stream_handler in there; `readable` follows. When the program ends the server
//         calls `stop`.
//   h3_server.h
//         int h3_server_open(struct h3_server **server, const struct server_parts *parts, uint16_t port,
//                            char *error, size_t error_size);
//         void h3_server_close(struct h3_server *server);
//         Binds UDP `port` on the IPv6 wildcard, IPv4 mapped too; makes an exchange_connection for each
//         connection it accepts, with the address the packet was sent to, and ends them all in
//         h3_server_close. On failure a line in `error`. Opened once for each port that has https in the
//         recording, always for 443.
#pragma once

#include "archive/recording.h"
#include "base/loop.h"
#include "replay/exchange/exchange.h"
#include "replay/report.h"
#include "replay/tcp/notsent_lowat.h"
#include "replay/tls/tls.h"
#include "replay/transport.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tcp_info_log;

// What all lanes share; lives as long as the server.
struct server_parts {
    struct loop *loop;
    struct exchange_site *site;
    struct report *report;
    struct tls *tls;
    const struct transport *transport;
    const char *qlog_folder;       // where each QUIC connection leaves a qlog; NULL: nowhere
    struct tcp_info_log *tcp_info; // gets each TCP connection; NULL: none
    bool behind;                   // another server has the ports of https://, and asks this one
};

struct server;

// What the kernel may hold of a connection beyond what it has sent, at first and at most: notsent_lowat.h.
enum { SERVER_NOTSENT_LOWAT_BYTES = NOTSENT_LOWAT_MOST_BYTES };

// Where another server that stands before this one asks (127.0.0.1, in clear).
enum { SERVER_BEHIND_PORT = 8099 };

// Binds and listens on all ports. 0, or -1 with one line in `error`.
int server_open(struct server **server, const struct server_parts *parts, const struct recording *recording,
                char *error, size_t error_size);
// Stops all connections (recorded as cut off by the end of the program) and closes everything.
void server_close(struct server *server);

// The strings live as long as the server.
struct transport_granted server_granted(const struct server *server);
