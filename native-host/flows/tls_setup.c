#include "flows/tls_setup.h"

#include "replay/tls/x509_make.h"

#include <openssl/err.h>
#include <stdlib.h>

bool certificate_use_new(SSL_CTX *context) {
    EVP_PKEY *root_key = x509_make_key(), *key = x509_make_key();
    X509 *root = root_key ? x509_make_root(root_key) : NULL;
    const struct x509_leaf wanted = {.name = "far.trilane"};
    CRYPTO_BUFFER *leaf = root && key ? x509_make_leaf(&wanted, key, root, root_key) : NULL;
    const bool done = leaf && SSL_CTX_set_chain_and_key(context, &leaf, 1, key, NULL) == 1;
    CRYPTO_BUFFER_free(leaf);
    X509_free(root);
    EVP_PKEY_free(key);
    EVP_PKEY_free(root_key);
    return done;
}

struct tls_setup {
    SSL_CTX *context;
    bool is_server;
};

static bool open_context(struct tls_setup *setup) {
    SSL_CTX *context = setup->context = SSL_CTX_new(TLS_method());
    if (!context || SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) != 1 ||
        SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION) != 1)
        return false;
    SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE);
    SSL_CTX_set_verify(context, SSL_VERIFY_NONE, NULL);
    return !setup->is_server || certificate_use_new(context);
}

int tls_setup_open(struct tls_setup **out, bool is_server) {
    struct tls_setup *setup = calloc(1, sizeof *setup);
    if (setup) setup->is_server = is_server;
    if (setup && open_context(setup)) {
        *out = setup;
        return 0;
    }
    ERR_clear_error();
    tls_setup_close(setup);
    return -1;
}

void tls_setup_close(struct tls_setup *setup) {
    if (!setup) return;
    SSL_CTX_free(setup->context);
    free(setup);
}

SSL *tls_setup_connection(const struct tls_setup *setup) {
    SSL *ssl = SSL_new(setup->context);
    if (ssl && setup->is_server)
        SSL_set_accept_state(ssl);
    else if (ssl)
        SSL_set_connect_state(ssl);
    return ssl;
}
