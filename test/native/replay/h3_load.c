// A load generator for HTTP/3, as h2load is for HTTP/1.1 and HTTP/2: some connections, each with some
// requests for one path on their way at a time, until all are answered. Prints one line of JSON:
// {"requests","failed","body_bytes","seconds","cpu_seconds"}, the time from the first request on, without
// handshakes. Exit status 1 when the server did not answer everything. Uses quiche, and the replay's own UDP
// socket for its batches; checks no certificate.
#include "base/clock.h"
#include "base/log.h"
#include "base/loop.h"
#include "quic_io/burst.h"

#include <arpa/inet.h>
#include <openssl/rand.h>
#include <quiche.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { WINDOW_BYTES = 16 * 1024 * 1024, PAYLOAD_BYTES = 1350, LIMIT_S = 120, SCID_BYTES = 16 };

struct load {
    struct loop *loop;
    quiche_config *quic;
    quiche_h3_config *http;
    struct sockaddr_in6 server;
    const char *host;
    const char *path;
    size_t streams; // per connection
    size_t to_ask;
    size_t asked;
    size_t answered;
    size_t failed;
    size_t connections;
    size_t ready; // connections whose handshake is done
    uint64_t body_bytes;
    uint64_t start_ns;
    struct connection *first;
    struct loop_timer limit;
};

struct connection {
    struct load *load;
    struct connection *next;
    struct udp *udp;
    struct udp_link link;
    struct loop_timer timer;
    struct sockaddr_in6 local;
    quiche_conn *quic;
    quiche_h3_conn *http;
    size_t open;
    bool ready;
    struct burst burst;
};

static void ask(struct connection *c) {
    struct load *load = c->load;
#define FIELD(name, value)                                                                                   \
    ((quiche_h3_header){(const uint8_t *)(name), strlen(name), (const uint8_t *)(value), strlen(value)})
    const quiche_h3_header fields[] = {FIELD(":method", "GET"), FIELD(":scheme", "https"),
                                       FIELD(":authority", load->host), FIELD(":path", load->path),
                                       FIELD("user-agent", "h3_load")};
    while (c->open < load->streams && load->asked < load->to_ask) {
        int64_t id = quiche_h3_send_request(c->http, c->quic, fields, sizeof fields / sizeof *fields, true);
        if (id < 0) return; // no credit for a stream now
        c->open++;
        load->asked++;
    }
}

static void answered(struct connection *c, bool well) {
    struct load *load = c->load;
    c->open--;
    load->answered++;
    load->failed += !well;
    if (load->answered == load->to_ask) loop_stop(load->loop);
}

static void read_events(struct connection *c) {
    static uint8_t bytes[256 * 1024];
    quiche_h3_event *event;
    int64_t id;
    while ((id = quiche_h3_conn_poll(c->http, c->quic, &event)) >= 0) {
        switch (quiche_h3_event_type(event)) {
        case QUICHE_H3_EVENT_DATA:
            for (ssize_t n;
                 (n = quiche_h3_recv_body(c->http, c->quic, (uint64_t)id, bytes, sizeof bytes)) > 0;)
                c->load->body_bytes += (uint64_t)n;
            break;
        case QUICHE_H3_EVENT_FINISHED:
            answered(c, true);
            break;
        case QUICHE_H3_EVENT_RESET:
            answered(c, false);
            break;
        default:
            break;
        }
        quiche_h3_event_free(event);
    }
}

static void send_packets(struct connection *c) {
    while (!c->burst.no_room) {
        uint8_t *place = burst_place(&c->burst, PAYLOAD_BYTES);
        quiche_send_info info;
        ssize_t size = place ? quiche_conn_send(c->quic, place, PAYLOAD_BYTES, &info) : 0;
        if (size > 0) {
            const struct udp_burst packet = {.local = c->local,
                                             .peer = c->load->server,
                                             .size = (size_t)size,
                                             .segment_size = (size_t)size};
            burst_add(&c->burst, &packet, 0);
        } else if (!burst_flush(&c->burst, &c->link, 0) || place) {
            return;
        }
    }
}

