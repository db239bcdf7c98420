// What the QUIC flows of one end share: a quiche configuration for each congestion controller, the far end's
// TLS (a certificate made in memory, which is not verified: a lab has no other servers), room to read
// into. Does not know a connection.
#pragma once

#include "flows/flow.h"

#include <openssl/ssl.h>
#include <quiche.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    QUIC_PAYLOAD_BYTES = 1350, // of UDP, as trilane-replay's
    QUIC_INITIAL_PACKETS = 10, // RFC 6928, and quiche's own
    QUIC_IDLE_TIMEOUT_S = 30,  // also of a handshake without an answer
    QUIC_CID_BYTES = 8,        // of ours
    QUIC_READ_BYTES = 1 << 18,
};

struct quic_setup {
    const struct flow_end *end;
    SSL_CTX *tls; // NULL at the near end
    struct quic_controller *controllers;
    uint8_t *room; // QUIC_READ_BYTES
};

// A configuration whose connections have this controller.
struct quic_controller {
    struct quic_controller *next;
    quiche_config *config;
    bool paced; // by pacer.h; BBR brings its own, and some controllers want none
    char name[sizeof((struct flow_plan *)NULL)->congestion];
};

// `end` must outlive it. 0, or -1 with a line in `error`.
int quic_setup_open(struct quic_setup **setup, const struct flow_end *end, char *error, size_t error_size);
void quic_setup_close(struct quic_setup *setup); // also NULL

// Of that name, made when it is first wanted; as long as `setup`. NULL with a line in `error`.
const struct quic_controller *quic_setup_controller(struct quic_setup *setup, const char *name, char *error,
                                                    size_t error_size);

// For quiche_conn_new_with_tls, which takes it over. NULL when memory is short.
SSL *quic_setup_server_tls(const struct quic_setup *setup);
