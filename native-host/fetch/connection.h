// A connection of one lane to one server, as fetch.c sees it: what it takes to open one, what it reports on
// its way, what it can do. tcp_connection.c (h1, h2) and h3_connection.c are the two kinds. Neither knows the
// record.
#pragma once

#include "base/loop.h"
#include "fetch/client_tls.h"
#include "fetch/response.h"
#include "fetch/url.h"

#include <netinet/in.h>

struct connection;

// quiche's configuration for all connections of a run: each one that is made reads the system's certificates,
// which took 4 ms of CPU. NULL when memory is short.
struct h3_config;
struct h3_config *h3_config_open(uint64_t idle_timeout_ms);
void h3_config_close(struct h3_config *config); // NULL: nothing

struct connection_settings {
    struct loop *loop;
    struct client_tls *tls;
    struct h3_config *h3;       // NULL over TCP
    const char *alpn;           // as offered
    struct sockaddr_in6 server; // IPv4 mapped
    const char *host;           // for TLS; to live as long as the connection
    bool is_address;
    const char *qlog_folder; // NULL, and over TCP: none are written
    struct ticket *ticket;   // NULL: none. The connection's from here; one that takes early data has requests
                             // go in the first flight, if `tls` is for that

    // The request may be sent. Not called from within `open`.
    void (*ready)(void *context);
    // It came to an end while no request was under way: at its opening, mostly.
    void (*failed)(void *context, enum fetch_stage stage, const char *reason);
    void (*ticket_came)(void *context, struct ticket *ticket); // the ticket is the callee's
    void *context;
};

struct request {
    const struct url *url;
    const char *user_agent;
};

enum early_data_fate { EARLY_DATA_UNKNOWN, EARLY_DATA_UNUSED, EARLY_DATA_ACCEPTED, EARLY_DATA_REJECTED };

#define CONNECTION_UNAVAILABLE UINT64_MAX

// What it can tell at any time. Times are CLOCK_MONOTONIC, 0: not yet.
struct connection_facts {
    uint64_t begin_ns;
    uint64_t connected_ns; // TCP: the SYN was answered. QUIC: the handshake is done
    uint64_t secured_ns;   // TLS over TCP is done; 0 over QUIC
    uint64_t ready_ns;     // a request could be sent
    char alpn[16];         // "": none was chosen
    const char *tls_version;
    uint64_t certificate_bytes; // 0: none came
    enum early_data_fate early_data;
    bool resumed;
    // Each CONNECTION_UNAVAILABLE where it is not known.
    uint64_t bytes_received, bytes_sent;
    uint64_t rtt_smoothed_ns, rtt_min_ns;
    uint64_t segments_retransmitted;
    uint64_t packets_lost;
};

// What TLS can say of a connection after its handshake, but its ALPN.
void connection_note_tls(struct connection_facts *facts, const SSL *ssl, bool was_early);

struct connection_kind {
    // NULL with a line in `error`.
    struct connection *(*open)(const struct connection_settings *settings, char *error, size_t error_size);
    // When ready. `request` and `response` are to live until the response is over, or the connection closed.
    void (*ask)(struct connection *connection, const struct request *request, struct response *response);
    // Whether it takes another request, after the last response. Reads what came meanwhile, when the loop did
    // not run: the server may have ended it, or sent what no request wanted.
    bool (*is_reusable)(struct connection *connection);
    void (*facts)(const struct connection *connection, struct connection_facts *facts);
    // In order where that takes no waiting; not from within a callback of its own.
    void (*close)(struct connection *connection);
};

extern const struct connection_kind tcp_h1_connection, tcp_h2_connection, quic_h3_connection;
