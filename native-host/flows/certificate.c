#include "flows/certificate.h"

#include "replay/tls/x509_make.h"

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
