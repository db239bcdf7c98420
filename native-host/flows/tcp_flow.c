// A flow of a certain size ends in order: the sender shuts its side down, the receiver, once it has all, its
// own. Then only the kernel knows how far the two FINs have come; it wakes us at each step, which a
// level-triggered watch does not show, so from there on the watch is edge-triggered. A flow that is cut ends
// with a RST, so that nothing of it uses the link any more. Under TLS both say so there, too (close_notify);
// what then still comes is looked at no more.
#include "flows/transports.h"

#include "congestion/tcp_congestion.h"
#include "flows/tcp_socket.h"
#include "flows/tls_setup.h"
#include "tls_io/tls_link.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    READ_BYTES = 256 * 1024,
    CALLS_PER_TURN = 4, // then the other flows have their turn
    CALLS_AT_CUT = 64,  // more than a socket's buffer holds
};

struct tcp {
    const struct flow_end *end;
    struct tls_setup *tls; // NULL: bytes go as they are
    uint8_t *received;     // READ_BYTES, whose content does not matter
};

enum phase {
    LISTENING,
    CONNECTING,
    HANDSHAKING, // TLS's
    SENDING,
    RECEIVING,
    FINISHING, // what TLS has sealed is not all with the socket
    CLOSING
};

struct connection {
    struct tcp *tcp;
    struct flow *flow;
    struct loop_watch watch;
    enum phase phase;
    struct tls_link *tls; // NULL: none
};

static void watch_for(struct connection *connection, uint32_t events) {
    loop_modify(connection->tcp->end->loop, &connection->watch, events);
}

static void fail(struct connection *connection, int error) {
    if (error == ECONNRESET || error == EPIPE)
        flow_cut_by_peer(connection->flow);
    else
        flow_failed(connection->flow, "%s", strerror(error));
    watch_for(connection, 0);
}

