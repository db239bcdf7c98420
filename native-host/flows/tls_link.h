// TLS 1.3 over a connected TCP socket, for tcp_flow.c: what is written is sealed in full records (small ones
// at first) and handed to the socket many at a time. No resumption. Does not watch the socket or close it.
#ifndef TRILANE_FLOWS_TLS_LINK_H
#define TRILANE_FLOWS_TLS_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct tls_setup;
struct tls_link;

// 0, or -1 when memory is short.
int tls_setup_open(struct tls_setup **out, bool is_server);
void tls_setup_close(struct tls_setup *setup); // NULL: nothing

// Of a non-blocking socket. NULL when memory is short.
struct tls_link *tls_link_open(struct tls_setup *setup, int fd);
void tls_link_close(struct tls_link *link); // NULL: nothing

// What the calls below return beside what they are for. After TLS_LINK_FAILED errno is the socket's, or
// EPROTO where TLS itself could not go on.
enum { TLS_LINK_END = 0, TLS_LINK_AGAIN = -1, TLS_LINK_FAILED = -2 };

// 1 when it is done.
int tls_link_handshake(struct tls_link *link);

// How much a turn of the loop may read from the socket from now on.
void tls_link_allow(struct tls_link *link, size_t bytes);
// > 0: bytes of the peer's application.
ssize_t tls_link_read(struct tls_link *link, void *bytes, size_t size);

// > 0: so many bytes were sealed, and some of them sent. Takes nothing (TLS_LINK_AGAIN) before the socket has
// taken what was sealed before.
ssize_t tls_link_write(struct tls_link *link, const void *bytes, size_t size);

// Says that nothing more comes (close_notify); once. 1 when the socket has taken all, else call it again.
int tls_link_finish(struct tls_link *link);

// Whether sealed bytes wait for the socket to be writable.
bool tls_link_waits(const struct tls_link *link);

#endif
