// The accepting side: a listener for each TCP port, and each connection's way from accept through its TLS
// handshake to the lane that ALPN chose.
#include "replay/server.h"

#include "base/clock.h"
#include "congestion/tcp_congestion.h"
#include "replay/h1/h1.h"
#include "replay/h2/h2.h"
#include "replay/h3/h3_server.h"
#include "replay/origins/server_address.h"
#include "replay/tcp/stream.h"
#include "replay/tls/record_sizes.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    PORTS_MAX = 64, // of each kind; more in one page would be a scan, not a page
    ACCEPTS_PER_TURN = 64,
    BACKLOG = 1024,
    KEEPALIVE_IDLE_S = 120, // a vanished client is found in the end; a load is over before the first probe
};
static const uint64_t accept_pause_ns = 50 * NS_PER_MS;
static const uint64_t handshake_limit_ns = 60 * NS_PER_S;

struct listener {
    struct server *server;
    struct loop_watch watch;
    struct loop_timer resume; // set while descriptors are short
    uint16_t port;
    bool secure;
};

struct server {
    const struct server_parts *parts;
    struct stream_set streams;
    struct record_sizes *record_sizes;
    struct listener listeners[2 * PORTS_MAX];
    size_t listener_count;
    struct h3_server *h3[PORTS_MAX];
    size_t h3_count;
    char tcp_congestion[TCP_CONGESTION_NAME];
};

// A connection that no lane has yet.
struct pending {
    struct server *server;
    struct stream *stream;
    struct loop_timer limit;
    uint64_t accepted_ns;
    struct usage from; // of the program, when it was accepted
};

// --- from accept to lane

static void pending_free(struct pending *pending) {
    loop_timer_clear(pending->server->parts->loop, &pending->limit);
    free(pending);
}

static void pending_fail(void *context) {
    struct pending *pending = context;
    report_failed_handshake(pending->server->parts->report);
    stream_close(pending->stream);
    pending_free(pending);
}

static void pending_to_lane(struct pending *pending) {
    struct stream *stream = pending->stream;
    const SSL *ssl = stream_ssl(stream);
    const char *alpn = ssl ? tls_alpn(ssl) : NULL;
    enum lane lane = alpn && strcmp(alpn, "h2") == 0 ? LANE_H2 : LANE_H1;
    struct exchange_connection *connection =
        exchange_connection_open(pending->server->parts->site, lane, stream_local_address(stream),
                                 stream_local_port(stream), pending->accepted_ns);
    if (!connection) {
        pending_fail(pending);
        return;
    }
    exchange_connection_spends(connection, &pending->from);
    if (pending->server->parts->behind && stream_local_port(stream) == SERVER_BEHIND_PORT)
        exchange_connection_from_server(connection);
    if (ssl)
        exchange_connection_secured(connection, tls_version(ssl), alpn, SSL_session_reused(ssl) == 1,
                                    clock_now_ns());
    const uint32_t record_bytes =
        record_sizes_of(pending->server->record_sizes, stream_local_address(stream));
    if (ssl && record_bytes > 0) stream_initial_tls_record(stream, record_bytes);
    if (ssl && SSL_early_data_accepted(ssl)) exchange_connection_early_data(connection);
    struct tcp_info_log *samples = pending->server->parts->tcp_info;
    if (samples)
        stream_sample(stream, samples, exchange_connection_id(connection), lane == LANE_H2 ? "h2" : "h1");
    if ((lane == LANE_H2 ? h2_open(stream, connection) : h1_open(stream, connection)) < 0) {
        exchange_connection_close(connection, "memory is short", clock_now_ns());
        stream_close(stream);
    }
    pending_free(pending);
}

static void on_handshake(void *context) {
    struct pending *pending = context;
    int outcome = stream_handshake(pending->stream);
    if (outcome == 1)
        pending_to_lane(pending);
    else if (outcome == STREAM_FAILED)
        pending_fail(pending);
}

static void on_handshake_limit(void *context, uint64_t now_ns) {
    (void)now_ns;
    pending_fail(context);
}

static const struct stream_handler handshake_handler = {
    .readable = on_handshake, .writable = on_handshake, .stop = pending_fail};

