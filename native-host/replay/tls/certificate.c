// X.509 by BoringSSL, files by plain POSIX. Keys are ECDSA P-256 and the smallest chain is about 1 kB: less
// than any recorded one, so that it can be filled up to that.
#include "replay/tls/certificate.h"

#include "base/folders.h"
#include "replay/tls/x509_make.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/base64.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/pool.h>
#include <openssl/sha.h>
#include <openssl/x509.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { NAME_SIZE = 256, NAMES_MAX = 8192, SLOTS = 16384, PATH_SIZE = 4096 };

struct leaf {
    char name[NAME_SIZE];
    CRYPTO_BUFFER *der; // NULL until first used
    const char *groups; // of the key exchange; NULL: any
};

struct certificates {
    EVP_PKEY *root_key;
    X509 *root;
    CRYPTO_BUFFER *root_der;
    EVP_PKEY *leaf_key;
    struct leaf *leaves[SLOTS]; // hash table by name, open addressing, never more than half full
    size_t count;
    uint32_t chain_bytes; // of leaves without a form
};

// --- HOME/ca

static FILE *create_file(int folder, const char *name) {
    int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    return fd < 0 ? NULL : fdopen(fd, "w");
}

static bool close_file(FILE *file, bool written) {
    if (!file) return false;
    bool synced = written && fflush(file) == 0 && fsync(fileno(file)) == 0;
    return fclose(file) == 0 && synced;
}

static bool write_key(int folder, const char *name, EVP_PKEY *key) {
    FILE *file = create_file(folder, name);
    return close_file(file, file && PEM_write_PrivateKey(file, key, NULL, NULL, 0, NULL, NULL));
}

static bool write_certificate(int folder, const char *name, X509 *certificate) {
    FILE *file = create_file(folder, name);
    return close_file(file, file && PEM_write_X509(file, certificate));
}

