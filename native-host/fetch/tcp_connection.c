// h1 and h2: a TCP socket, TLS over it, HTTP over that (byte_stream.h). Opens in that order, or with a ticket
// that takes early data sends the request along with TLS's first flight; what a server takes none of is sent
// again.
#include "fetch/byte_stream.h"

#include "base/clock.h"
#include "tls_io/tls_link.h"

#include <errno.h>
#include <linux/tcp.h> // has more of TCP_INFO than netinet/tcp.h
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { READ_BYTES = 64 * 1024, TURN_BYTES = 1 << 20 };

enum phase { TCP_CONNECTING, TCP_SHAKING, TCP_READY, TCP_BROKEN };

struct connection {
    struct connection_settings settings;
    struct client_tls_connection identity;
    struct loop_watch watch;
    struct loop_timer look; // for what was read along with the handshake's end
    uint32_t watched;       // for which events
    enum phase phase;
    SSL *ssl; // the link's
    struct tls_link *link;
    const struct exchange_kind *http;
    struct exchange *exchange;
    struct buf out;   // of HTTP, not taken by TLS yet
    struct buf early; // copy of what went into early data, until the server has taken it
    bool was_early;   // early data was sent
    struct connection_facts facts;
    uint8_t bytes[READ_BYTES];
};

static void watch(struct connection *c) {
    if (c->phase == TCP_BROKEN) return;
    const bool out = c->phase == TCP_CONNECTING || tls_link_waits(c->link) || buf_size(&c->out) > 0;
    const uint32_t events = EPOLLIN | (out ? (uint32_t)EPOLLOUT : 0);
    if (events == c->watched) return;
    loop_modify(c->settings.loop, &c->watch, events);
    c->watched = events;
}

static void fail(struct connection *c, enum fetch_stage stage, const char *reason) {
    if (c->phase == TCP_BROKEN) return;
    c->phase = TCP_BROKEN;
    loop_remove(c->settings.loop, &c->watch);
    c->settings.failed(c->settings.context, stage, reason);
}

// An end that is reported to the response, if one is under way.
static void end(struct connection *c, const char *why) {
    if (c->phase == TCP_BROKEN) return;
    c->phase = TCP_BROKEN;
    loop_remove(c->settings.loop, &c->watch);
    if (c->exchange) c->http->ended(c->exchange, why);
}

// --- handshake

static void note_handshake(struct connection *c) {
    if (c->facts.secured_ns > 0) return;
    c->facts.secured_ns = clock_now_ns();
    connection_note_tls(&c->facts, c->ssl, c->was_early);
    const uint8_t *alpn;
    unsigned size;
    SSL_get0_alpn_selected(c->ssl, &alpn, &size);
    snprintf(c->facts.alpn, sizeof c->facts.alpn, "%.*s", (int)size, size ? (const char *)alpn : "");
}

static void tls_failed(struct connection *c) {
    const char *refusal = client_tls_refusal(c->ssl);
    const char *why = tls_link_why(c->link);
    if (refusal && strcmp(why, "CERTIFICATE_VERIFY_FAILED") == 0) {
        char reason[REASON_SIZE];
        snprintf(reason, sizeof reason, "the certificate is refused: %s", refusal);
        fail(c, STAGE_TLS, reason);
    } else if (strcmp(why, "TLSV1_ALERT_NO_APPLICATION_PROTOCOL") == 0) {
        char reason[REASON_SIZE];
        snprintf(reason, sizeof reason, "the server does not speak %s (no_application_protocol)",
                 c->settings.alpn);
        fail(c, STAGE_TLS, reason);
    } else {
        fail(c, STAGE_TLS, why);
    }
}

static void become_ready(struct connection *c) {
    const char *alpn = c->settings.alpn;
    c->exchange = c->http->open();
    if (!c->exchange) {
        fail(c, STAGE_REQUEST, "memory is short");
        return;
    }
    if (!SSL_in_early_data(c->ssl)) {
        note_handshake(c);
        // Without ALPN it is HTTP/1.1 (RFC 7301 leaves it to the application).
        if (strcmp(c->facts.alpn, alpn) != 0 && (c->facts.alpn[0] || strcmp(alpn, "http/1.1") != 0)) {
            char reason[REASON_SIZE];
            snprintf(reason, sizeof reason, "the server does not speak %s (ALPN: %s)", alpn,
                     c->facts.alpn[0] ? c->facts.alpn : "none");
            fail(c, STAGE_TLS, reason);
            return;
        }
    }
    c->phase = TCP_READY;
    c->facts.ready_ns = clock_now_ns();
    // In the next turn, as what is ready is polled first: to read would end the time of early data.
    loop_timer_set(c->settings.loop, &c->look, c->facts.ready_ns);
    c->settings.ready(c->settings.context);
}

