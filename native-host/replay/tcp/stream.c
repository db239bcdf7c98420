// TLS runs over a BIO of our own: reading takes from the socket within the turn's bound, writing gives to the
// socket and keeps what the kernel does not take (part of one record at most) in `sealed`. So SSL_write never
// blocks half-way, and a record is the unit that is taken or not.
#include "replay/tcp/stream.h"

#include "base/buf.h"
#include "base/clock.h"
#include "replay/tcp/notsent_lowat.h"
#include "replay/tcp/tcp_info.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    READ_PER_TURN_BYTES = 64 * 1024,
    READ_AHEAD_BYTES = 16 * 1024,
    WRITE_PER_TURN_BYTES = 8 * STREAM_RECORD_BYTES,
    PIECES_MAX = 16, // of one sendmsg
};
static const uint64_t finish_limit_ns = 30 * NS_PER_S;

// A reader can use a TLS record only when all of it has come, and a full one is more than an initial window:
// the first bytes of an answer would be of use a round trip late, which QUIC, whose packets each open by
// themselves, does not have. So a record fits a packet until the connection has carried this much since it
// was last idle, as H2O, Apache and the large CDNs do it; the window is then far larger than a record. Where
// it is known how the recorded server did it, a record is as large as that server's.
static const uint64_t young_bytes = 128 * 1024;
static const uint64_t idle_ns = 200 * NS_PER_MS; // as long as it takes the kernel to forget the window

struct stream {
    struct stream_set *set;
    struct stream *previous;
    struct stream *next;
    struct loop_watch watch;
    uint32_t watched; // events that the loop watches
    SSL *ssl;         // NULL: in clear
    struct buf sealed;
    struct buf arrived;              // from the socket, not read by TLS yet
    bool drained;                    // the socket had no more in this turn
    size_t initial_tls_record_bytes; // plaintext: the recorded server's, or what fills a packet; 0: not
                                     // looked up yet
    struct notsent_lowat ahead;
    uint64_t busy_bytes; // sealed since it was last idle
    uint64_t last_write_ns;
    const struct stream_handler *handler; // NULL: finishing
    void *context;
    struct loop_timer timer; // to call `readable` again soon; once finishing, the limit
    struct tcp_info_watch samples;
    size_t read_left; // bytes, this turn
    size_t write_left;
    bool lane_waits; // its last writev was not taken whole
    bool paused;
    bool again;    // `readable` is due without an event of the socket
    bool in_event; // on_event is below us on the stack: it closes and re-arms when it comes back
    bool closed;   // by the lane; freed by on_event
    bool broken;   // the socket is no more
    bool fin_sent;
    uint16_t local_port;
    char local_address[46];
};

static void destroy(struct stream *stream) {
    if (stream->previous)
        stream->previous->next = stream->next;
    else
        stream->set->first = stream->next;
    if (stream->next) stream->next->previous = stream->previous;
    loop_timer_clear(stream->set->loop, &stream->timer);
    loop_remove(stream->set->loop, &stream->watch);
    tcp_info_forget(&stream->samples);
    close(stream->watch.fd);
    SSL_free(stream->ssl);
    buf_free(&stream->sealed);
    buf_free(&stream->arrived);
    free(stream);
}

// --- the socket under TLS

// Reads ahead: TLS asks for a record's head and its body one by one. Less than was wanted is all that
// there is; what comes later makes the socket readable again.
static ssize_t fill_arrived(struct stream *stream) {
    const size_t wanted = READ_AHEAD_BYTES < stream->read_left ? READ_AHEAD_BYTES : stream->read_left;
    if (stream->drained || wanted == 0 || buf_reserve(&stream->arrived, wanted) < 0) {
        errno = stream->drained || wanted == 0 ? EAGAIN : ENOMEM;
        return -1;
    }
    ssize_t n = recv(stream->watch.fd, stream->arrived.data + stream->arrived.end, wanted, 0);
    if (n <= 0) return n;
    stream->arrived.end += (size_t)n;
    stream->read_left -= (size_t)n;
    stream->drained = (size_t)n < wanted;
    return n;
}

