// One accepted TCP connection as a non-blocking byte stream, in clear or under TLS: what h1.c and h2.c speak
// through. It owns the descriptor, the `SSL *` and the watch in the loop. Does not know HTTP, and keeps no
// queue of plaintext: what cannot be sent now is not taken, so backpressure reaches the lane (which then
// leaves it in the exchange).
//
// Readiness is level-triggered and each turn's bytes are bounded, so one busy connection cannot starve
// another: read and write until STREAM_AGAIN, the stream calls again when it continues, even where it was
// only the bound that ended it.
#pragma once

#include "base/loop.h"

#include <openssl/bio.h>
#include <openssl/ssl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

struct stream;
struct tcp_info_log;

// What stream_read and stream_writev return beside a count of bytes.
enum { STREAM_END = 0, STREAM_AGAIN = -1, STREAM_FAILED = -2 };

// The lane's side. Any of these may call stream_close or stream_finish; the stream is not touched after that.
struct stream_handler {
    void (*readable)(void *context);
    // After a stream_writev that took less than all: there is room again. Not called otherwise.
    void (*writable)(void *context);
    // The program ends: record what is to be recorded and call stream_close.
    void (*stop)(void *context);
};

// The streams of one server, so that they can be stopped together. Members are stream.c's.
struct stream_set {
    struct loop *loop;
    BIO_METHOD *transport;
    struct stream *first;
};
// 0, or -1 when memory is short.
int stream_set_open(struct stream_set *set, struct loop *loop);
// Calls `stop` of every stream, and closes those that a lane has finished already.
void stream_set_close(struct stream_set *set);

// The largest piece of plaintext that goes out under one TLS record header.
enum { STREAM_RECORD_BYTES = 16384 };

// Takes the connected, non-blocking descriptor and, for TLS, an `SSL *` that has no transport yet (NULL: in
// clear); both are closed also when this fails. `local_address` is in text form and copied. NULL when memory
// or descriptors are short. Set a handler next.
struct stream *stream_open(struct stream_set *set, int fd, SSL *ssl, const char *local_address,
                           uint16_t local_port);
// May be changed at any time: the server's handshake hands the stream to a lane so. The lane's `readable` is
// then called soon in any case, as bytes may have come in with the handshake's last.
void stream_set_handler(struct stream *stream, const struct stream_handler *handler, void *context);

// TLS only: 1 when done, STREAM_AGAIN, or STREAM_FAILED. Called by the server before a lane gets the stream.
int stream_handshake(struct stream *stream);

// > 0; STREAM_END when the peer has finished its side; STREAM_AGAIN; STREAM_FAILED.
ssize_t stream_read(struct stream *stream, void *bytes, size_t size);
// Takes bytes from the front of the pieces: > 0, STREAM_AGAIN (then `writable` will be called) or
// STREAM_FAILED. Under TLS one call makes one record of up to 16 kB, so give it a frame header and its body
// together. May take less than all with more room at hand: call until STREAM_AGAIN. Bytes taken are on their
// way: the pieces need not live on.
ssize_t stream_writev(struct stream *stream, const struct iovec *pieces, int count);
// Whether stream_writev would take anything now; false: `writable` will be called. For a lane that has a
// choice of what to send, which it so makes late.
bool stream_has_room(struct stream *stream);
// How much such a lane should make ready at a time, in bytes: a record, or less where the window is small.
size_t stream_ahead_bytes(const struct stream *stream);
// How much plaintext one TLS record takes while the connection is young, as the recorded server had it.
// Without this a record fits a packet then.
void stream_initial_tls_record(struct stream *stream, size_t record_bytes);
// Lets as much wait in the kernel as the socket takes: what goes next is decided early then.
void stream_unbound_unsent(struct stream *stream);
// While paused `readable` is not called (but when the connection breaks): the lane has enough to do.
void stream_pause_reading(struct stream *stream, bool paused);

bool stream_is_secure(const struct stream *stream);
const char *stream_local_address(const struct stream *stream);
uint16_t stream_local_port(const struct stream *stream);
uint64_t stream_turn_ns(const struct stream *stream); // when what is read now had come: loop_turn_ns
// Lets the log tell of the connection until it is closed; `connection` and `lane` as tcp_info_watch has them.
void stream_sample(struct stream *stream, struct tcp_info_log *log, uint64_t connection, const char *lane);
const SSL *stream_ssl(const struct stream *stream); // NULL in clear; for tls_version and alpn

// Gone at once; what is taken but not flushed is lost.
void stream_close(struct stream *stream);
// Gone in order, on its own from here: flushes, sends close_notify and FIN, discards what still comes until
// the peer closes (or a few seconds have passed, so that a vanished peer costs nothing), then closes.
void stream_finish(struct stream *stream);
