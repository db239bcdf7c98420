// A client for one question: how much of a bulky response still comes after an urgent one has been asked for.
// Asks for BULKY; once AFTER bytes of it are here, asks for URGENT with urgency 0 (`new`), or raises that of
// URGENT, asked for behind it from the beginning (`updated`), by a PRIORITY_UPDATE. Prints a line of JSON:
// {"bulky_bytes": between the asking and the first byte of URGENT's body, "milliseconds"}.
//     overtake_probe h2|h3 new|updated ADDRESS HOST BULKY URGENT AFTER
#include "base/clock.h"
#include "base/log.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <nghttp2/nghttp2.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <quiche.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { PORT = 443, WINDOW_BYTES = 8 * 1024 * 1024, LIMIT_MS = 30000, PAYLOAD_BYTES = 1350 };

struct probe {
    const char *host;
    const char *paths[2];      // bulky, urgent
    const char *priorities[2]; // as asked for
    bool update;
    size_t after_bytes;
    int64_t ids[2];
    size_t bulky_bytes;
    size_t bulky_bytes_when_asked;
    uint64_t asked_ns; // 0: not yet
    bool came;         // the first byte of the urgent one's body
    int fd;
    nghttp2_session *h2;
    quiche_conn *quic;
    quiche_h3_conn *h3;
};

static void body_came(struct probe *probe, int64_t id, size_t size) {
    if (id == probe->ids[0])
        probe->bulky_bytes += size;
    else if (probe->asked_ns > 0 && !probe->came) {
        probe->came = true;
        printf("{\"bulky_bytes\": %zu, \"milliseconds\": %.3f}\n",
               probe->bulky_bytes - probe->bulky_bytes_when_asked,
               (double)(clock_now_ns() - probe->asked_ns) / 1e6);
    } else if (probe->asked_ns == 0)
        die(EXIT_RUN_FAILED, "the second response came before it was urgent");
}

// True once: now is the time to ask.
static bool time_to_ask(struct probe *probe) {
    if (probe->asked_ns > 0 || probe->bulky_bytes < probe->after_bytes) return false;
    probe->asked_ns = clock_now_ns();
    probe->bulky_bytes_when_asked = probe->bulky_bytes;
    return true;
}

static void wait_readable(const struct probe *probe, int timeout_ms) {
    struct pollfd wait = {.fd = probe->fd, .events = POLLIN};
    poll(&wait, 1, timeout_ms);
}

static int open_socket(const char *address, int type) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(PORT)};
    if (inet_pton(AF_INET, address, &to.sin_addr) != 1) die(EXIT_BAD_INPUT, "\"%s\": no address", address);
    int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof to) < 0)
        die(EXIT_RUN_FAILED, "%s: cannot be connected to", address);
    return fd;
}

// --- HTTP/2

static int on_data(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *bytes, size_t size,
                   void *context) {
    (void)session, (void)flags, (void)bytes;
    body_came(context, id, size);
    return 0;
}

static void request_h2(struct probe *probe, int which) {
    const char *names[] = {":method", ":scheme", ":authority", ":path", "priority"};
    const char *values[] = {"GET", "https", probe->host, probe->paths[which], probe->priorities[which]};
    nghttp2_nv fields[5];
    for (size_t i = 0; i < 5; i++)
        fields[i] = (nghttp2_nv){.name = (uint8_t *)(uintptr_t)names[i],
                                 .namelen = strlen(names[i]),
                                 .value = (uint8_t *)(uintptr_t)values[i],
                                 .valuelen = strlen(values[i])};
    probe->ids[which] = nghttp2_submit_request2(probe->h2, NULL, fields, 5, NULL, NULL);
}

static void send_h2(struct probe *probe, SSL *ssl) {
    const uint8_t *bytes;
    for (nghttp2_ssize size; (size = nghttp2_session_mem_send2(probe->h2, &bytes)) > 0;)
        if (SSL_write(ssl, bytes, (int)size) != size) die(EXIT_RUN_FAILED, "the connection broke");
}