static int transport_read(BIO *bio, char *bytes, int size) {
    struct stream *stream = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    if (buf_size(&stream->arrived) == 0) {
        ssize_t n = fill_arrived(stream);
        if (n == 0) return 0;
        if (n < 0) {
            if (errno == EAGAIN || errno == EINTR)
                BIO_set_retry_read(bio);
            else
                stream->broken = true;
            return -1;
        }
    }
    size_t part = buf_size(&stream->arrived) < (size_t)size ? buf_size(&stream->arrived) : (size_t)size;
    memcpy(bytes, buf_bytes(&stream->arrived), part);
    buf_drain(&stream->arrived, part);
    return (int)part;
}

// Gives the socket what it takes; 0, or -1 when the socket is no more.
static ssize_t socket_send(struct stream *stream, const struct iovec *pieces, size_t count) {
    struct msghdr message = {.msg_iov = (struct iovec *)pieces, .msg_iovlen = count};
    ssize_t n = sendmsg(stream->watch.fd, &message, MSG_NOSIGNAL);
    if (n >= 0) {
        notsent_lowat_sent(&stream->ahead, (size_t)n);
        return n;
    }
    if (errno == EAGAIN || errno == EINTR) return 0;
    stream->broken = true;
    return -1;
}

static int transport_write(BIO *bio, const char *bytes, int size) {
    struct stream *stream = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    ssize_t sent = 0;
    if (buf_size(&stream->sealed) == 0) {
        struct iovec piece = {.iov_base = (void *)bytes, .iov_len = (size_t)size};
        sent = socket_send(stream, &piece, 1);
        if (sent < 0) return -1;
    }
    if (buf_add(&stream->sealed, bytes + sent, (size_t)size - (size_t)sent) < 0) {
        stream->broken = true; // a record sent in part cannot be taken back
        return -1;
    }
    return size;
}

static long transport_control(BIO *bio, int command, long number, void *pointer) {
    (void)bio, (void)number, (void)pointer;
    return command == BIO_CTRL_FLUSH ? 1 : 0;
}

int stream_set_open(struct stream_set *set, struct loop *loop) {
    *set = (struct stream_set){.loop = loop};
    set->transport = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "trilane stream");
    if (!set->transport) return -1;
    BIO_meth_set_read(set->transport, transport_read);
    BIO_meth_set_write(set->transport, transport_write);
    BIO_meth_set_ctrl(set->transport, transport_control);
    return 0;
}

void stream_set_close(struct stream_set *set) {
    // `stop` closes its stream, and may close no other one.
    while (set->first) {
        struct stream *stream = set->first;
        if (stream->handler) stream->handler->stop(stream->context);
        if (set->first == stream) destroy(stream);
    }
    BIO_meth_free(set->transport);
}

// --- the loop's side

static void rearm(struct stream *stream) {
    bool wants_write = stream->lane_waits || buf_size(&stream->sealed) > 0;
    uint32_t events = (stream->paused ? 0u : (uint32_t)EPOLLIN) | (wants_write ? (uint32_t)EPOLLOUT : 0u);
    if (events == stream->watched) return;
    stream->watched = events;
    loop_modify(stream->set->loop, &stream->watch, events);
}

// 0 when the kernel has it all, STREAM_AGAIN or STREAM_FAILED.
static int flush(struct stream *stream) {
    while (buf_size(&stream->sealed) > 0) {
        struct iovec piece = {.iov_base = buf_bytes(&stream->sealed), .iov_len = buf_size(&stream->sealed)};
        ssize_t n = socket_send(stream, &piece, 1);
        if (n < 0) return STREAM_FAILED;
        if (n == 0) return STREAM_AGAIN;
        buf_drain(&stream->sealed, (size_t)n);
    }
    return stream->broken ? STREAM_FAILED : 0;
}

