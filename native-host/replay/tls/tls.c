#include "replay/tls/tls.h"

#include "replay/tls/certificate.h"

#include <openssl/err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tls {
    SSL_CTX *tcp;
    SSL_CTX *quic;
    struct certificates *certificates;
    int address_place; // of an SSL's own data: its local address, a string of `certificates`
};

// ALPN's wire form: length-prefixed names, most wanted first.
static const uint8_t tcp_protocols[] = "\x02h2\x08http/1.1";
static const uint8_t quic_protocols[] = "\x02h3";

// The certificate for the requested name; without SNI (a client that goes to an address) for that address.
static int choose_certificate(SSL *ssl, void *context) {
    struct tls *tls = context;
    const char *name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
    if (!name) name = SSL_get_ex_data(ssl, tls->address_place);
    return name && certificates_use(tls->certificates, ssl, name) == 0;
}

static int choose(const uint8_t **chosen, uint8_t *chosen_size, const uint8_t *offered, unsigned offered_size,
                  const uint8_t *ours, unsigned ours_size) {
    uint8_t *found;
    if (SSL_select_next_proto(&found, chosen_size, ours, ours_size, offered, offered_size) !=
        OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    *chosen = found;
    return SSL_TLSEXT_ERR_OK;
}

static int choose_tcp(SSL *ssl, const uint8_t **chosen, uint8_t *chosen_size, const uint8_t *offered,
                      unsigned offered_size, void *context) {
    (void)ssl, (void)context;
    return choose(chosen, chosen_size, offered, offered_size, tcp_protocols, sizeof tcp_protocols - 1);
}

static int choose_quic(SSL *ssl, const uint8_t **chosen, uint8_t *chosen_size, const uint8_t *offered,
                       unsigned offered_size, void *context) {
    (void)ssl, (void)context;
    return choose(chosen, chosen_size, offered, offered_size, quic_protocols, sizeof quic_protocols - 1);
}

// Everything else is BoringSSL's default, for both alike: groups, ciphers, and session tickets, without early
// data unless it is allowed.
static SSL_CTX *context_open(struct tls *tls, uint16_t lowest_version) {
    SSL_CTX *context = SSL_CTX_new(TLS_method());
    if (!context) return NULL;
    SSL_CTX_set_min_proto_version(context, lowest_version);
    SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION);
    SSL_CTX_set_cert_cb(context, choose_certificate, tls);
    return context;
}

int tls_open(struct tls **out, struct certificates *certificates, char *error, size_t error_size) {
    struct tls *tls = calloc(1, sizeof *tls);
    if (tls) {
        tls->certificates = certificates;
        tls->address_place = SSL_get_ex_new_index(0, NULL, NULL, NULL, NULL);
        tls->tcp = context_open(tls, TLS1_2_VERSION);
        tls->quic = context_open(tls, TLS1_3_VERSION);
    }
    if (!tls || !tls->tcp || !tls->quic || tls->address_place < 0) {
        tls_close(tls);
        snprintf(error, error_size, "TLS cannot be set up: not enough memory");
        return -1;
    }
    SSL_CTX_set_alpn_select_cb(tls->tcp, choose_tcp, NULL);
    SSL_CTX_set_alpn_select_cb(tls->quic, choose_quic, NULL);
    *out = tls;
    return 0;
}

void tls_close(struct tls *tls) {
    if (!tls) return;
    SSL_CTX_free(tls->tcp);
    SSL_CTX_free(tls->quic);
    free(tls);
}

void tls_limit_versions(struct tls *tls, uint16_t lowest, uint16_t highest) {
    SSL_CTX_set_min_proto_version(tls->tcp, lowest);
    SSL_CTX_set_max_proto_version(tls->tcp, highest);
}

void tls_allow_early_data(struct tls *tls) {
    SSL_CTX_set_early_data_enabled(tls->tcp, 1);
    SSL_CTX_set_early_data_enabled(tls->quic, 1);
}

static SSL *new_ssl(struct tls *tls, SSL_CTX *context, const char *local_address) {
    SSL *ssl = SSL_new(context);
    const char *address = certificates_name(tls->certificates, local_address);
    if (ssl && address && SSL_set_ex_data(ssl, tls->address_place, (void *)address) == 1) {
        SSL_set_accept_state(ssl);
        return ssl;
    }
    ERR_clear_error();
    SSL_free(ssl);
    return NULL;
}

SSL *tls_new_tcp(struct tls *tls, const char *local_address) {
    return new_ssl(tls, tls->tcp, local_address);
}

SSL *tls_new_quic(struct tls *tls, const char *local_address) {
    return new_ssl(tls, tls->quic, local_address);
}

const char *tls_version(const SSL *ssl) {
    return SSL_get_version(ssl);
}

const char *tls_alpn(const SSL *ssl) {
    static const char *const known[] = {"h2", "http/1.1", "h3"};
    const uint8_t *name;
    unsigned size;
    SSL_get0_alpn_selected(ssl, &name, &size);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (size == strlen(known[i]) && memcmp(name, known[i], size) == 0) return known[i];
    return NULL;
}
