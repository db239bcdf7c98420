#include "hostile_h3.h"

#include <arpa/inet.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <quiche.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LIFE_S = 120, CID_BYTES = 8, PACKET_BYTES = 1350, WINDOW_BYTES = 1 << 20 };
enum { REQUEST_STREAM = 0, CONTROL_STREAM = 3, OWN_STREAM = 7, H3_REQUEST_CANCELLED = 0x10c };

struct client {
    const struct hostile_h3 *hostile;
    struct sockaddr_in local, peer;
    quiche_conn *quic; // NULL: none has come
    bool asked;        // the request has come
    bool began;        // to answer
    bool ended;
    size_t said; // of `says`
};

static quiche_config *new_config(unsigned idle_ms) {
    quiche_config *config = quiche_config_new(QUICHE_PROTOCOL_VERSION);
    if (!config) abort();
    quiche_config_set_max_idle_timeout(config, idle_ms ? idle_ms : LIFE_S * 1000);
    quiche_config_set_max_send_udp_payload_size(config, PACKET_BYTES);
    quiche_config_set_initial_max_data(config, WINDOW_BYTES);
    quiche_config_set_initial_max_stream_data_bidi_remote(config, WINDOW_BYTES);
    quiche_config_set_initial_max_stream_data_uni(config, WINDOW_BYTES);
    quiche_config_set_initial_max_streams_bidi(config, 8);
    quiche_config_set_initial_max_streams_uni(config, 8);
    return config;
}

static void accept_client(struct client *c, quiche_config *config, SSL_CTX *context,
                          const struct sockaddr_in *peer) {
    uint8_t scid[CID_BYTES];
    RAND_bytes(scid, sizeof scid);
    if (c->quic) quiche_conn_free(c->quic);
    *c = (struct client){.hostile = c->hostile, .local = c->local, .peer = *peer};
    SSL *ssl = SSL_new(context);
    SSL_set_min_proto_version(ssl, TLS1_3_VERSION);
    SSL_set_accept_state(ssl);
    c->quic =
        quiche_conn_new_with_tls(scid, sizeof scid, NULL, 0, (struct sockaddr *)&c->local, sizeof c->local,
                                 (struct sockaddr *)&c->peer, sizeof c->peer, config, ssl, true);
    if (!c->quic) abort();
}

static void read_request(struct client *c) {
    uint8_t bytes[4096];
    bool end = false;
    uint64_t error;
    while (!end && quiche_conn_stream_recv(c->quic, REQUEST_STREAM, bytes, sizeof bytes, &end, &error) >= 0)
        ;
    c->asked = c->asked || end;
}

static void say_on(struct client *c, uint64_t stream, const char *text, size_t size, bool end) {
    uint64_t error;
    quiche_conn_stream_send(c->quic, stream, (const uint8_t *)text, size, end, &error);
}

static void answer(struct client *c) {
    const struct hostile_h3 *h = c->hostile;
    uint64_t error;
    if (!c->began) {
        say_on(c, CONTROL_STREAM, "\0\4\0", 3, false); // SETTINGS
        if (h->control) say_on(c, CONTROL_STREAM, h->control, h->control_size, false);
        if (h->own) say_on(c, OWN_STREAM, h->own, h->own_size, false);
        c->began = true;
    }
    while (c->said < h->size) {
        const ssize_t n = quiche_conn_stream_send(c->quic, REQUEST_STREAM, (const uint8_t *)h->says + c->said,
                                                  h->size - c->said, false, &error);
        if (n <= 0) return;
        c->said += (size_t)n;
    }
    // A piece that is taken in part is as good as whatever else.
    if (h->again) {
        while (quiche_conn_stream_send(c->quic, REQUEST_STREAM, (const uint8_t *)h->again, h->again_size,
                                       false, &error) == (ssize_t)h->again_size)
            ;
    } else if (!c->ended) {
        c->ended = true;
        if (h->closes)
            quiche_conn_close(c->quic, true, 0x100, NULL, 0);
        else if (h->resets)
            quiche_conn_stream_shutdown(c->quic, REQUEST_STREAM, QUICHE_SHUTDOWN_WRITE, H3_REQUEST_CANCELLED);
        else
            say_on(c, REQUEST_STREAM, "", 0, true);
    }
}

static void send_packets(struct client *c, int fd) {
    uint8_t packet[PACKET_BYTES];
    quiche_send_info info;
    for (ssize_t size; (size = quiche_conn_send(c->quic, packet, sizeof packet, &info)) > 0;)
        sendto(fd, packet, (size_t)size, 0, (struct sockaddr *)&c->peer, sizeof c->peer);
}

static void serve(struct client *c, int fd, SSL_CTX *context) {
    quiche_config *config = new_config(c->hostile->idle_ms);
    for (;;) {
        uint8_t packet[2048];
        struct sockaddr_in peer;
        socklen_t peer_size = sizeof peer;
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        poll(&ready, 1, c->quic ? (int)quiche_conn_timeout_as_millis(c->quic) : -1);
        const ssize_t size =
            recvfrom(fd, packet, sizeof packet, MSG_DONTWAIT, (struct sockaddr *)&peer, &peer_size);
        if (size < 0 && !c->quic) continue;
        if (size >= 0 && (!c->quic || peer.sin_port != c->peer.sin_port))
            accept_client(c, config, context, &peer);
        if (size >= 0) {
            const quiche_recv_info info = {(struct sockaddr *)&c->peer, sizeof c->peer,
                                           (struct sockaddr *)&c->local, sizeof c->local};
            quiche_conn_recv(c->quic, packet, (size_t)size, &info);
        } else {
            quiche_conn_on_timeout(c->quic);
        }
        if (quiche_conn_is_established(c->quic)) {
            if (!c->asked) read_request(c);
            if (c->asked) answer(c);
        }
        send_packets(c, fd);
    }
}

int hostile_h3_start(struct hostile_server *server, const struct hostile_h3 *hostile) {
    const struct hostile tls = {.alpn = "h3", .chain = hostile->chain};
    struct client client = {.hostile = hostile,
                            .local = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof client.local;
    const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&client.local, size) < 0 ||
        getsockname(fd, (struct sockaddr *)&client.local, &size) < 0)
        return -1;
    server->port = ntohs(client.local.sin_port);
    SSL_CTX *context = hostile_context(&tls, server->authority);
    if (!context) return -1;
    server->pid = fork();
    if (server->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        alarm(LIFE_S);
        serve(&client, fd, context);
    }
    close(fd);
    SSL_CTX_free(context);
    return server->pid > 0 ? 0 : -1;
}