// Finishing: true while there is more to wait for.
static bool finish_continues(struct stream *stream) {
    int flushed = flush(stream);
    if (flushed == STREAM_FAILED) return false;
    if (flushed == STREAM_AGAIN) return true;
    if (!stream->fin_sent && shutdown(stream->watch.fd, SHUT_WR) < 0) return false;
    stream->fin_sent = true;
    uint8_t discarded[4096];
    for (size_t i = 0; i < READ_PER_TURN_BYTES / sizeof discarded; i++) {
        ssize_t n = recv(stream->watch.fd, discarded, sizeof discarded, 0);
        if (n == 0) return false;
        if (n < 0) return errno == EAGAIN || errno == EINTR;
    }
    return true;
}

static void call_readable(struct stream *stream) {
    do {
        stream->again = false;
        stream->handler->readable(stream->context);
    } while (stream->again && !stream->closed && stream->handler && !stream->paused);
}

static void on_event(void *context, uint32_t events) {
    struct stream *stream = context;
    stream->read_left = READ_PER_TURN_BYTES;
    stream->write_left = WRITE_PER_TURN_BYTES;
    stream->drained = false;
    stream->in_event = true;
    int flushed = flush(stream);
    if (events & EPOLLOUT) notsent_lowat_update(&stream->ahead, stream->watch.fd);
    bool came_apart = (events & (EPOLLERR | EPOLLHUP)) || flushed == STREAM_FAILED;
    if (stream->handler && (events & EPOLLOUT) && flushed == 0 && stream->lane_waits) {
        stream->lane_waits = false;
        stream->handler->writable(stream->context);
    }
    bool readable = (events & EPOLLIN) || came_apart || stream->again;
    if (!stream->closed && stream->handler && readable && (!stream->paused || came_apart))
        call_readable(stream);
    stream->in_event = false;
    if (!stream->closed && !stream->handler && !finish_continues(stream)) stream->closed = true;
    if (stream->closed)
        destroy(stream);
    else
        rearm(stream);
}

static void on_timer(void *context, uint64_t now_ns) {
    struct stream *stream = context;
    (void)now_ns;
    if (stream->handler)
        on_event(stream, 0);
    else
        destroy(stream);
}

struct stream *stream_open(struct stream_set *set, int fd, SSL *ssl, const char *local_address,
                           uint16_t local_port) {
    struct stream *stream = calloc(1, sizeof *stream);
    BIO *bio = ssl ? BIO_new(set->transport) : NULL;
    if (!stream || (ssl && !bio)) goto failed;
    *stream = (struct stream){.set = set, .ssl = ssl, .watched = EPOLLIN, .local_port = local_port};
    stream->watch = (struct loop_watch){.fd = fd, .ready = on_event, .context = stream};
    stream->timer = (struct loop_timer){.due = on_timer, .context = stream};
    notsent_lowat_init(&stream->ahead);
    strncpy(stream->local_address, local_address, sizeof stream->local_address - 1);
    if (loop_add(set->loop, &stream->watch, EPOLLIN) < 0) goto failed;
    if (ssl) {
        BIO_set_data(bio, stream);
        BIO_set_init(bio, 1);
        SSL_set_bio(ssl, bio, bio);
    }
    stream->next = set->first;
    if (stream->next) stream->next->previous = stream;
    set->first = stream;
    return stream;
failed:
    BIO_free(bio);
    SSL_free(ssl);
    close(fd);
    free(stream);
    return NULL;
}

// --- the lane's side

// `readable` will be called in this turn or the next, even if the socket has nothing new.
static void call_again(struct stream *stream) {
    stream->again = true;
    if (!stream->in_event) loop_timer_set(stream->set->loop, &stream->timer, clock_now_ns());
}

void stream_set_handler(struct stream *stream, const struct stream_handler *handler, void *context) {
    stream->handler = handler;
    stream->context = context;
    if (stream->ssl) call_again(stream);
}

