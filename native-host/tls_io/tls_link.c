// BoringSSL runs over a BIO of our own: reading takes from the socket in large pieces within the turn's
// bound, writing only gathers, so that several records leave in one call.
#include "tls_io/tls_link.h"

#include "base/buf.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

// A record is of use only when all of it has come, and a full one is more than an initial window: the first
// bytes would be read a round trip late. So a record fits a packet while the connection is young, as
// trilane-replay and large servers have it.
static const uint64_t young_bytes = 128 * 1024;

enum { READ_AHEAD_BYTES = 64 * 1024, SEALED_BYTES = 128 * 1024 };

struct tls_link {
    SSL *ssl;
    BIO_METHOD *transport;
    int fd;
    size_t read_left;   // of what the turn allows
    struct buf arrived; // from the socket, not read by TLS yet
    struct buf sealed;  // for the socket
    bool ended;         // by the peer: its end of TCP
    bool closed;        // by the peer: its close_notify came
    bool finished;      // close_notify is in `sealed`, or was
    uint64_t sealed_bytes;
    size_t young_record_bytes;
    int error;    // errno of the socket; 0: none
    uint32_t why; // BoringSSL's code of what failed; 0: none
};

// --- the socket under TLS

static int transport_read(BIO *bio, char *bytes, int size) {
    struct tls_link *link = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    if (buf_size(&link->arrived) == 0 && !link->ended) {
        const size_t wanted = READ_AHEAD_BYTES < link->read_left ? READ_AHEAD_BYTES : link->read_left;
        ssize_t n = -1;
        errno = EAGAIN;
        if (wanted > 0 && buf_reserve(&link->arrived, wanted) < 0)
            errno = ENOMEM;
        else if (wanted > 0)
            n = recv(link->fd, link->arrived.data + link->arrived.end, wanted, 0);
        if (n < 0) {
            if (errno == EAGAIN || errno == EINTR)
                BIO_set_retry_read(bio);
            else
                link->error = errno;
            return -1;
        }
        link->ended = n == 0;
        link->arrived.end += (size_t)n;
        link->read_left = (size_t)n < wanted ? 0 : link->read_left - (size_t)n; // less is all there was
    }
    const size_t there = buf_size(&link->arrived);
    const size_t part = there < (size_t)size ? there : (size_t)size;
    if (part > 0) memcpy(bytes, buf_bytes(&link->arrived), part);
    buf_drain(&link->arrived, part);
    return (int)part;
}

static int transport_write(BIO *bio, const char *bytes, int size) {
    struct tls_link *link = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    if (buf_add(&link->sealed, bytes, (size_t)size) == 0) return size;
    link->error = ENOMEM;
    return -1;
}

static long transport_control(BIO *bio, int command, long number, void *pointer) {
    (void)bio, (void)number, (void)pointer;
    return command == BIO_CTRL_FLUSH ? 1 : 0;
}

// 1 when the socket has taken all.
static int flush(struct tls_link *link) {
    while (buf_size(&link->sealed) > 0) {
        const ssize_t n = send(link->fd, buf_bytes(&link->sealed), buf_size(&link->sealed), MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN) return TLS_LINK_AGAIN;
        if (n < 0) {
            link->error = errno;
            return TLS_LINK_FAILED;
        }
        buf_drain(&link->sealed, (size_t)n);
    }
    return 1;
}

// --- set-up

static BIO_METHOD *new_transport(void) {
    BIO_METHOD *transport = BIO_meth_new(BIO_TYPE_SOURCE_SINK, "trilane tls link");
    if (!transport) return NULL;
    BIO_meth_set_read(transport, transport_read);
    BIO_meth_set_write(transport, transport_write);
    BIO_meth_set_ctrl(transport, transport_control);
    return transport;
}

struct tls_link *tls_link_open(SSL *ssl, int fd) {
    struct tls_link *link = calloc(1, sizeof *link);
    BIO_METHOD *transport = new_transport();
    BIO *bio = transport ? BIO_new(transport) : NULL;
    if (!link || !ssl || !bio) {
        ERR_clear_error();
        BIO_free(bio);
        BIO_meth_free(transport);
        SSL_free(ssl);
        free(link);
        return NULL;
    }
    *link = (struct tls_link){.ssl = ssl, .transport = transport, .fd = fd};
    BIO_set_data(bio, link);
    BIO_set_init(bio, 1);
    SSL_set_bio(ssl, bio, bio);
    return link;
}