static void remove_folder(const char *path, int folder) {
    static const char *const names[] = {"ca.key", "ca.pem", "leaf.key"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlinkat(folder, names[i], 0);
    rmdir(path);
}

static bool write_new(int folder) {
    EVP_PKEY *root_key = x509_make_key();
    EVP_PKEY *leaf_key = x509_make_key();
    X509 *root = root_key ? x509_make_root(root_key) : NULL;
    errno = ENOMEM; // if it is none of the writes
    bool done = root && leaf_key && write_key(folder, "ca.key", root_key) &&
                write_key(folder, "leaf.key", leaf_key) && write_certificate(folder, "ca.pem", root);
    int why = errno;
    EVP_PKEY_free(root_key);
    EVP_PKEY_free(leaf_key);
    X509_free(root);
    errno = why;
    return done;
}

// Written whole under another name, then renamed: the first of two programs wins, the other's rename finds a
// folder that is not empty and takes that one.
static int make_ca(const char *home, const char *folder, char *error, size_t error_size) {
    char aside[PATH_SIZE];
    snprintf(aside, sizeof aside, "%s/ca.XXXXXX", home);
    folders_make(home); // what needs it reports what cannot be made
    if (!mkdtemp(aside)) {
        snprintf(error, error_size, "%s: the certificate authority cannot be made there: %s", home,
                 strerror(errno));
        return -1;
    }
    int aside_fd = open(aside, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool written = aside_fd >= 0 && write_new(aside_fd) && fsync(aside_fd) == 0;
    bool renamed = written && rename(aside, folder) == 0;
    int why = errno;
    if (!renamed) remove_folder(aside, aside_fd);
    if (aside_fd >= 0) close(aside_fd);
    if (renamed) return 0;
    if (written && (why == ENOTEMPTY || why == EEXIST)) return 0;
    snprintf(error, error_size, "%s: the certificate authority cannot be written: %s", folder, strerror(why));
    return -1;
}

static FILE *open_file(int folder, const char *name) {
    int fd = openat(folder, name, O_RDONLY | O_CLOEXEC);
    return fd < 0 ? NULL : fdopen(fd, "r");
}

static EVP_PKEY *read_key(int folder, const char *name) {
    FILE *file = open_file(folder, name);
    EVP_PKEY *key = file ? PEM_read_PrivateKey(file, NULL, NULL, NULL) : NULL;
    if (file) fclose(file);
    return key;
}

static X509 *read_certificate(int folder, const char *name) {
    FILE *file = open_file(folder, name);
    X509 *certificate = file ? PEM_read_X509(file, NULL, NULL, NULL) : NULL;
    if (file) fclose(file);
    return certificate;
}

static bool load(struct certificates *certificates, const char *path) {
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return false;
    certificates->root_key = read_key(folder, "ca.key");
    certificates->leaf_key = read_key(folder, "leaf.key");
    certificates->root = read_certificate(folder, "ca.pem");
    close(folder);
    if (!certificates->root_key || !certificates->leaf_key || !certificates->root) return false;
    if (X509_check_private_key(certificates->root, certificates->root_key) != 1) return false;
    certificates->root_der = x509_to_der(certificates->root);
    return certificates->root_der != NULL;
}

// Made by a machine whose clock was years away, or this one's is now: no browser would take what it signs.
static bool is_of_this_time(const X509 *root, const char *folder, char *error, size_t error_size) {
    const ASN1_TIME *from = X509_get0_notBefore(root);
    const ASN1_TIME *to = X509_get0_notAfter(root);
    bool is_early = X509_cmp_current_time(from) > 0;
    if (!is_early && X509_cmp_current_time(to) > 0) return true;
    time_t limit_s = 0, now_s = time(NULL);
    struct tm limit = {0}, now = {0};
    char limit_text[32] = "another time", now_text[32];
    if (ASN1_TIME_to_time_t(is_early ? from : to, &limit_s) == 1)
        strftime(limit_text, sizeof limit_text, "%Y-%m-%d", gmtime_r(&limit_s, &limit));
    strftime(now_text, sizeof now_text, "%Y-%m-%d", gmtime_r(&now_s, &now));
    snprintf(
        error, error_size,
        "%s: the certificate authority is valid %s %s, and this machine's clock says %s: set the clock, or "
        "remove the folder",
        folder, is_early ? "from" : "until", limit_text, now_text);
    return false;
}

int certificates_open(struct certificates **out, const char *home, char *error, size_t error_size) {
    char folder[PATH_SIZE];
    snprintf(folder, sizeof folder, "%s/ca", home);
    if (access(folder, F_OK) < 0 && make_ca(home, folder, error, error_size) < 0) return -1;
    struct certificates *certificates = calloc(1, sizeof *certificates);
    bool is_loaded = certificates && load(certificates, folder);
    if (is_loaded && is_of_this_time(certificates->root, folder, error, error_size)) {
        *out = certificates;
        return 0;
    }
    certificates_close(certificates);
    ERR_clear_error();
    if (!is_loaded)
        snprintf(error, error_size,
                 "%s: the certificate authority is unreadable or damaged: remove the folder", folder);
    return -1;
}

void certificates_close(struct certificates *certificates) {
    if (!certificates) return;
    for (size_t i = 0; i < SLOTS; i++) {
        if (!certificates->leaves[i]) continue;
        CRYPTO_BUFFER_free(certificates->leaves[i]->der);
        free(certificates->leaves[i]);
    }
    CRYPTO_BUFFER_free(certificates->root_der);
    EVP_PKEY_free(certificates->root_key);
    EVP_PKEY_free(certificates->leaf_key);
    X509_free(certificates->root);
    free(certificates);
}

// --- leaves by name

// What a certificate may be made for: a host name's characters, or an address's. A client may ask for
// anything.
static bool is_name(const char *name, size_t size) {
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._:";
    return size > 0 && size < NAME_SIZE && strspn(name, allowed) == size;
}

static struct leaf *leaf_of(struct certificates *certificates, const char *name) {
    size_t size = strlen(name);
    if (!is_name(name, size)) return NULL;
    char lower[NAME_SIZE];
    uint32_t hash = 2166136261u; // FNV-1a
    for (size_t i = 0; i <= size; i++) {
        lower[i] = (char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] - 'A' + 'a' : name[i]);
        hash = (hash ^ (uint8_t)lower[i]) * 16777619u;
    }
    size_t at = hash % SLOTS;
    for (; certificates->leaves[at]; at = (at + 1) % SLOTS)
        if (strcmp(certificates->leaves[at]->name, lower) == 0) return certificates->leaves[at];
    if (certificates->count == NAMES_MAX) return NULL;
    struct leaf *leaf = calloc(1, sizeof *leaf);
    if (!leaf) return NULL;
    memcpy(leaf->name, lower, size + 1);
    certificates->leaves[at] = leaf;
    certificates->count++;
    return leaf;
}

const char *certificates_name(struct certificates *certificates, const char *name) {
    struct leaf *leaf = leaf_of(certificates, name);
    return leaf ? leaf->name : NULL;
}

// The groups of a server with which a browser came to this one: it and those that browsers want less, so that
// who does not know it finds another. NULL: all.
static const char *groups_down_from(const char *group) {
    static const char *const lists[][2] = {{"X25519", "X25519:P-256:P-384:P-521"},
                                           {"P-256", "P-256:P-384:P-521"},
                                           {"P-384", "P-384:P-521"},
                                           {"P-521", "P-521"}};
    for (size_t i = 0; group && i < sizeof lists / sizeof *lists; i++)
        if (strcmp(group, lists[i][0]) == 0) return lists[i][1];
    return NULL;
}

static int make_leaf(struct certificates *certificates, struct leaf *leaf,
                     const struct certificate_form *form) {
    size_t root_bytes = CRYPTO_BUFFER_len(certificates->root_der);
    const struct x509_leaf wanted = {.name = leaf->name,
                                     .names = form->names,
                                     .name_count = form->name_count,
                                     .size_bytes =
                                         form->chain_bytes > root_bytes ? form->chain_bytes - root_bytes : 0};
    leaf->groups = groups_down_from(form->group);
    leaf->der = x509_make_leaf(&wanted, certificates->leaf_key, certificates->root, certificates->root_key);
    return leaf->der ? 0 : -1;
}

int certificates_make(struct certificates *certificates, const char *name,
                      const struct certificate_form *form) {
    struct leaf *leaf = leaf_of(certificates, name);
    return leaf && !leaf->der ? make_leaf(certificates, leaf, form) : 0;
}

void certificates_set_chain_bytes(struct certificates *certificates, uint32_t chain_bytes) {
    certificates->chain_bytes = chain_bytes;
}

int certificates_use(struct certificates *certificates, SSL *ssl, const char *name) {
    struct leaf *leaf = leaf_of(certificates, name);
    if (!leaf) return -1;
    const struct certificate_form plain = {.chain_bytes = certificates->chain_bytes};
    if (!leaf->der && make_leaf(certificates, leaf, &plain) < 0) return -1;
    if (leaf->groups && SSL_set1_groups_list(ssl, leaf->groups) != 1) return -1;
    CRYPTO_BUFFER *const chain[] = {leaf->der, certificates->root_der};
    return SSL_set_chain_and_key(ssl, chain, 2, certificates->leaf_key, NULL) == 1 ? 0 : -1;
}

static bool write_leaf(int folder, const struct certificates *certificates, const struct leaf *leaf) {
    char file_name[NAME_SIZE + 4];
    snprintf(file_name, sizeof file_name, "%s.pem", leaf->name);
    FILE *file = create_file(folder, file_name);
    const uint8_t *der = CRYPTO_BUFFER_data(leaf->der);
    X509 *certificate = d2i_X509(NULL, &der, (long)CRYPTO_BUFFER_len(leaf->der));
    bool is_written = file && certificate && PEM_write_X509(file, certificate) &&
                      PEM_write_X509(file, certificates->root) &&
                      PEM_write_PrivateKey(file, certificates->leaf_key, NULL, NULL, 0, NULL, NULL);
    X509_free(certificate);
    if (!file) return false;
    return fclose(file) == 0 && is_written;
}

int certificates_write(const struct certificates *certificates, const char *folder, char *error,
                       size_t error_size) {
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool is_written = fd >= 0;
    for (size_t i = 0; is_written && i < SLOTS; i++)
        if (certificates->leaves[i] && certificates->leaves[i]->der)
            is_written = write_leaf(fd, certificates, certificates->leaves[i]);
    if (!is_written)
        snprintf(error, error_size, "%s: the certificates cannot be written: %s", folder, strerror(errno));
    if (fd >= 0) close(fd);
    return is_written ? 0 : -1;
}

static bool add_spki(const EVP_PKEY *key, char *text) {
    uint8_t *der = NULL;
    int size = i2d_PUBKEY(key, &der);
    if (size <= 0) return false;
    uint8_t hash[SHA256_DIGEST_LENGTH];
    SHA256(der, (size_t)size, hash);
    OPENSSL_free(der);
    EVP_EncodeBlock((uint8_t *)text, hash, sizeof hash);
    return true;
}

int certificates_spki(const struct certificates *certificates, char *text) {
    if (!add_spki(certificates->leaf_key, text)) return -1;
    size_t size = strlen(text);
    text[size] = ',';
    return add_spki(certificates->root_key, text + size + 1) ? 0 : -1;
}