// What an SSL_* call that did not succeed means.
static int tls_outcome(struct stream *stream, int result) {
    int error = SSL_get_error(stream->ssl, result);
    ERR_clear_error();
    if (stream->broken) return STREAM_FAILED;
    if (error == SSL_ERROR_WANT_READ) return STREAM_AGAIN;
    // A peer that closes without close_notify is common; HTTP's own lengths tell whether anything was cut
    // off.
    if (error == SSL_ERROR_ZERO_RETURN || (error == SSL_ERROR_SYSCALL && result == 0)) return STREAM_END;
    return STREAM_FAILED;
}

int stream_handshake(struct stream *stream) {
    int result = SSL_do_handshake(stream->ssl);
    int outcome = result == 1 ? 1 : tls_outcome(stream, result);
    if (outcome == STREAM_END) outcome = STREAM_FAILED;
    if (!stream->in_event && outcome != STREAM_FAILED) rearm(stream);
    return outcome;
}

ssize_t stream_read(struct stream *stream, void *bytes, size_t size) {
    if (stream->broken) return STREAM_FAILED;
    if (stream->ssl) {
        int n = SSL_read(stream->ssl, bytes, (int)(size < INT32_MAX ? size : INT32_MAX));
        if (!stream->in_event) rearm(stream); // an answer of TLS's own may be waiting
        return n > 0 ? n : tls_outcome(stream, n);
    }
    if (stream->read_left == 0) return STREAM_AGAIN;
    ssize_t n = recv(stream->watch.fd, bytes, size < stream->read_left ? size : stream->read_left, 0);
    if (n < 0) return errno == EAGAIN || errno == EINTR ? STREAM_AGAIN : STREAM_FAILED;
    stream->read_left -= (size_t)n;
    return n;
}

static ssize_t lane_waits(struct stream *stream) {
    stream->lane_waits = true;
    if (!stream->in_event) rearm(stream);
    return STREAM_AGAIN;
}

// 1, STREAM_AGAIN or STREAM_FAILED.
static int room(struct stream *stream) {
    int flushed = flush(stream);
    if (flushed == STREAM_FAILED) return STREAM_FAILED;
    if (flushed == STREAM_AGAIN || stream->write_left == 0) return STREAM_AGAIN;
    return notsent_lowat_has_room(&stream->ahead, stream->watch.fd) ? 1 : STREAM_AGAIN;
}

bool stream_has_room(struct stream *stream) {
    int has = room(stream);
    if (has == STREAM_AGAIN) lane_waits(stream);
    return has != STREAM_AGAIN; // one that has failed says so when it is written to
}

static ssize_t write_clear(struct stream *stream, const struct iovec *pieces, int count) {
    struct iovec bounded[PIECES_MAX];
    size_t used = 0;
    size_t left = stream->write_left;
    for (; (int)used < count && used < PIECES_MAX && left > 0; used++) {
        bounded[used] = pieces[used];
        if (bounded[used].iov_len > left) bounded[used].iov_len = left;
        left -= bounded[used].iov_len;
    }
    ssize_t n = used > 0 ? socket_send(stream, bounded, used) : 0;
    if (n < 0) return STREAM_FAILED;
    if (n == 0) return lane_waits(stream);
    stream->write_left -= (size_t)n;
    return n;
}

// How much plaintext the next record takes at most.
static size_t record_limit(struct stream *stream) {
    uint64_t now_ns = clock_now_ns();
    if (now_ns - stream->last_write_ns > idle_ns) stream->busy_bytes = 0;
    stream->last_write_ns = now_ns;
    if (stream->busy_bytes >= young_bytes) return stream_ahead_bytes(stream);
    if (stream->initial_tls_record_bytes == 0) {
        int segment_bytes = 0;
        socklen_t size = sizeof segment_bytes;
        int overhead_bytes = (int)SSL_max_seal_overhead(stream->ssl);
        bool known = getsockopt(stream->watch.fd, IPPROTO_TCP, TCP_MAXSEG, &segment_bytes, &size) == 0 &&
                     segment_bytes > 2 * overhead_bytes && segment_bytes <= STREAM_RECORD_BYTES;
        stream->initial_tls_record_bytes =
            known ? (size_t)(segment_bytes - overhead_bytes) : STREAM_RECORD_BYTES;
    }
    return stream->initial_tls_record_bytes;
}

