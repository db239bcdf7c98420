// The certificates of a replay: a root of our own, kept under HOME/ca and made at first use, and for each
// requested name a leaf under it, made in memory: beforehand where it is to look like a recorded one, else
// when it is first wanted. All leaves have one key, so that a browser can be made to trust two key hashes
// instead of a file. Does not do TLS.
#pragma once

#include <openssl/ssl.h>
#include <stddef.h>
#include <stdint.h>

struct certificates;

// Loads HOME/ca or makes it (with HOME if need be): ca.pem, ca.key and leaf.key appear at once or not at all,
// and two programs that make it at the same time end with the same one. 0, or -1 with one line in `error`.
int certificates_open(struct certificates **out, const char *home, char *error, size_t error_size);
void certificates_close(struct certificates *certificates);

// Our own copy of `name` (a host, or an address in text form), at a fixed place as long as `certificates`,
// whose leaf will be kept too. NULL when memory is short or far too many names have been requested.
const char *certificates_name(struct certificates *certificates, const char *name);

// What a leaf is to be like.
struct certificate_form {
    const char *const *names; // subject alternative names: hosts, "*.host", addresses in text form
    size_t name_count;
    uint32_t chain_bytes; // what the chain is filled up to, leaf and root as DER; 0: as small as it can be
    const char
        *group; // that the key exchange has with a browser, as "X25519"; borrowed; NULL: BoringSSL's choice
};
// Makes the leaf for `name`, once: a second form changes nothing. It is good for `name` in any case, by a
// name of its own if need be. 0, also for what no certificate can be made for; -1 when memory is short.
int certificates_make(struct certificates *certificates, const char *name,
                      const struct certificate_form *form);

// What leaves are like that are made when they are first wanted. Before that: as small as they can be.
void certificates_set_chain_bytes(struct certificates *certificates, uint32_t chain_bytes);

// Gives `ssl` the chain for `name`, its key, and the group of its key exchange. 0, or -1: not a name, too
// many names, or memory is short.
int certificates_use(struct certificates *certificates, SSL *ssl, const char *name);

// Writes FOLDER/NAME.pem for each leaf that has been made: the chain, then the key. 0, or -1 with one line in
// `error`.
int certificates_write(const struct certificates *certificates, const char *folder, char *error,
                       size_t error_size);

// "<leaf>,<root>": the base64 SHA-256 of each SubjectPublicKeyInfo, for
// --ignore-certificate-errors-spki-list. `text` has CERTIFICATES_SPKI_SIZE bytes. 0, or -1.
enum { CERTIFICATES_SPKI_SIZE = 2 * 45 + 1 };
int certificates_spki(const struct certificates *certificates, char *text);