__attribute__((noreturn)) static void die_of_close(const struct connection *c) {
    bool application;
    uint64_t code = 0;
    const uint8_t *text = NULL;
    size_t size = 0;
    if (quiche_conn_peer_error(c->quic, &application, &code, &text, &size))
        die(EXIT_RUN_FAILED, "the server closed with %s error 0x%llx", application ? "HTTP/3" : "QUIC",
            (unsigned long long)code);
    if (quiche_conn_local_error(c->quic, &application, &code, &text, &size))
        die(EXIT_RUN_FAILED, "closed with %s error 0x%llx", application ? "HTTP/3" : "QUIC",
            (unsigned long long)code);
    die(EXIT_RUN_FAILED, "a connection timed out");
}

static void turn(struct connection *c) {
    struct load *load = c->load;
    if (!c->ready && quiche_conn_is_established(c->quic)) {
        c->ready = true;
        c->http = quiche_h3_conn_new_with_transport(c->quic, load->http);
        if (!c->http) die(EXIT_RUN_FAILED, "memory is short");
        if (++load->ready == load->connections) {
            load->start_ns = clock_now_ns();
            for (struct connection *each = load->first; each; each = each->next) {
                ask(each);
                send_packets(each);
            }
        }
    }
    if (c->http) read_events(c);
    if (quiche_conn_is_closed(c->quic)) die_of_close(c);
    if (load->ready == load->connections) ask(c);
    send_packets(c);
    uint64_t timeout_ns = quiche_conn_timeout_as_nanos(c->quic);
    if (timeout_ns == UINT64_MAX)
        loop_timer_clear(load->loop, &c->timer);
    else
        loop_timer_set(load->loop, &c->timer, clock_now_ns() + timeout_ns);
}

static void on_packets(void *context, struct udp_packet *packets, size_t count) {
    struct connection *c = context;
    for (size_t i = 0; i < count; i++) {
        quiche_recv_info info = {(struct sockaddr *)&c->load->server, sizeof c->load->server,
                                 (struct sockaddr *)&c->local, sizeof c->local};
        quiche_conn_recv(c->quic, packets[i].bytes, packets[i].size, &info);
    }
    turn(c);
}

static void on_room(void *context) {
    struct connection *c = context;
    c->burst.no_room = false;
    turn(c);
}

static void on_timer(void *context, uint64_t now_ns) {
    struct connection *c = context;
    (void)now_ns;
    quiche_conn_on_timeout(c->quic);
    turn(c);
}

static void too_late(void *context, uint64_t now_ns) {
    const struct load *load = context;
    (void)now_ns;
    die(EXIT_RUN_FAILED, "%zu of %zu requests were answered within %d s", load->answered, load->to_ask,
        LIMIT_S);
}

static void open_connection(struct load *load) {
    struct connection *c = calloc(1, sizeof *c);
    char error[256];
    uint8_t scid[SCID_BYTES];
    RAND_bytes(scid, sizeof scid);
    if (!c) die(EXIT_RUN_FAILED, "memory is short");
    c->load = load;
    c->timer = (struct loop_timer){.due = on_timer, .context = c};
    const struct udp_handler handler = {.received = on_packets, .writable = on_room, .context = c};
    if (udp_open(&c->udp, load->loop, 0, &handler, error, sizeof error) < 0)
        die(EXIT_RUN_FAILED, "%s", error);
    c->link = udp_link(c->udp);
    c->local = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = htons(udp_port(c->udp))};
    // The kernel chooses the address to send from; of the server's family, as IPV6_PKTINFO wants it.
    if (IN6_IS_ADDR_V4MAPPED(&load->server.sin6_addr))
        inet_pton(AF_INET6, "::ffff:0.0.0.0", &c->local.sin6_addr);
    c->quic = quiche_connect(load->host, scid, sizeof scid, (struct sockaddr *)&c->local, sizeof c->local,
                             (struct sockaddr *)&load->server, sizeof load->server, load->quic);
    if (!c->quic) die(EXIT_RUN_FAILED, "memory is short");
    c->next = load->first;
    load->first = c;
    load->connections++;
}

