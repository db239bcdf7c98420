#include "fetch/client_tls.h"

#include "fetch/connection.h"

#include <openssl/err.h>
#include <openssl/pool.h>
#include <openssl/x509.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct client_tls {
    SSL_CTX *context;
    bool is_quic;
};

struct ticket {
    SSL_SESSION *session;
    uint8_t *for_quiche; // its length, the session, the length of the server's transport parameters, those
    size_t for_quiche_size;
};

// Where systems keep their roots.
static const char *const system_roots[] = {"/etc/ssl/certs/ca-certificates.crt",
                                           "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
                                           "/etc/ssl/cert.pem"};

static const char *trusted_file(const struct client_tls_options *options) {
    if (options->authorities) return options->authorities;
    const char *from_environment = getenv("SSL_CERT_FILE");
    if (from_environment && *from_environment) return from_environment;
    for (size_t i = 0; i < sizeof system_roots / sizeof *system_roots; i++)
        if (access(system_roots[i], R_OK) == 0) return system_roots[i];
    return NULL;
}

static int trust(SSL_CTX *context, const struct client_tls_options *options, char *error, size_t error_size) {
    if (!options->verify) {
        SSL_CTX_set_verify(context, SSL_VERIFY_NONE, NULL);
        return 0;
    }
    const char *file = trusted_file(options);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
    if (!file) {
        snprintf(error, error_size,
                 "this system has no trusted certificates: install ca-certificates, or name a file by --ca");
        return -1;
    }
    if (SSL_CTX_load_verify_locations(context, file, NULL) == 1) return 0;
    ERR_clear_error();
    snprintf(error, error_size, "%s: has no certificates in PEM that can be read", file);
    return -1;
}

// --- tickets

static void put_64(uint8_t *out, uint64_t number) {
    for (int i = 0; i < 8; i++)
        out[i] = (uint8_t)(number >> (56 - 8 * i));
}

static int keep_for_quiche(struct ticket *ticket, const SSL *ssl) {
    uint8_t *session = NULL;
    const uint8_t *parameters;
    size_t session_size, parameters_size;
    SSL_get_peer_quic_transport_params(ssl, &parameters, &parameters_size);
    if (!SSL_SESSION_to_bytes(ticket->session, &session, &session_size)) return -1;
    uint8_t *out = ticket->for_quiche = malloc(16 + session_size + parameters_size);
    if (out) {
        put_64(out, session_size);
        memcpy(out + 8, session, session_size);
        put_64(out + 8 + session_size, parameters_size);
        memcpy(out + 16 + session_size, parameters, parameters_size);
        ticket->for_quiche_size = 16 + session_size + parameters_size;
    }
    OPENSSL_free(session);
    return out ? 0 : -1;
}

static int on_ticket(SSL *ssl, SSL_SESSION *session) {
    struct client_tls_connection *connection = SSL_get_app_data(ssl);
    if (!connection || !connection->ticket_came) return 0;
    struct ticket *ticket = calloc(1, sizeof *ticket);
    if (!ticket) return 0;
    ticket->session = session; // ours from here
    if (SSL_is_quic(ssl) && keep_for_quiche(ticket, ssl) < 0) {
        ticket_free(ticket);
        return 1;
    }
    connection->ticket_came(connection->context, ticket);
    return 1;
}

void ticket_free(struct ticket *ticket) {
    if (!ticket) return;
    SSL_SESSION_free(ticket->session);
    free(ticket->for_quiche);
    free(ticket);
}

bool ticket_takes_early_data(const struct ticket *ticket) {
    return SSL_SESSION_early_data_capable(ticket->session) == 1;
}

const uint8_t *ticket_for_quiche(const struct ticket *ticket, size_t *size) {
    *size = ticket->for_quiche_size;
    return ticket->for_quiche;
}

// --- keys

static void on_key(const SSL *ssl, const char *line) {
    FILE *key_log = SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl));
    fprintf(key_log, "%s\n", line);
    // Whoever reads the file meanwhile has whole lines.
    fflush(key_log);
}

// --- contexts and connections