// One record: straight from the first piece if that fills it, else gathered.
static ssize_t write_sealed(struct stream *stream, const struct iovec *pieces, int count) {
    uint8_t gathered[STREAM_RECORD_BYTES];
    const size_t limit = record_limit(stream);
    const uint8_t *bytes = gathered;
    size_t size = 0;
    if (count == 1 || pieces[0].iov_len >= limit) {
        bytes = pieces[0].iov_base;
        size = pieces[0].iov_len < limit ? pieces[0].iov_len : limit;
    } else {
        for (int i = 0; i < count && size < limit; i++) {
            size_t more = pieces[i].iov_len < limit - size ? pieces[i].iov_len : limit - size;
            memcpy(gathered + size, pieces[i].iov_base, more);
            size += more;
        }
    }
    int n = SSL_write(stream->ssl, bytes, (int)size);
    if (n <= 0) {
        ERR_clear_error();
        return STREAM_FAILED;
    }
    stream->busy_bytes += (uint64_t)n;
    stream->write_left -= (size_t)n < stream->write_left ? (size_t)n : stream->write_left;
    if (!stream->in_event) rearm(stream);
    return n;
}

size_t stream_ahead_bytes(const struct stream *stream) {
    const size_t limit_bytes = stream->ahead.limit_bytes;
    return limit_bytes > stream->initial_tls_record_bytes ? limit_bytes : stream->initial_tls_record_bytes;
}

void stream_unbound_unsent(struct stream *stream) {
    notsent_lowat_unbound(&stream->ahead, stream->watch.fd);
}

void stream_initial_tls_record(struct stream *stream, size_t record_bytes) {
    stream->initial_tls_record_bytes =
        record_bytes < STREAM_RECORD_BYTES ? record_bytes : STREAM_RECORD_BYTES;
}

ssize_t stream_writev(struct stream *stream, const struct iovec *pieces, int count) {
    while (count > 0 && pieces->iov_len == 0) {
        pieces++;
        count--;
    }
    if (count == 0) return 0;
    int has = room(stream);
    if (has != 1) return has == STREAM_AGAIN ? lane_waits(stream) : STREAM_FAILED;
    return stream->ssl ? write_sealed(stream, pieces, count) : write_clear(stream, pieces, count);
}

void stream_pause_reading(struct stream *stream, bool paused) {
    bool continues = stream->paused && !paused;
    stream->paused = paused;
    if (continues) call_again(stream);
    if (!stream->in_event) rearm(stream);
}

bool stream_is_secure(const struct stream *stream) {
    return stream->ssl != NULL;
}

const char *stream_local_address(const struct stream *stream) {
    return stream->local_address;
}

uint16_t stream_local_port(const struct stream *stream) {
    return stream->local_port;
}

uint64_t stream_turn_ns(const struct stream *stream) {
    return loop_turn_ns(stream->set->loop);
}

void stream_sample(struct stream *stream, struct tcp_info_log *log, uint64_t connection, const char *lane) {
    tcp_info_watch(log, &stream->samples, stream->watch.fd, connection, lane);
}

const SSL *stream_ssl(const struct stream *stream) {
    return stream->ssl;
}

void stream_close(struct stream *stream) {
    stream->closed = true;
    stream->handler = NULL;
    if (!stream->in_event) destroy(stream);
}

void stream_finish(struct stream *stream) {
    stream->handler = NULL;
    stream->context = NULL;
    stream->paused = false;
    stream->lane_waits = false;
    if (stream->ssl && !stream->broken) SSL_shutdown(stream->ssl);
    ERR_clear_error();
    if (loop_timer_set(stream->set->loop, &stream->timer, clock_now_ns() + finish_limit_ns) < 0) {
        stream_close(stream);
        return;
    }
    if (!stream->in_event) on_event(stream, 0);
}