static void configure(struct load *load) {
    static const uint8_t alpn[] = "\x02h3";
    load->quic = quiche_config_new(QUICHE_PROTOCOL_VERSION);
    load->http = quiche_h3_config_new();
    if (!load->quic || !load->http) die(EXIT_RUN_FAILED, "memory is short");
    quiche_config_set_application_protos(load->quic, alpn, sizeof alpn - 1);
    quiche_config_verify_peer(load->quic, false);
    quiche_config_set_max_idle_timeout(load->quic, 30 * 1000);
    quiche_config_set_max_recv_udp_payload_size(load->quic, 1500);
    quiche_config_set_max_send_udp_payload_size(load->quic, PAYLOAD_BYTES);
    quiche_config_set_initial_max_data(load->quic, WINDOW_BYTES);
    quiche_config_set_initial_max_stream_data_bidi_local(load->quic, WINDOW_BYTES);
    quiche_config_set_initial_max_stream_data_uni(load->quic, WINDOW_BYTES);
    quiche_config_set_initial_max_streams_uni(load->quic, 16);
}

static size_t number(const char *text) {
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    if (*end || end == text || value < 1 || value > 100000000)
        die(EXIT_BAD_INPUT, "\"%s\": must be a number from 1 on", text);
    return value;
}

int main(int argc, char **argv) {
    log_program("h3_load");
    if (argc != 8) die(EXIT_BAD_INPUT, "usage: h3_load ADDRESS PORT HOST PATH CONNECTIONS STREAMS REQUESTS");
    struct load load = {
        .host = argv[3], .path = argv[4], .streams = number(argv[6]), .to_ask = number(argv[7])};
    char mapped[INET6_ADDRSTRLEN + 8];
    snprintf(mapped, sizeof mapped, "%s%s", strchr(argv[1], ':') ? "" : "::ffff:", argv[1]);
    load.server =
        (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)number(argv[2]))};
    if (inet_pton(AF_INET6, mapped, &load.server.sin6_addr) != 1)
        die(EXIT_BAD_INPUT, "\"%s\": must be an address", argv[1]);
    if (loop_open(&load.loop) < 0) die(EXIT_RUN_FAILED, "no event loop");
    configure(&load);
    size_t connections = number(argv[5]);
    for (size_t i = 0; i < connections; i++)
        open_connection(&load);
    for (struct connection *c = load.first; c; c = c->next)
        turn(c);
    load.limit = (struct loop_timer){.due = too_late, .context = &load};
    loop_timer_set(load.loop, &load.limit, clock_now_ns() + LIMIT_S * NS_PER_S);
    if (loop_run(load.loop) < 0) die(EXIT_RUN_FAILED, "the event loop failed");
    double seconds = (double)(clock_now_ns() - load.start_ns) / (double)NS_PER_S;
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    double cpu_seconds = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                         (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
    printf("{\"requests\": %zu, \"failed\": %zu, \"body_bytes\": %llu, \"seconds\": %.6f, \"cpu_seconds\": "
           "%.6f}\n",
           load.answered, load.failed, (unsigned long long)load.body_bytes, seconds, cpu_seconds);
    for (struct connection *c = load.first, *next; c; c = next) {
        next = c->next;
        quiche_conn_close(c->quic, true, 0x100, NULL, 0);
        send_packets(c);
        if (c->http) quiche_h3_conn_free(c->http);
        quiche_conn_free(c->quic);
        loop_timer_clear(load.loop, &c->timer);
        udp_close(c->udp);
        free(c);
    }
    quiche_config_free(load.quic);
    quiche_h3_config_free(load.http);
    loop_close(load.loop);
    return load.failed == 0 ? 0 : EXIT_RUN_FAILED;
}
