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

static bool add_key_usage(X509 *certificate, int first_bit, int last_bit) {
    ASN1_BIT_STRING *usage = ASN1_BIT_STRING_new();
    bool done = usage != NULL;
    for (int bit = first_bit; done && bit <= last_bit; bit++)
        done = ASN1_BIT_STRING_set_bit(usage, bit, 1);
    done = done && X509_add1_ext_i2d(certificate, NID_key_usage, usage, 1, X509V3_ADD_DEFAULT);
    ASN1_BIT_STRING_free(usage);
    return done;
}

// A key's identifier (RFC 5280, 4.2.1.2, method 1).
static ASN1_OCTET_STRING *key_identifier(const X509 *certificate) {
    const ASN1_BIT_STRING *key = X509_get0_pubkey_bitstr(certificate);
    uint8_t hash[SHA_DIGEST_LENGTH];
    SHA1(ASN1_STRING_get0_data(key), (size_t)ASN1_STRING_length(key), hash);
    ASN1_OCTET_STRING *identifier = ASN1_OCTET_STRING_new();
    if (identifier && ASN1_OCTET_STRING_set(identifier, hash, sizeof hash)) return identifier;
    ASN1_OCTET_STRING_free(identifier);
    return NULL;
}

// Names the issuer's key: the same identifier in the root (as its own) and in the leaf (as its authority's).
static bool add_key_identifier(X509 *certificate, const X509 *root, bool authority) {
    ASN1_OCTET_STRING *identifier = key_identifier(root);
    bool done = identifier != NULL;
    if (done && authority) {
        AUTHORITY_KEYID id = {.keyid = identifier};
        done = X509_add1_ext_i2d(certificate, NID_authority_key_identifier, &id, 0, X509V3_ADD_DEFAULT);
    } else if (done) {
        done = X509_add1_ext_i2d(certificate, NID_subject_key_identifier, identifier, 0, X509V3_ADD_DEFAULT);
    }
    ASN1_OCTET_STRING_free(identifier);
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
    BASIC_CONSTRAINTS constraints = {.ca = ASN1_BOOLEAN_TRUE};
    enum { KEY_CERT_SIGN = 5, CRL_SIGN = 6 };
    if (root && begin(root, name, key, ROOT_DAYS) && set_common_name(X509_get_subject_name(root), name) &&
        X509_set_issuer_name(root, X509_get_subject_name(root)) &&
        X509_add1_ext_i2d(root, NID_basic_constraints, &constraints, 1, X509V3_ADD_DEFAULT) &&
        add_key_usage(root, KEY_CERT_SIGN, CRL_SIGN) && add_key_identifier(root, root, false) &&
        X509_sign(root, key, EVP_sha256()))
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

static bool add_server_purpose(X509 *certificate) {
    EXTENDED_KEY_USAGE *usage = sk_ASN1_OBJECT_new_null();
    bool done = usage && sk_ASN1_OBJECT_push(usage, OBJ_nid2obj(NID_server_auth)) > 0 &&
                X509_add1_ext_i2d(certificate, NID_ext_key_usage, usage, 0, X509V3_ADD_DEFAULT);
    sk_ASN1_OBJECT_pop_free(usage, ASN1_OBJECT_free);
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
    enum { COMMON_NAME_MAX = 64, DIGITAL_SIGNATURE = 0 };
    X509 *leaf = X509_new();
    CRYPTO_BUFFER *der = NULL;
    const char *subject = strlen(wanted->name) <= COMMON_NAME_MAX ? wanted->name : "Trilane replay";
    if (leaf && begin(leaf, wanted->name, key, LEAF_DAYS) &&
        set_common_name(X509_get_subject_name(leaf), subject) &&
        X509_set_issuer_name(leaf, X509_get_subject_name(root)) && add_alternative_names(leaf, wanted) &&
        add_key_usage(leaf, DIGITAL_SIGNATURE, DIGITAL_SIGNATURE) && add_server_purpose(leaf) &&
        add_key_identifier(leaf, root, true) && fill_up(leaf, wanted) &&
        X509_sign(leaf, root_key, EVP_sha256()))
        der = x509_to_der(leaf);
    X509_free(leaf);
    return der;
}