static void shake_hands(struct connection *c) {
    tls_link_allow(c->link, TURN_BYTES);
    const int result = tls_link_handshake(c->link);
    if (result == TLS_LINK_FAILED || result == TLS_LINK_END)
        tls_failed(c);
    else if (result != TLS_LINK_AGAIN)
        become_ready(c);
}

static void on_connected(struct connection *c) {
    int error = 0;
    socklen_t size = sizeof error;
    getsockopt(c->watch.fd, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error) {
        fail(c, STAGE_CONNECT, strerror(error));
        return;
    }
    c->facts.connected_ns = clock_now_ns();
    c->phase = TCP_SHAKING;
    c->ssl = client_tls_connection(c->settings.tls, &c->identity);
    c->link = tls_link_open(c->ssl, c->watch.fd);
    if (c->link)
        shake_hands(c);
    else
        fail(c, STAGE_TLS, "memory is short");
}

// --- bytes

static void send_out(struct connection *c) {
    while (c->phase == TCP_READY && buf_size(&c->out) > 0) {
        const bool early = SSL_in_early_data(c->ssl);
        const ssize_t n = tls_link_write(c->link, buf_bytes(&c->out), buf_size(&c->out));
        if (n == TLS_LINK_AGAIN) return;
        if (n == TLS_LINK_REJECTED) return; // read_in sees to it
        if (n <= 0) {
            end(c, tls_link_why(c->link));
            return;
        }
        if (early) {
            c->was_early = true;
            buf_add(&c->early, buf_bytes(&c->out), (size_t)n);
        }
        buf_drain(&c->out, (size_t)n);
    }
}

// The server took none of the early data: everything again, once the handshake is done.
static void send_again(struct connection *c) {
    struct buf rest = c->out;
    c->out = c->early;
    c->early = (struct buf){0};
    buf_add(&c->out, buf_bytes(&rest), buf_size(&rest));
    buf_free(&rest);
    send_out(c);
}

static void read_in(struct connection *c) {
    tls_link_allow(c->link, TURN_BYTES);
    while (c->phase == TCP_READY) {
        const ssize_t n = tls_link_read(c->link, c->bytes, sizeof c->bytes);
        if (!SSL_in_early_data(c->ssl) && !SSL_in_init(c->ssl)) note_handshake(c);
        if (n == TLS_LINK_AGAIN) break;
        if (n == TLS_LINK_REJECTED) {
            send_again(c);
        } else if (n > 0) {
            c->http->received(c->exchange, c->bytes, (size_t)n, &c->out);
        } else if (n == TLS_LINK_END) {
            // Within a handshake that early data overtook, it is TLS that failed.
            if (c->facts.secured_ns == 0) fail(c, STAGE_TLS, "the server ended the connection");
            // Without close_notify anyone may have cut off what came (RFC 9112, 9.8).
            end(c,
                tls_link_was_closed(c->link) ? NULL : "the server ended the connection without close_notify");
        } else if (c->facts.secured_ns == 0) {
            tls_failed(c);
        } else {
            end(c, tls_link_why(c->link));
        }
    }
    send_out(c);
}

static void on_look(void *context, uint64_t now_ns) {
    struct connection *c = context;
    (void)now_ns;
    if (c->phase == TCP_READY) read_in(c);
    watch(c);
}

static void on_events(void *context, uint32_t events) {
    struct connection *c = context;
    (void)events;
    if (c->phase == TCP_CONNECTING) {
        on_connected(c);
    } else if (c->phase == TCP_SHAKING) {
        shake_hands(c);
    } else if (c->phase == TCP_READY) {
        send_out(c);
        read_in(c);
    }
    watch(c);
}

// --- what fetch.c asks for

static void on_ticket(void *context, struct ticket *ticket) {
    struct connection *c = context;
    c->settings.ticket_came(c->settings.context, ticket);
}