static void ask_h2(struct probe *probe) {
    if (probe->update)
        nghttp2_submit_priority_update(probe->h2, NGHTTP2_FLAG_NONE, (int32_t)probe->ids[1],
                                       (const uint8_t *)"u=0", 3);
    else
        request_h2(probe, 1);
}

static void run_h2(struct probe *probe, const char *address, uint64_t until_ns) {
    static const uint8_t alpn[] = "\x02h2";
    const nghttp2_settings_entry settings[] = {{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, WINDOW_BYTES},
                                               {NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1}};
    SSL_CTX *context = SSL_CTX_new(TLS_method());
    probe->fd = open_socket(address, SOCK_STREAM);
    SSL *ssl = SSL_new(context);
    SSL_set_alpn_protos(ssl, alpn, sizeof alpn - 1);
    SSL_set_tlsext_host_name(ssl, probe->host);
    SSL_set_fd(ssl, probe->fd);
    if (SSL_connect(ssl) != 1) die(EXIT_RUN_FAILED, "no TLS");
    nghttp2_session_callbacks *callbacks;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
    nghttp2_session_client_new(&probe->h2, callbacks, probe);
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_submit_settings(probe->h2, NGHTTP2_FLAG_NONE, settings, 2);
    nghttp2_session_set_local_window_size(probe->h2, NGHTTP2_FLAG_NONE, 0, WINDOW_BYTES);
    request_h2(probe, 0);
    if (probe->update) request_h2(probe, 1);
    send_h2(probe, ssl);
    fcntl(probe->fd, F_SETFL, O_NONBLOCK); // reading; what is written fits any buffer
    uint8_t bytes[16384];
    while (!probe->came && clock_now_ns() < until_ns) {
        int size = SSL_read(ssl, bytes, sizeof bytes);
        if (size > 0)
            nghttp2_session_mem_recv2(probe->h2, bytes, (size_t)size);
        else if (SSL_get_error(ssl, size) == SSL_ERROR_WANT_READ)
            wait_readable(probe, 100);
        else
            die(EXIT_RUN_FAILED, "the server closed");
        if (time_to_ask(probe)) ask_h2(probe);
        send_h2(probe, ssl);
    }
    nghttp2_session_del(probe->h2);
    SSL_free(ssl);
    SSL_CTX_free(context);
}

// --- HTTP/3

static void request_h3(struct probe *probe, int which) {
#define FIELD(name, value)                                                                                   \
    ((quiche_h3_header){(const uint8_t *)(name), strlen(name), (const uint8_t *)(value), strlen(value)})
    const quiche_h3_header fields[] = {FIELD(":method", "GET"), FIELD(":scheme", "https"),
                                       FIELD(":authority", probe->host), FIELD(":path", probe->paths[which]),
                                       FIELD("priority", probe->priorities[which])};
    probe->ids[which] = quiche_h3_send_request(probe->h3, probe->quic, fields, 5, true);
}

static void ask_h3(struct probe *probe) {
    quiche_h3_priority urgent = {.urgency = 0};
    if (probe->update)
        quiche_h3_send_priority_update_for_request(probe->h3, probe->quic, (uint64_t)probe->ids[1], &urgent);
    else
        request_h3(probe, 1);
}

static void read_h3(struct probe *probe) {
    uint8_t bytes[16384];
    quiche_h3_event *event;
    for (int64_t id; (id = quiche_h3_conn_poll(probe->h3, probe->quic, &event)) >= 0;) {
        if (quiche_h3_event_type(event) == QUICHE_H3_EVENT_DATA)
            for (ssize_t size;
                 (size = quiche_h3_recv_body(probe->h3, probe->quic, (uint64_t)id, bytes, sizeof bytes)) > 0;)
                body_came(probe, id, (size_t)size);
        quiche_h3_event_free(event);
    }
}

