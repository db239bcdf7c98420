// Keys are ECDSA P-256, and nothing is in a certificate that no client looks at, unless it is to be filled
// up.
#include "replay/tls/x509_make.h"

#include <arpa/inet.h>
#include <openssl/asn1.h>
#include <openssl/ec_key.h>
#include <openssl/mem.h>
#include <openssl/nid.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <string.h>

enum { ROOT_DAYS = 3650, LEAF_DAYS = 90, DAY_S = 86400 };
// No server has so many names; TLS clients take certificates of up to 100 kB.
enum { NAMES_BYTES_MAX = 48 * 1024, NAME_FRAMING = 3 };

EVP_PKEY *x509_make_key(void) {
    EC_KEY *ec = EC_KEY_new_by_curve_name(NID_X9_62_prime256v1);
    EVP_PKEY *key = EVP_PKEY_new();
    if (ec && key && EC_KEY_generate_key(ec) && EVP_PKEY_set1_EC_KEY(key, ec)) {
        EC_KEY_free(ec);
        return key;
    }
    EC_KEY_free(ec);
    EVP_PKEY_free(key);
    return NULL;
}

// The same name under the same root has the same serial number in every run, so that a chain's size varies
// only with the signature's.
static bool set_serial(X509 *certificate, const char *name) {
    uint8_t hash[SHA256_DIGEST_LENGTH];
    SHA256((const uint8_t *)name, strlen(name), hash);
    uint64_t serial = 0;
    for (size_t i = 0; i < 8; i++)
        serial = serial << 8 | hash[i];
    serial = (serial & (UINT64_MAX >> 1)) | UINT64_C(1) << 62; // positive, always of 8 bytes
    return ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial) == 1;
}

// An extension as OpenSSL's configuration files write its value.
static bool add_extension(X509 *certificate, const X509 *issuer, int nid, const char *value) {
    X509V3_CTX context;
    X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_nconf_nid(NULL, &context, nid, value);
    bool done = extension && X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
    return done;
}

static bool set_common_name(X509_NAME *subject, const char *name) {
    return X509_NAME_add_entry_by_NID(subject, NID_commonName, MBSTRING_UTF8, (const uint8_t *)name, -1, -1,
                                      0) == 1;
}

static bool begin(X509 *certificate, const char *name, EVP_PKEY *key, long days) {
    // A day back: the browser's clock is ours, but a person may look at the file on another machine.
    return X509_set_version(certificate, X509_VERSION_3) && set_serial(certificate, name) &&
           X509_gmtime_adj(X509_getm_notBefore(certificate), -DAY_S) &&
           X509_gmtime_adj(X509_getm_notAfter(certificate), days * DAY_S) &&
           X509_set_pubkey(certificate, key);
}

X509 *x509_make_root(EVP_PKEY *key) {
    // The name distinguishes one person's root from another's, should both be looked at in one browser.
    uint8_t random[4];
    char name[64];
    RAND_bytes(random, sizeof random);
    snprintf(name, sizeof name, "Trilane replay %02x%02x%02x%02x", random[0], random[1], random[2],
             random[3]);
    X509 *root = X509_new();
    if (root && begin(root, name, key, ROOT_DAYS) && set_common_name(X509_get_subject_name(root), name) &&
        X509_set_issuer_name(root, X509_get_subject_name(root)) &&
        add_extension(root, root, NID_basic_constraints, "critical,CA:TRUE") &&
        add_extension(root, root, NID_key_usage, "critical,keyCertSign,cRLSign") &&
        add_extension(root, root, NID_subject_key_identifier, "hash") && X509_sign(root, key, EVP_sha256()))
        return root;
    X509_free(root);
    return NULL;
}

static bool add_name(GENERAL_NAMES *names, const char *name) {
    uint8_t address[16];
    int address_size = inet_pton(AF_INET, name, address) == 1    ? 4
                       : inet_pton(AF_INET6, name, address) == 1 ? 16
                                                                 : 0;
    ASN1_STRING *text = ASN1_STRING_type_new(address_size ? V_ASN1_OCTET_STRING : V_ASN1_IA5STRING);
    GENERAL_NAME *general = GENERAL_NAME_new();
    bool done = text && general &&
                ASN1_STRING_set(text, address_size ? (const void *)address : name,
                                address_size ? address_size : (int)strlen(name));
    if (done) {
        GENERAL_NAME_set0_value(general, address_size ? GEN_IPADD : GEN_DNS, text);
        text = NULL;
        done = sk_GENERAL_NAME_push(names, general) > 0;
        if (done) general = NULL;
    }
    ASN1_STRING_free(text);
    GENERAL_NAME_free(general);
    return done;
}

bool x509_name_covers(const char *name, const char *host) {
    if (strncmp(name, "*.", 2) != 0) return strcmp(name, host) == 0;
    const char *dot = strchr(host, '.');
    return dot && dot > host && strcmp(name + 1, dot) == 0;
}