int client_tls_open(struct client_tls **out, const struct client_tls_options *options, char *error,
                    size_t error_size) {
    struct client_tls *tls = calloc(1, sizeof *tls);
    SSL_CTX *context = SSL_CTX_new(TLS_method());
    uint8_t alpn[16];
    const size_t alpn_size = strlen(options->alpn);
    alpn[0] = (uint8_t)alpn_size;
    memcpy(alpn + 1, options->alpn, alpn_size);
    snprintf(error, error_size, "TLS cannot be set up: memory is short");
    if (!tls || !context || SSL_CTX_set_min_proto_version(context, options->version) != 1 ||
        SSL_CTX_set_max_proto_version(context, options->version) != 1 ||
        SSL_CTX_set_alpn_protos(context, alpn, (unsigned)alpn_size + 1) != 0 ||
        trust(context, options, error, error_size) < 0) {
        ERR_clear_error();
        SSL_CTX_free(context);
        free(tls);
        return -1;
    }
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(context, on_ticket);
    SSL_CTX_set_early_data_enabled(context, options->early_data);
    if (options->key_log) {
        SSL_CTX_set_app_data(context, options->key_log);
        SSL_CTX_set_keylog_callback(context, on_key);
    }
    *tls = (struct client_tls){context, options->is_quic};
    *out = tls;
    return 0;
}

void client_tls_close(struct client_tls *tls) {
    if (!tls) return;
    SSL_CTX_free(tls->context);
    free(tls);
}

// Whose certificate it has to be.
static int expect(SSL *ssl, const struct client_tls_connection *connection) {
    X509_VERIFY_PARAM *parameters = SSL_get0_param(ssl);
    if (connection->is_address) return X509_VERIFY_PARAM_set1_ip_asc(parameters, connection->host);
    X509_VERIFY_PARAM_set_hostflags(parameters, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    // A name that ends with a dot is the same one in a certificate, without it (RFC 6066, 3).
    const size_t size = strlen(connection->host), named = size - (connection->host[size - 1] == '.');
    char name[256];
    snprintf(name, sizeof name, "%.*s", (int)named, connection->host);
    return X509_VERIFY_PARAM_set1_host(parameters, name, named) && SSL_set_tlsext_host_name(ssl, name);
}

SSL *client_tls_connection(struct client_tls *tls, struct client_tls_connection *connection) {
    SSL *ssl = SSL_new(tls->context);
    if (!ssl || !SSL_set_app_data(ssl, connection) || !expect(ssl, connection) ||
        // quiche takes a ticket with more beside it (ticket_for_quiche).
        (connection->ticket && !tls->is_quic && !SSL_set_session(ssl, connection->ticket->session))) {
        ERR_clear_error();
        SSL_free(ssl);
        return NULL;
    }
    SSL_set_connect_state(ssl);
    return ssl;
}

// A literal; NULL: another one.
static const char *version_of(const SSL *ssl) {
    switch (SSL_version(ssl)) {
    case TLS1_3_VERSION:
        return "1.3";
    case TLS1_2_VERSION:
        return "1.2";
    default:
        return NULL;
    }
}

// 0: none were sent.
static uint64_t certificate_bytes(const SSL *ssl) {
    const STACK_OF(CRYPTO_BUFFER) *chain = SSL_get0_peer_certificates(ssl);
    uint64_t bytes = 0;
    for (size_t i = 0; chain && i < sk_CRYPTO_BUFFER_num(chain); i++)
        bytes += CRYPTO_BUFFER_len(sk_CRYPTO_BUFFER_value(chain, i));
    return bytes;
}

void connection_note_tls(struct connection_facts *facts, const SSL *ssl, bool was_early) {
    facts->tls_version = version_of(ssl);
    facts->resumed = SSL_session_reused(ssl) == 1;
    facts->certificate_bytes = facts->resumed ? 0 : certificate_bytes(ssl);
    facts->early_data = !was_early                     ? EARLY_DATA_UNUSED
                        : SSL_early_data_accepted(ssl) ? EARLY_DATA_ACCEPTED
                                                       : EARLY_DATA_REJECTED;
}

const char *client_tls_refusal(const SSL *ssl) {
    const long result = SSL_get_verify_result(ssl);
    return result == X509_V_OK || SSL_get_verify_mode(ssl) == SSL_VERIFY_NONE
               ? NULL
               : X509_verify_cert_error_string(result);
}