static int connect_to(struct connection *c) {
    const struct sockaddr_in6 *server = &c->settings.server;
    const bool mapped = IN6_IS_ADDR_V4MAPPED(&server->sin6_addr);
    struct sockaddr_in server_4 = {.sin_family = AF_INET, .sin_port = server->sin6_port};
    memcpy(&server_4.sin_addr, &server->sin6_addr.s6_addr[12], sizeof server_4.sin_addr);
    const int on = 1;
    c->watch.fd = socket(mapped ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (c->watch.fd < 0) return -1;
    setsockopt(c->watch.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    c->facts.begin_ns = clock_now_ns();
    const int result = mapped ? connect(c->watch.fd, (const struct sockaddr *)&server_4, sizeof server_4)
                              : connect(c->watch.fd, (const struct sockaddr *)server, sizeof *server);
    if (result < 0 && errno != EINPROGRESS) return -1;
    c->watched = EPOLLOUT;
    return loop_add(c->settings.loop, &c->watch, EPOLLOUT);
}

static void tcp_close(struct connection *c) {
    if (c->watch.fd >= 0 && c->phase != TCP_BROKEN) loop_remove(c->settings.loop, &c->watch);
    loop_timer_clear(c->settings.loop, &c->look);
    if (c->link && c->phase == TCP_READY && c->facts.secured_ns > 0) tls_link_finish(c->link);
    if (c->exchange) c->http->close(c->exchange);
    tls_link_close(c->link);
    if (c->watch.fd >= 0) close(c->watch.fd);
    ticket_free(c->settings.ticket);
    buf_free(&c->out);
    buf_free(&c->early);
    free(c);
}

static struct connection *tcp_open(const struct connection_settings *settings,
                                   const struct exchange_kind *http, char *error, size_t error_size) {
    struct connection *c = calloc(1, sizeof *c);
    if (!c) {
        ticket_free(settings->ticket);
        snprintf(error, error_size, "memory is short");
        return NULL;
    }
    c->settings = *settings;
    c->http = http;
    c->identity = (struct client_tls_connection){.host = settings->host,
                                                 .is_address = settings->is_address,
                                                 .ticket = settings->ticket,
                                                 .ticket_came = settings->ticket_came ? on_ticket : NULL,
                                                 .context = c};
    c->look = (struct loop_timer){.due = on_look, .context = c};
    c->watch = (struct loop_watch){.fd = -1, .ready = on_events, .context = c};
    if (connect_to(c) == 0) return c;
    snprintf(error, error_size, "%s", strerror(errno));
    c->phase = TCP_BROKEN; // it is not watched
    tcp_close(c);
    return NULL;
}

static struct connection *open_h1(const struct connection_settings *settings, char *error,
                                  size_t error_size) {
    return tcp_open(settings, &h1_exchange, error, error_size);
}

static struct connection *open_h2(const struct connection_settings *settings, char *error,
                                  size_t error_size) {
    return tcp_open(settings, &h2_exchange, error, error_size);
}

static void tcp_ask(struct connection *c, const struct request *request, struct response *response) {
    c->http->ask(c->exchange, request, response, &c->out);
    send_out(c);
    watch(c);
}

static bool tcp_is_reusable(struct connection *c) {
    if (c->phase == TCP_READY) read_in(c);
    watch(c);
    return c->phase == TCP_READY && c->http->is_reusable(c->exchange);
}

static void add_tcp_info(const struct connection *c, struct connection_facts *facts) {
    struct tcp_info info;
    socklen_t size = sizeof info;
    memset(&info, 0, sizeof info);
    if (c->watch.fd < 0 || getsockopt(c->watch.fd, IPPROTO_TCP, TCP_INFO, &info, &size) < 0) return;
    const bool connected = facts->connected_ns > 0;
    facts->segments_retransmitted = info.tcpi_total_retrans;
    if (size >= offsetof(struct tcp_info, tcpi_bytes_received) + sizeof info.tcpi_bytes_received)
        facts->bytes_received = info.tcpi_bytes_received;
    if (size >= offsetof(struct tcp_info, tcpi_bytes_sent) + sizeof info.tcpi_bytes_sent)
        facts->bytes_sent = info.tcpi_bytes_sent;
    if (connected && info.tcpi_rtt > 0) facts->rtt_smoothed_ns = info.tcpi_rtt * NS_PER_US;
    if (connected && info.tcpi_min_rtt > 0 && info.tcpi_min_rtt != UINT32_MAX)
        facts->rtt_min_ns = info.tcpi_min_rtt * NS_PER_US;
}

static void tcp_facts(const struct connection *c, struct connection_facts *facts) {
    *facts = c->facts;
    facts->bytes_received = facts->bytes_sent = facts->rtt_smoothed_ns = facts->rtt_min_ns =
        facts->segments_retransmitted = facts->packets_lost = CONNECTION_UNAVAILABLE;
    add_tcp_info(c, facts);
}

const struct connection_kind tcp_h1_connection = {open_h1, tcp_ask, tcp_is_reusable, tcp_facts, tcp_close};
const struct connection_kind tcp_h2_connection = {open_h2, tcp_ask, tcp_is_reusable, tcp_facts, tcp_close};