static bool add_alternative_names(X509 *certificate, const struct x509_leaf *wanted) {
    GENERAL_NAMES *names = GENERAL_NAMES_new();
    bool done = names != NULL;
    bool has_own = false;
    size_t bytes = 0;
    for (size_t i = 0; done && i < wanted->name_count; i++) {
        bytes += strlen(wanted->names[i]) + NAME_FRAMING;
        if (bytes > NAMES_BYTES_MAX) break; // its own name is added all the same
        done = add_name(names, wanted->names[i]);
        has_own |= x509_name_covers(wanted->names[i], wanted->name);
    }
    done = done && (has_own || add_name(names, wanted->name));
    done = done && X509_add1_ext_i2d(certificate, NID_subject_alt_name, names, 0, X509V3_ADD_DEFAULT);
    GENERAL_NAMES_free(names);
    return done;
}

CRYPTO_BUFFER *x509_to_der(X509 *certificate) {
    uint8_t *der = NULL;
    int size = i2d_X509(certificate, &der);
    CRYPTO_BUFFER *buffer = size > 0 ? CRYPTO_BUFFER_new(der, (size_t)size, NULL) : NULL;
    OPENSSL_free(der);
    return buffer;
}

// Text that looks random, and is the same for the same name. NULL when memory is short.
static char *make_text(const char *name, size_t size) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *text = OPENSSL_malloc(size + 1);
    uint8_t hash[SHA256_DIGEST_LENGTH];
    SHA256((const uint8_t *)name, strlen(name), hash);
    for (size_t i = 0; text && i < size; i++) {
        if (i > 0 && i % sizeof hash == 0) SHA256(hash, sizeof hash, hash);
        text[i] = digits[hash[i % sizeof hash] % 64];
    }
    return text;
}

static bool add_comment(X509 *certificate, const char *name, size_t size) {
    ASN1_STRING *comment = ASN1_STRING_type_new(V_ASN1_IA5STRING);
    char *text = make_text(name, size);
    bool done = comment && text && ASN1_STRING_set(comment, text, (ossl_ssize_t)size) &&
                X509_add1_ext_i2d(certificate, NID_netscape_comment, comment, 0, X509V3_ADD_DEFAULT);
    OPENSSL_free(text);
    ASN1_STRING_free(comment);
    return done;
}

// As X509_sign will do: an unsigned certificate without it has no encoding to be measured.
static bool name_signature(X509 *certificate) {
    X509_ALGOR *algorithm = X509_ALGOR_new();
    bool done = algorithm &&
                X509_ALGOR_set0(algorithm, OBJ_nid2obj(NID_ecdsa_with_SHA256), V_ASN1_UNDEF, NULL) &&
                X509_set1_signature_algo(certificate, algorithm);
    X509_ALGOR_free(algorithm);
    return done;
}

// What the certificate will be long once it is signed; an ECDSA signature's size varies by a few bytes. 0
// when memory is short.
static size_t size_when_signed(X509 *certificate) {
    enum { ALGORITHM = 12, SIGNATURE = 74, OUTER = 4 };
    int size = i2d_re_X509_tbs(certificate, NULL);
    return size < 0 ? 0 : (size_t)size + ALGORITHM + SIGNATURE + OUTER;
}

// By a comment: no browser reads it, and it goes over the wire like what real certificates hold more than
// ours (proofs of transparency, addresses of services, larger keys, intermediates).
static bool fill_up(X509 *certificate, const struct x509_leaf *wanted) {
    enum {
        ROUNDS = 4,
        FRAMING = 21
    }; // the comment's own framing grows with it: a second round corrects that
    if (!name_signature(certificate)) return false;
    size_t size = size_when_signed(certificate);
    if (size == 0) return false;
    if (size + FRAMING >= wanted->size_bytes) return true;
    size_t comment = wanted->size_bytes - size - FRAMING;
    for (int i = 0; i < ROUNDS; i++) {
        if (i > 0) X509_EXTENSION_free(X509_delete_ext(certificate, X509_get_ext_count(certificate) - 1));
        if (!add_comment(certificate, wanted->name, comment)) return false;
        size = size_when_signed(certificate);
        if (size == 0) return false;
        if (size == wanted->size_bytes || comment + wanted->size_bytes <= size) return true;
        comment = comment + wanted->size_bytes - size;
    }
    return true;
}

CRYPTO_BUFFER *x509_make_leaf(const struct x509_leaf *wanted, EVP_PKEY *key, const X509 *root,
                              EVP_PKEY *root_key) {
    enum { COMMON_NAME_MAX = 64 };
    X509 *leaf = X509_new();
    CRYPTO_BUFFER *der = NULL;
    const char *subject = strlen(wanted->name) <= COMMON_NAME_MAX ? wanted->name : "Trilane replay";
    if (leaf && begin(leaf, wanted->name, key, LEAF_DAYS) &&
        set_common_name(X509_get_subject_name(leaf), subject) &&
        X509_set_issuer_name(leaf, X509_get_subject_name(root)) && add_alternative_names(leaf, wanted) &&
        add_extension(leaf, root, NID_key_usage, "critical,digitalSignature") &&
        add_extension(leaf, root, NID_ext_key_usage, "serverAuth") &&
        add_extension(leaf, root, NID_authority_key_identifier, "keyid") && fill_up(leaf, wanted) &&
        X509_sign(leaf, root_key, EVP_sha256()))
        der = x509_to_der(leaf);
    X509_free(leaf);
    return der;
}