// The socket's own address in text form, as it was recorded.
static bool local_name(int fd, char text[INET6_ADDRSTRLEN], uint16_t *port) {
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    if (getsockname(fd, (struct sockaddr *)&address, &size) < 0) return false;
    if (address.ss_family == AF_INET) {
        const struct sockaddr_in *v4 = (const struct sockaddr_in *)&address;
        *port = ntohs(v4->sin_port);
        return inet_ntop(AF_INET, &v4->sin_addr, text, INET6_ADDRSTRLEN) != NULL;
    }
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)&address;
    *port = ntohs(v6->sin6_port);
    server_address_text(&v6->sin6_addr, text);
    return true;
}

static void take_connection(struct listener *listener, int fd) {
    struct server *server = listener->server;
    char address[INET6_ADDRSTRLEN];
    uint16_t port;
    if (!local_name(fd, address, &port)) {
        close(fd);
        return;
    }
    struct pending *pending = calloc(1, sizeof *pending);
    SSL *ssl = listener->secure ? tls_new_tcp(server->parts->tls, address) : NULL;
    if (!pending || (listener->secure && !ssl)) {
        SSL_free(ssl);
        free(pending);
        close(fd);
        return;
    }
    *pending = (struct pending){
        .server = server, .accepted_ns = clock_now_ns(), .from = report_usage(server->parts->report)};
    pending->limit = (struct loop_timer){.due = on_handshake_limit, .context = pending};
    pending->stream = stream_open(&server->streams, fd, ssl, address, port);
    if (!pending->stream) {
        free(pending);
        return;
    }
    if (!server->parts->transport->tcp.bounds_unsent) stream_unbound_unsent(pending->stream);
    stream_set_handler(pending->stream, &handshake_handler, pending);
    if (!listener->secure)
        pending_to_lane(pending);
    else if (loop_timer_set(server->parts->loop, &pending->limit, pending->accepted_ns + handshake_limit_ns) <
             0)
        pending_fail(pending);
}

// --- listening

static void on_resume(void *context, uint64_t now_ns) {
    struct listener *listener = context;
    (void)now_ns;
    loop_modify(listener->server->parts->loop, &listener->watch, EPOLLIN);
}

static void on_connection(void *context, uint32_t events) {
    struct listener *listener = context;
    (void)events;
    for (int i = 0; i < ACCEPTS_PER_TURN; i++) {
        int fd = accept4(listener->watch.fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0) {
            take_connection(listener, fd);
            continue;
        }
        if (errno == ECONNABORTED || errno == EINTR || errno == EPROTO) continue;
        if (errno == EAGAIN) return;
        // Descriptors or memory are short: those who wait stay in the backlog until there may be some again.
        struct loop *loop = listener->server->parts->loop;
        if (loop_timer_set(loop, &listener->resume, clock_now_ns() + accept_pause_ns) == 0)
            loop_modify(loop, &listener->watch, 0);
        return;
    }
}

static int fail(char *error, size_t error_size, uint16_t port) {
    snprintf(error, error_size, "TCP port %u: cannot be listened on: %s", port, strerror(errno));
    return -1;
}

// Any rate that is not "none" makes TCP pace, whichever congestion control it runs: at the rate that its own
// window and round trip give, as long as that is the lower one.
static const uint64_t pacing_rate_bytes_per_s = UINT64_MAX - 1;

// Accepted sockets have their listener's options.
static void set_options(int fd, bool paced) {
    int on = 1;
    int off = 0;
    int lowat_bytes = SERVER_NOTSENT_LOWAT_BYTES;
    int idle_s = KEEPALIVE_IDLE_S;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &lowat_bytes, sizeof lowat_bytes);
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof idle_s);
    if (paced)
        setsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &pacing_rate_bytes_per_s,
                   sizeof pacing_rate_bytes_per_s);
}

