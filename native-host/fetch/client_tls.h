// The client's TLS for all lanes: BoringSSL with one way to verify certificates, for TCP and for QUIC, and
// the tickets that servers gave. Does no I/O: tls_io and quiche do.
#pragma once

#include <openssl/ssl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct client_tls;
// What a server gave a connection, for the next one: used once.
struct ticket;

struct client_tls_options {
    uint16_t version; // TLS1_2_VERSION or TLS1_3_VERSION: that one only
    bool is_quic;
    const char *alpn; // the one that is offered: "h2"
    bool verify;
    const char *authorities; // file of trusted certificates (PEM); NULL: the system's
    bool early_data;
    FILE *key_log; // to which keys are added; NULL: none
};

// 0, or -1 with a line in `error`.
int client_tls_open(struct client_tls **out, const struct client_tls_options *options, char *error,
                    size_t error_size);
void client_tls_close(struct client_tls *tls); // NULL: nothing

struct client_tls_connection {
    const char *host;
    bool is_address;             // then no name is sent, and the certificate must have the address
    const struct ticket *ticket; // NULL: none
    // May be NULL. The ticket is the callee's.
    void (*ticket_came)(void *context, struct ticket *ticket);
    void *context;
};

// In connect state, without transport. `connection` is to live as long. NULL when memory is short.
SSL *client_tls_connection(struct client_tls *tls, struct client_tls_connection *connection);

void ticket_free(struct ticket *ticket); // NULL: nothing
bool ticket_takes_early_data(const struct ticket *ticket);
// As quiche_conn_set_session wants it.
const uint8_t *ticket_for_quiche(const struct ticket *ticket, size_t *size);

// Why the certificate was refused; NULL: it was not.
const char *client_tls_refusal(const SSL *ssl);
