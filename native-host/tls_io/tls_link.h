// TLS (BoringSSL) over a connected TCP socket: what is written is sealed in full records (small ones at
// first) and handed to the socket many at a time. Which versions, certificates and tickets is the matter of
// who made the SSL. Does not watch the socket or close it.
#pragma once

#include <openssl/ssl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct tls_link;

// Of a non-blocking socket. `ssl`, in connect or accept state and without transport, is the link's from here,
// also when this fails (NULL: memory is short, or `ssl` was NULL).
struct tls_link *tls_link_open(SSL *ssl, int fd);
void tls_link_close(struct tls_link *link); // NULL: nothing

// What the calls below return beside what they are for. After TLS_LINK_FAILED errno is the socket's, or
// EPROTO where TLS itself could not go on. TLS_LINK_REJECTED, of a client that sent early data: the server
// took none of it, so it is to be written again.
enum { TLS_LINK_END = 0, TLS_LINK_AGAIN = -1, TLS_LINK_FAILED = -2, TLS_LINK_REJECTED = -3 };

// After TLS_LINK_FAILED, for people: TLS's own reason ("CERTIFICATE_VERIFY_FAILED"), else the socket's.
const char *tls_link_why(const struct tls_link *link);

// 1 when it is done.
int tls_link_handshake(struct tls_link *link);

// How much a turn of the loop may read from the socket from now on.
void tls_link_allow(struct tls_link *link, size_t bytes);
// > 0: bytes of the peer's application.
ssize_t tls_link_read(struct tls_link *link, void *bytes, size_t size);

// > 0: so many bytes were sealed, and some of them sent. Takes nothing (TLS_LINK_AGAIN) before the socket has
// taken what was sealed before.
ssize_t tls_link_write(struct tls_link *link, const void *bytes, size_t size);

// After TLS_LINK_END: whether the peer said that nothing more comes (close_notify). Without it only its end
// of TCP came, as also where its process died or someone on the way cut it off.
bool tls_link_was_closed(const struct tls_link *link);

// Says that nothing more comes (close_notify); once. 1 when the socket has taken all, else call it again.
int tls_link_finish(struct tls_link *link);

// Whether sealed bytes wait for the socket to be writable.
bool tls_link_waits(const struct tls_link *link);