static int listen_at(struct server *server, struct in6_addr at, uint16_t port, bool secure, char *error,
                     size_t error_size) {
    for (size_t i = 0; i < server->listener_count; i++)
        if (server->listeners[i].port == port) return 0;
    if (server->listener_count == sizeof server->listeners / sizeof *server->listeners) {
        snprintf(error, error_size, "the recording has servers on more than %zu ports",
                 server->listener_count);
        return -1;
    }
    struct listener *listener = &server->listeners[server->listener_count];
    *listener = (struct listener){.server = server, .port = port, .secure = secure};
    struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = at};
    int fd = socket(AF_INET6, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) return fail(error, error_size, port);
    listener->watch = (struct loop_watch){.fd = fd, .ready = on_connection, .context = listener};
    listener->resume = (struct loop_timer){.due = on_resume, .context = listener};
    server->listener_count++;
    set_options(fd, server->parts->transport->tcp.pacing);
    const char *congestion = server->parts->transport->tcp.congestion_control;
    if (tcp_congestion_set(fd, congestion, error, error_size) < 0) return -1;
    tcp_congestion_get(fd, server->tcp_congestion);
    if (bind(fd, (struct sockaddr *)&address, sizeof address) < 0 || listen(fd, BACKLOG) < 0 ||
        loop_add(server->parts->loop, &listener->watch, EPOLLIN) < 0)
        return fail(error, error_size, port);
    return 0;
}

static int listen_on(struct server *server, uint16_t port, bool secure, char *error, size_t error_size) {
    return listen_at(server, in6addr_any, port, secure, error, error_size);
}

static int listen_behind(struct server *server, char *error, size_t error_size) {
    struct in6_addr loopback = IN6ADDR_ANY_INIT;
    inet_pton(AF_INET6, "::ffff:127.0.0.1", &loopback);
    return listen_at(server, loopback, SERVER_BEHIND_PORT, false, error, error_size);
}

enum { HTTP_PORT = 80, HTTPS_PORT = 443 };

static int serve_https_port(struct server *server, uint16_t port, char *error, size_t error_size) {
    if (server->parts->behind) return 0;
    for (size_t i = 0; i < server->listener_count; i++)
        if (server->listeners[i].port == port) return 0;
    if (listen_on(server, port, true, error, error_size) < 0) return -1;
    if (server->h3_count == PORTS_MAX) return 0;
    if (h3_server_open(&server->h3[server->h3_count], server->parts, port, error, error_size) < 0) return -1;
    server->h3_count++;
    return 0;
}

int server_open(struct server **out, const struct server_parts *parts, const struct recording *recording,
                char *error, size_t error_size) {
    struct server *server = calloc(1, sizeof *server);
    if (server) server->record_sizes = record_sizes_open(recording);
    if (!server || !server->record_sizes || stream_set_open(&server->streams, parts->loop) < 0) {
        if (server) record_sizes_close(server->record_sizes);
        free(server);
        snprintf(error, error_size, "not enough memory to serve");
        return -1;
    }
    server->parts = parts;
    int result = parts->behind ? listen_behind(server, error, error_size)
                               : serve_https_port(server, HTTPS_PORT, error, error_size);
    if (result == 0) result = listen_on(server, HTTP_PORT, false, error, error_size);
    for (size_t i = 0; result == 0 && i < recording->exchange_count; i++) {
        const struct recorded_exchange *exchange = &recording->exchanges[i];
        result = strcmp(exchange->scheme, "https") == 0
                     ? serve_https_port(server, exchange->port, error, error_size)
                     : listen_on(server, exchange->port, false, error, error_size);
    }
    if (result < 0)
        server_close(server);
    else
        *out = server;
    return result;
}

void server_close(struct server *server) {
    if (!server) return;
    for (size_t i = 0; i < server->listener_count; i++) {
        struct listener *listener = &server->listeners[i];
        loop_timer_clear(server->parts->loop, &listener->resume);
        loop_remove(server->parts->loop, &listener->watch);
        close(listener->watch.fd);
    }
    for (size_t i = 0; i < server->h3_count; i++)
        h3_server_close(server->h3[i]);
    stream_set_close(&server->streams);
    record_sizes_close(server->record_sizes);
    free(server);
}

struct transport_granted server_granted(const struct server *server) {
    struct transport_granted granted = {.tcp_congestion = server->tcp_congestion};
    if (server->h3_count > 0) h3_server_granted(server->h3[0], &granted);
    return granted;
}