// Reads what there is, within the turn's bound: an errno (EAGAIN: nothing more, or not in this turn), or 0
// where the peer has ended its side. A sender receives nothing that is of use, nor does who has all.
static int receive(struct connection *connection, int calls) {
    for (int i = 0; i < calls; i++) {
        const ssize_t n = recv(connection->watch.fd, connection->tcp->received, READ_BYTES, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return n == 0 ? 0 : errno;
        if (connection->phase == RECEIVING) flow_received(connection->flow, (uint64_t)n);
        // Less than there is room for is all there is; but an edge shows the end of the stream only once.
        if (n < READ_BYTES && connection->phase != CLOSING) return EAGAIN;
    }
    return EAGAIN;
}

// The same under TLS, for a receiver.
static int receive_sealed(struct connection *connection, int calls) {
    tls_link_allow(connection->tls, (size_t)calls * READ_BYTES);
    for (;;) {
        const ssize_t n = tls_link_read(connection->tls, connection->tcp->received, READ_BYTES);
        if (n == TLS_LINK_AGAIN) return EAGAIN;
        if (n <= 0) return n == TLS_LINK_END ? 0 : errno;
        flow_received(connection->flow, (uint64_t)n);
    }
}

static int receive_content(struct connection *connection, int calls) {
    return connection->tls ? receive_sealed(connection, calls) : receive(connection, calls);
}

static void close_in_order(struct connection *connection) {
    const int finished = connection->tls ? tls_link_finish(connection->tls) : 1;
    if (finished == TLS_LINK_FAILED) {
        fail(connection, errno);
        return;
    }
    if (finished == TLS_LINK_AGAIN) {
        connection->phase = FINISHING;
        watch_for(connection, EPOLLOUT);
        return;
    }
    shutdown(connection->watch.fd, SHUT_WR);
    connection->phase = CLOSING;
    watch_for(connection, EPOLLIN | EPOLLOUT | EPOLLET);
}

static void receive_some(struct connection *connection) {
    const int error = receive_content(connection, CALLS_PER_TURN);
    if (flow_has_all(connection->flow)) {
        flow_ended(connection->flow);
        close_in_order(connection);
    } else if (error == 0) {
        fail(connection, ECONNRESET);
    } else if (error != EAGAIN) {
        fail(connection, error);
    }
}

// How many bytes were taken; 0: none now; -1 with errno.
static ssize_t send_content(struct connection *connection, size_t size) {
    const uint8_t *content = flow_content(connection->flow);
    if (connection->tls) {
        const ssize_t n = tls_link_write(connection->tls, content, size);
        return n == TLS_LINK_AGAIN ? 0 : n;
    }
    const ssize_t n = send(connection->watch.fd, content, size, MSG_NOSIGNAL);
    return n < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : n;
}

static void send_some(struct connection *connection) {
    struct flow *flow = connection->flow;
    for (int i = 0; i < CALLS_PER_TURN; i++) {
        const uint64_t left = flow_bytes_left(flow);
        if (left == 0) {
            close_in_order(connection);
            return;
        }
        const size_t size = left < FLOW_CONTENT_BYTES ? (size_t)left : FLOW_CONTENT_BYTES;
        const ssize_t n = send_content(connection, size);
        if (n < 0) {
            fail(connection, errno);
            return;
        }
        flow_sent(flow, (uint64_t)n);
        const bool full = connection->tls ? tls_link_waits(connection->tls) : (size_t)n < size;
        if (n == 0 || full) return;
    }
}

// The receiver closes only when it has all: its FIN says so before the kernel's count does.
static void follow_closing(struct connection *connection) {
    struct flow *flow = connection->flow;
    const int error = receive(connection, CALLS_PER_TURN);
    const enum tcp_stage stage = tcp_socket_stage(connection->watch.fd);
    if (error != 0 && error != EAGAIN) {
        fail(connection, error); // of a flow that has ended: it is closed
        return;
    }
    if (error == 0 || stage == TCP_STAGE_SENT) flow_ended(flow);
    if (stage != TCP_STAGE_CLOSED) return;
    flow_closed(flow);
    watch_for(connection, 0);
}

static void begin_data(struct connection *connection) {
    struct flow *flow = connection->flow;
    const int fd = connection->watch.fd;
    const bool sends = flow_is_sender(flow);
    char local[TCP_ADDRESS_SIZE], peer[TCP_ADDRESS_SIZE], control[TCP_CONGESTION_NAME];
    tcp_socket_local(fd, local);
    tcp_socket_peer(fd, peer);
    tcp_congestion_get(fd, control);
    flow_connected(flow, local, peer, sends ? control : NULL);
    if (sends) flow_is_paced(flow, tcp_socket_is_paced(fd));
    connection->phase = sends ? SENDING : RECEIVING;
    watch_for(connection, sends ? EPOLLIN | EPOLLOUT : EPOLLIN);
    if (sends)
        send_some(connection);
    else if (connection->tls) // which may have read more than its handshake
        receive_some(connection);
}

static void shake_hands(struct connection *connection) {
    tls_link_allow(connection->tls, READ_BYTES);
    const int result = tls_link_handshake(connection->tls);
    if (result == TLS_LINK_FAILED)
        flow_failed(connection->flow, "TLS handshake: %s", strerror(errno));
    else if (result == 1)
        begin_data(connection);
    if (result == TLS_LINK_FAILED) watch_for(connection, 0);
}

// TCP is there.
static void begin(struct connection *connection) {
    struct tls_setup *tls = connection->tcp->tls;
    const struct flow *flow = connection->flow;
    if (flow_is_sender(flow) && flow_plan_of(flow)->paced && tcp_socket_pace(connection->watch.fd) < 0) {
        flow_failed(connection->flow, "pacing: %s", strerror(errno));
        watch_for(connection, 0);
        return;
    }
    if (!tls) {
        begin_data(connection);
        return;
    }
    connection->tls = tls_link_open(tls_setup_connection(tls), connection->watch.fd);
    if (!connection->tls) {
        fail(connection, ENOMEM);
        return;
    }
    connection->phase = HANDSHAKING;
    watch_for(connection, EPOLLIN);
    shake_hands(connection);
}

// The listener goes with its one client.
static void accept_client(struct connection *connection) {
    struct loop *loop = connection->tcp->end->loop;
    const int fd = accept4(connection->watch.fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) {
        if (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED) return;
        fail(connection, errno);
        return;
    }
    loop_remove(loop, &connection->watch);
    close(connection->watch.fd);
    connection->watch.fd = fd;
    if (loop_add(loop, &connection->watch, EPOLLIN) < 0)
        fail(connection, errno);
    else
        begin(connection);
}

static void finish_connecting(struct connection *connection) {
    const int error = tcp_socket_error(connection->watch.fd);
    if (error)
        flow_failed(connection->flow, "%s", strerror(error));
    else
        begin(connection);
    if (error) watch_for(connection, 0);
}

static void send_or_notice(struct connection *connection, uint32_t events) {
    if (events & EPOLLOUT) send_some(connection);
    if (connection->phase != SENDING || !(events & (EPOLLIN | EPOLLERR | EPOLLHUP))) return;
    const int error = receive(connection, 1);
    if (error != EAGAIN) fail(connection, error ? error : ECONNRESET);
}

static void on_event(void *context, uint32_t events) {
    struct connection *connection = context;
    flow_enter(connection->flow);
    switch (connection->phase) {
    case LISTENING:
        accept_client(connection);
        break;
    case CONNECTING:
        finish_connecting(connection);
        break;
    case HANDSHAKING:
        shake_hands(connection);
        break;
    case FINISHING:
        close_in_order(connection);
        break;
    case SENDING:
        send_or_notice(connection, events);
        break;
    case RECEIVING:
        receive_some(connection);
        break;
    case CLOSING:
        follow_closing(connection);
        break;
    }
    flow_leave(connection->flow);
}

static struct connection *new_connection(struct tcp *tcp, struct flow *flow, int fd, enum phase phase,
                                         char *error, size_t error_size) {
    struct connection *connection = calloc(1, sizeof *connection);
    if (connection) {
        *connection = (struct connection){.tcp = tcp, .flow = flow, .phase = phase};
        connection->watch = (struct loop_watch){.fd = fd, .ready = on_event, .context = connection};
        if (loop_add(tcp->end->loop, &connection->watch, phase == LISTENING ? EPOLLIN : EPOLLOUT) == 0)
            return connection;
    }
    snprintf(error, error_size, "%s", strerror(errno));
    free(connection);
    close(fd);
    return NULL;
}

static const char *control_of(const struct flow *flow) {
    return flow_is_sender(flow) ? flow_plan_of(flow)->congestion : NULL;
}

static void *listen_for(void *shared, struct flow *flow, uint16_t port, char *error, size_t error_size) {
    const int fd = tcp_socket_listen(port, control_of(flow), error, error_size);
    return fd < 0 ? NULL : new_connection(shared, flow, fd, LISTENING, error, error_size);
}

static void *connect_to(void *shared, struct flow *flow, uint16_t port, char *error, size_t error_size) {
    struct tcp *tcp = shared;
    const int fd = tcp_socket_connect(tcp->end->far_address, port, control_of(flow), error, error_size);
    return fd < 0 ? NULL : new_connection(tcp, flow, fd, CONNECTING, error, error_size);
}

static void sample(void *context, struct flow_sample *into) {
    const struct connection *connection = context;
    // Of a receiver's own window and round trips nothing depends.
    if (flow_is_sender(connection->flow) && connection->phase != LISTENING)
        tcp_socket_sample(connection->watch.fd, into);
}

static void cut(void *context) {
    struct connection *connection = context;
    if (connection->phase == RECEIVING) receive_content(connection, CALLS_AT_CUT);
    tcp_socket_abort_on_close(connection->watch.fd);
}

static void release(void *context) {
    struct connection *connection = context;
    loop_remove(connection->tcp->end->loop, &connection->watch);
    tls_link_close(connection->tls);
    close(connection->watch.fd);
    free(connection);
}

static int open_tcp(void **shared, const struct flow_end *end, char *error, size_t error_size) {
    struct tcp *tcp = calloc(1, sizeof *tcp);
    if (tcp) *tcp = (struct tcp){.end = end, .received = malloc(READ_BYTES)};
    if (tcp && tcp->received) {
        *shared = tcp;
        return 0;
    }
    free(tcp);
    snprintf(error, error_size, "not enough memory");
    return -1;
}

static void close_tcp(void *shared) {
    struct tcp *tcp = shared;
    if (!tcp) return;
    tls_setup_close(tcp->tls);
    free(tcp->received);
    free(tcp);
}

static int open_tls(void **shared, const struct flow_end *end, char *error, size_t error_size) {
    struct tcp *tcp;
    if (open_tcp(shared, end, error, error_size) < 0) return -1;
    tcp = *shared;
    if (tls_setup_open(&tcp->tls, !end->is_near) == 0) return 0;
    close_tcp(tcp);
    snprintf(error, error_size, "not enough memory");
    return -1;
}

static int check(void *shared, const char *congestion, char *error, size_t error_size) {
    (void)shared;
    return tcp_congestion_check(congestion, error, error_size);
}

#define TRANSPORT(word, open_shared)                                                                         \
    {                                                                                                        \
        .name = word, .can_pace = true, .open = open_shared, .close = close_tcp, .check = check,             \
        .listen = listen_for, .connect = connect_to, .sample = sample, .cut = cut, .release = release        \
    }
const struct flow_transport tcp_transport = TRANSPORT("tcp", open_tcp);
const struct flow_transport tls_transport = TRANSPORT("tls", open_tls);