void tls_link_close(struct tls_link *link) {
    if (!link) return;
    SSL_free(link->ssl);
    BIO_meth_free(link->transport);
    buf_free(&link->arrived);
    buf_free(&link->sealed);
    free(link);
}

// --- bytes

// What an SSL_* call that did not succeed means.
static int outcome(struct tls_link *link, int result) {
    const int error = SSL_get_error(link->ssl, result);
    link->why = ERR_peek_error();
    ERR_clear_error();
    if (error == SSL_ERROR_EARLY_DATA_REJECTED) {
        SSL_reset_early_data_reject(link->ssl);
        return TLS_LINK_REJECTED;
    }
    if (!link->error && error == SSL_ERROR_WANT_READ) return TLS_LINK_AGAIN;
    link->closed = error == SSL_ERROR_ZERO_RETURN;
    if (!link->error && (link->closed || link->ended)) return TLS_LINK_END;
    errno = link->error ? link->error : EPROTO;
    return TLS_LINK_FAILED;
}

int tls_link_handshake(struct tls_link *link) {
    const int result = SSL_do_handshake(link->ssl);
    const int reached = result == 1 ? 1 : outcome(link, result);
    const int flushed = reached == TLS_LINK_FAILED ? 1 : flush(link); // an alert is only tried
    if (reached == TLS_LINK_END) {
        errno = ECONNRESET;
        return TLS_LINK_FAILED;
    }
    return flushed == 1 ? reached : flushed;
}

void tls_link_allow(struct tls_link *link, size_t bytes) {
    link->read_left = bytes;
}

ssize_t tls_link_read(struct tls_link *link, void *bytes, size_t size) {
    const int n = SSL_read(link->ssl, bytes, (int)(size < INT32_MAX ? size : INT32_MAX));
    return n > 0 ? n : outcome(link, n);
}

// Of plaintext.
static size_t record_limit(struct tls_link *link) {
    if (link->sealed_bytes >= young_bytes) return SSL3_RT_MAX_PLAIN_LENGTH;
    if (link->young_record_bytes == 0) {
        int segment_bytes = 0;
        socklen_t size = sizeof segment_bytes;
        const int overhead_bytes = (int)SSL_max_seal_overhead(link->ssl);
        const bool known = getsockopt(link->fd, IPPROTO_TCP, TCP_MAXSEG, &segment_bytes, &size) == 0 &&
                           segment_bytes > 2 * overhead_bytes && segment_bytes < SSL3_RT_MAX_PLAIN_LENGTH;
        link->young_record_bytes =
            known ? (size_t)(segment_bytes - overhead_bytes) : SSL3_RT_MAX_PLAIN_LENGTH;
    }
    return link->young_record_bytes;
}

ssize_t tls_link_write(struct tls_link *link, const void *bytes, size_t size) {
    const int flushed = flush(link);
    if (flushed != 1) return flushed;
    size_t sealed = 0;
    while (sealed < size && buf_size(&link->sealed) < SEALED_BYTES) {
        const size_t limit = record_limit(link), part = size - sealed < limit ? size - sealed : limit;
        const int n = SSL_write(link->ssl, (const uint8_t *)bytes + sealed, (int)part);
        if (n <= 0) return outcome(link, n);
        sealed += (size_t)n;
        link->sealed_bytes += (uint64_t)n;
    }
    return flush(link) == TLS_LINK_FAILED ? TLS_LINK_FAILED : (ssize_t)sealed;
}

int tls_link_finish(struct tls_link *link) {
    if (!link->finished) SSL_shutdown(link->ssl);
    link->finished = true;
    ERR_clear_error();
    return flush(link);
}

bool tls_link_was_closed(const struct tls_link *link) {
    return link->closed;
}

bool tls_link_waits(const struct tls_link *link) {
    return buf_size(&link->sealed) > 0;
}

const char *tls_link_why(const struct tls_link *link) {
    const char *reason = link->why ? ERR_reason_error_string(link->why) : NULL;
    return reason ? reason : link->error ? strerror(link->error) : "the connection ended";
}