static quiche_config *configure_quic(void) {
    static const uint8_t alpn[] = "\x02h3";
    quiche_config *config = quiche_config_new(QUICHE_PROTOCOL_VERSION);
    quiche_config_set_application_protos(config, alpn, sizeof alpn - 1);
    quiche_config_verify_peer(config, false);
    quiche_config_set_max_recv_udp_payload_size(config, 1500);
    quiche_config_set_max_send_udp_payload_size(config, PAYLOAD_BYTES);
    quiche_config_set_initial_max_data(config, WINDOW_BYTES);
    quiche_config_set_initial_max_stream_data_bidi_local(config, WINDOW_BYTES);
    quiche_config_set_initial_max_stream_data_uni(config, WINDOW_BYTES);
    quiche_config_set_initial_max_streams_uni(config, 8);
    return config;
}

static void turn_h3(struct probe *probe, quiche_h3_config *http) {
    uint8_t bytes[PAYLOAD_BYTES];
    quiche_send_info info;
    if (!probe->h3 && quiche_conn_is_established(probe->quic)) {
        probe->h3 = quiche_h3_conn_new_with_transport(probe->quic, http);
        request_h3(probe, 0);
        if (probe->update) request_h3(probe, 1);
    }
    if (probe->h3) read_h3(probe);
    if (time_to_ask(probe)) ask_h3(probe);
    for (ssize_t size; (size = quiche_conn_send(probe->quic, bytes, sizeof bytes, &info)) > 0;)
        send(probe->fd, bytes, (size_t)size, 0);
}

static void run_h3(struct probe *probe, const char *address, uint64_t until_ns) {
    quiche_config *config = configure_quic();
    quiche_h3_config *http = quiche_h3_config_new();
    struct sockaddr_in local, peer;
    socklen_t size = sizeof local;
    uint8_t scid[16], bytes[1500];
    probe->fd = open_socket(address, SOCK_DGRAM | SOCK_NONBLOCK);
    getsockname(probe->fd, (struct sockaddr *)&local, &size);
    getpeername(probe->fd, (struct sockaddr *)&peer, &size);
    RAND_bytes(scid, sizeof scid);
    probe->quic = quiche_connect(probe->host, scid, sizeof scid, (struct sockaddr *)&local, sizeof local,
                                 (struct sockaddr *)&peer, sizeof peer, config);
    const quiche_recv_info way = {(struct sockaddr *)&peer, sizeof peer, (struct sockaddr *)&local,
                                  sizeof local};
    turn_h3(probe, http);
    while (!probe->came && clock_now_ns() < until_ns) {
        uint64_t timeout_ms = quiche_conn_timeout_as_millis(probe->quic);
        wait_readable(probe, timeout_ms < 100 ? (int)timeout_ms + 1 : 100);
        ssize_t n = recv(probe->fd, bytes, sizeof bytes, 0);
        if (n > 0)
            quiche_conn_recv(probe->quic, bytes, (size_t)n, &way);
        else if (quiche_conn_timeout_as_millis(probe->quic) == 0)
            quiche_conn_on_timeout(probe->quic);
        if (quiche_conn_is_closed(probe->quic)) die(EXIT_RUN_FAILED, "the server closed");
        turn_h3(probe, http);
    }
    quiche_h3_conn_free(probe->h3);
    quiche_conn_free(probe->quic);
    quiche_h3_config_free(http);
    quiche_config_free(config);
}

int main(int argc, char **argv) {
    log_program("overtake_probe");
    if (argc != 8)
        die(EXIT_BAD_INPUT, "usage: overtake_probe h2|h3 new|updated ADDRESS HOST BULKY URGENT AFTER");
    struct probe probe = {.host = argv[4],
                          .paths = {argv[5], argv[6]},
                          .update = strcmp(argv[2], "updated") == 0,
                          .after_bytes = strtoul(argv[7], NULL, 10),
                          .ids = {-1, -1}};
    probe.priorities[0] = "u=4";
    probe.priorities[1] = probe.update ? "u=6" : "u=0";
    const uint64_t until_ns = clock_now_ns() + LIMIT_MS * NS_PER_MS;
    if (strcmp(argv[1], "h3") == 0)
        run_h3(&probe, argv[3], until_ns);
    else
        run_h2(&probe, argv[3], until_ns);
    if (!probe.came) die(EXIT_RUN_FAILED, "nothing urgent came within %d s", LIMIT_MS / 1000);
    return 0;
}
