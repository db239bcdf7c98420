// Makes keys and X.509 certificates: a root of our own and leaves under it. Keeps nothing and reads no files.
// All return NULL when memory is short.
#pragma once

#include <openssl/evp.h>
#include <openssl/pool.h>
#include <openssl/x509.h>
#include <stdbool.h>

EVP_PKEY *x509_make_key(void);

X509 *x509_make_root(EVP_PKEY *key);

struct x509_leaf {
    const char *name;         // of a TLS server: a host name or an address in text form
    const char *const *names; // what it is good for, also "*.host"; `name` is added where none covers it
    size_t name_count;
    size_t size_bytes; // what it is filled up to by a comment, to within a few bytes; 0: not filled up
};
CRYPTO_BUFFER *x509_make_leaf(const struct x509_leaf *wanted, EVP_PKEY *key, const X509 *root,
                              EVP_PKEY *root_key);

// Whether a certificate with this name (a host or "*.host" in lower case, or an address) is good for `host`:
// the star stands for one whole label (RFC 9525, 6.3).
bool x509_name_covers(const char *name, const char *host);

CRYPTO_BUFFER *x509_to_der(X509 *certificate);
