// h3: quiche over a UDP socket, one request at a time. With a ticket that takes early data the request goes
// in the first flight. Its windows are no limit up to four times 1 Gbit/s x 100 ms. Does not migrate or pace:
// what it sends is requests and acknowledgements.
#include "fetch/connection.h"

#include "base/clock.h"
#include "quic_io/burst.h"
#include "quic_io/udp.h"

#include <openssl/rand.h>
#include <quiche.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WINDOW_BYTES = 64 << 20,
    PAYLOAD_BYTES = 1350, // of UDP, as trilane-replay's
    RECEIVE_PAYLOAD_BYTES = 1500,
    UNI_STREAMS = 16,
    FIELDS_BYTES = 256 * 1024,
    CID_BYTES = 8,
    BUFFER_BYTES = 4 << 20, // of the socket: as far as the kernel grants it
    READ_BYTES = 256 * 1024,
    HTTP3_NO_ERROR = 0x100,
    TLS_ALERT_BASE = 0x100, // of QUIC's error codes (RFC 9001, 4.8)
    ALERT_NO_APPLICATION_PROTOCOL = 120,
};

struct h3_config {
    quiche_config *quic;
    quiche_h3_config *http;
};

struct connection {
    struct connection_settings settings;
    struct client_tls_connection identity;
    struct udp *udp;
    struct udp_link link;
    struct burst burst;
    struct sockaddr_in6 local;
    struct loop_timer timer;
    quiche_conn *quic;
    quiche_h3_conn *http;
    SSL *ssl; // quiche's
    struct response *response;
    uint64_t id; // of its stream
    bool was_early;
    bool was_ready; // reported
    bool is_over;
    bool goaway;
    bool refused; // by ICMP
    struct connection_facts facts;
    uint64_t bytes_received, bytes_sent;
    uint8_t bytes[READ_BYTES];
};

// --- how it ends

// Reported to the response under way, or else to the connection's owner.
static void end(struct connection *c, enum fetch_stage stage, const char *reason) {
    struct response *response = c->response;
    if (c->is_over) return;
    c->is_over = true;
    c->response = NULL;
    loop_timer_clear(c->settings.loop, &c->timer);
    if (response)
        response_fail(response, stage, "%s", reason);
    else
        c->settings.failed(c->settings.context, stage, reason);
}

static void alert_text(char *reason, size_t size, const char *who, uint64_t code,
                       const struct connection *c) {
    const unsigned alert = (unsigned)(code - TLS_ALERT_BASE);
    const char *refusal = client_tls_refusal(c->ssl);
    if (alert == ALERT_NO_APPLICATION_PROTOCOL)
        snprintf(reason, size, "the server does not speak %s (no_application_protocol)", c->settings.alpn);
    else if (refusal && strcmp(who, "this end") == 0)
        snprintf(reason, size, "the certificate is refused: %s", refusal);
    else
        snprintf(reason, size, "%s ended it with TLS alert %u (%s)", who, alert,
                 SSL_alert_desc_string_long((int)alert));
}

static void tell_close(struct connection *c) {
    bool application = false;
    uint64_t code = 0;
    const uint8_t *text = NULL;
    size_t size = 0;
    char reason[REASON_SIZE] = "no packet came for the idle time-out";
    const char *who = NULL;
    const bool secured = c->facts.connected_ns > 0;
    enum fetch_stage stage = secured ? STAGE_RESPONSE : STAGE_CONNECT;
    if (c->refused)
        snprintf(reason, sizeof reason, "Connection refused");
    else if (quiche_conn_peer_error(c->quic, &application, &code, &text, &size))
        who = "the server";
    else if (quiche_conn_local_error(c->quic, &application, &code, &text, &size))
        who = "this end";
    if (who && !application && code >= TLS_ALERT_BASE && code < TLS_ALERT_BASE + 0x100) {
        alert_text(reason, sizeof reason, who, code, c);
        stage = secured ? stage : STAGE_TLS;
    } else if (who) {
        snprintf(reason, sizeof reason, "%s ended it with %s error 0x%llx", who,
                 application ? "HTTP/3" : "QUIC", (unsigned long long)code);
    }
    end(c, stage, reason);
}

// --- packets out

static void send_packets(struct connection *c) {
    while (!c->burst.no_room) {
        const uint64_t now_ns = clock_now_ns();
        uint8_t *place = burst_place(&c->burst, PAYLOAD_BYTES);
        if (!place) {
            burst_flush(&c->burst, &c->link, now_ns);
            continue;
        }
        quiche_send_info info;
        const ssize_t size = quiche_conn_send(c->quic, place, PAYLOAD_BYTES, &info);
        if (size <= 0) {
            burst_flush(&c->burst, &c->link, now_ns);
            return;
        }
        c->bytes_sent += (uint64_t)size;
        const struct udp_burst packet = {.local = c->local,
                                         .peer = c->settings.server,
                                         .size = (size_t)size,
                                         .segment_size = (size_t)size};
        burst_add(&c->burst, &packet, 0);
    }
}

static void set_timer(struct connection *c) {
    const uint64_t timeout_ns = quiche_conn_timeout_as_nanos(c->quic);
    if (c->is_over || timeout_ns == UINT64_MAX)
        loop_timer_clear(c->settings.loop, &c->timer);
    else
        loop_timer_set(c->settings.loop, &c->timer, clock_now_ns() + timeout_ns);
}

// --- HTTP

// quiche passes on any value. 0: it is no status.
static int status_of(const uint8_t *value, size_t size) {
    int status = 0;
    for (size_t i = 0; i < size; i++) {
        if (size != 3 || value[i] < '0' || value[i] > '9') return 0;
        status = 10 * status + (value[i] - '0');
    }
    return status;
}

static int on_field(uint8_t *name, size_t name_size, uint8_t *value, size_t value_size, void *context) {
    struct response *response = context;
    if (name_size == 7 && memcmp(name, ":status", 7) == 0) {
        response_head(response, status_of(value, value_size), "3");
    } else {
        response_field(response, name, name_size, value, value_size);
    }
    return response->is_over ? -1 : 0;
}

static void finish(struct connection *c) {
    struct response *response = c->response;
    c->response = NULL;
    response_end(response);
}

static void read_body(struct connection *c) {
    ssize_t n;
    while (c->response && !c->response->is_over &&
           (n = quiche_h3_recv_body(c->http, c->quic, c->id, c->bytes, sizeof c->bytes)) > 0)
        response_body(c->response, c->bytes, (size_t)n);
}

static void take_event(struct connection *c, quiche_h3_event *event) {
    switch (quiche_h3_event_type(event)) {
    case QUICHE_H3_EVENT_HEADERS:
        response_first_byte(c->response);
        quiche_h3_event_for_each_header(event, on_field, c->response);
        response_head_end(c->response);
        break;
    case QUICHE_H3_EVENT_DATA:
        read_body(c);
        break;
    case QUICHE_H3_EVENT_FINISHED:
        finish(c);
        break;
    case QUICHE_H3_EVENT_RESET: {
        struct response *response = c->response;
        c->response = NULL;
        response_fail(response, STAGE_RESPONSE, "the server reset the stream after %llu bytes of the body",
                      (unsigned long long)response->body_bytes);
        break;
    }
    case QUICHE_H3_EVENT_GOAWAY:
    case QUICHE_H3_EVENT_PRIORITY_UPDATE:
        break;
    }
}

// RFC 9114's name of what quiche could not go on with.
static const char *error_name(int64_t error) {
    static const char *const names[] = {[-QUICHE_H3_ERR_INTERNAL_ERROR] = "INTERNAL_ERROR",
                                        [-QUICHE_H3_ERR_EXCESSIVE_LOAD] = "EXCESSIVE_LOAD",
                                        [-QUICHE_H3_ERR_ID_ERROR] = "ID_ERROR",
                                        [-QUICHE_H3_ERR_STREAM_CREATION_ERROR] = "STREAM_CREATION_ERROR",
                                        [-QUICHE_H3_ERR_CLOSED_CRITICAL_STREAM] = "CLOSED_CRITICAL_STREAM",
                                        [-QUICHE_H3_ERR_MISSING_SETTINGS] = "MISSING_SETTINGS",
                                        [-QUICHE_H3_ERR_FRAME_UNEXPECTED] = "FRAME_UNEXPECTED",
                                        [-QUICHE_H3_ERR_FRAME_ERROR] = "FRAME_ERROR",
                                        [-QUICHE_H3_ERR_QPACK_DECOMPRESSION_FAILED] =
                                            "QPACK_DECOMPRESSION_FAILED",
                                        [-QUICHE_H3_ERR_SETTINGS_ERROR] = "SETTINGS_ERROR",
                                        [-QUICHE_H3_ERR_REQUEST_CANCELLED] = "REQUEST_CANCELLED"};
    const char *name = error < 0 && -error < (int64_t)(sizeof names / sizeof *names) ? names[-error] : NULL;
    return name ? name : "INTERNAL_ERROR";
}

static void read_events(struct connection *c) {
    quiche_h3_event *event;
    int64_t id;
    while ((id = quiche_h3_conn_poll(c->http, c->quic, &event)) >= 0) {
        if (quiche_h3_event_type(event) == QUICHE_H3_EVENT_GOAWAY) c->goaway = true;
        if (c->response && !c->response->is_over && (uint64_t)id == c->id) take_event(c, event);
        if (c->response && c->response->is_over) c->response = NULL;
        quiche_h3_event_free(event);
    }
    if (id != QUICHE_H3_ERR_DONE && c->response) {
        char reason[REASON_SIZE];
        snprintf(reason, sizeof reason, "%s: %s",
                 id == QUICHE_H3_ERR_EXCESSIVE_LOAD ? "its fields or a frame are too large"
                                                    : "this is no HTTP/3",
                 error_name(id));
        end(c, STAGE_RESPONSE, reason);
    }
}

// --- turns

static void note_handshake(struct connection *c) {
    const uint8_t *alpn;
    size_t size;
    c->facts.connected_ns = clock_now_ns();
    connection_note_tls(&c->facts, c->ssl, c->was_early);
    quiche_conn_application_proto(c->quic, &alpn, &size);
    snprintf(c->facts.alpn, sizeof c->facts.alpn, "%.*s", (int)size, size ? (const char *)alpn : "");
}

static void become_ready(struct connection *c) {
    c->http = quiche_h3_conn_new_with_transport(c->quic, c->settings.h3->http);
    if (!c->http) {
        end(c, STAGE_REQUEST, "HTTP/3 could not be begun");
        return;
    }
    c->was_ready = true;
    c->facts.ready_ns = clock_now_ns();
    c->settings.ready(c->settings.context); // which asks
}

static void turn(struct connection *c) {
    const bool established = quiche_conn_is_established(c->quic),
               early = quiche_conn_is_in_early_data(c->quic);
    if (established && !early && c->facts.connected_ns == 0) note_handshake(c);
    if ((established || early) && !c->was_ready) become_ready(c);
    if (c->http && !c->is_over) read_events(c);
    send_packets(c);
    if (!c->is_over && (c->refused || quiche_conn_is_closed(c->quic) || quiche_conn_is_draining(c->quic)))
        tell_close(c);
    set_timer(c);
}

static void on_packets(void *context, struct udp_packet *packets, size_t count) {
    struct connection *c = context;
    for (size_t i = 0; i < count; i++) {
        quiche_recv_info info = {(struct sockaddr *)&c->settings.server, sizeof c->settings.server,
                                 (struct sockaddr *)&c->local, sizeof c->local};
        c->bytes_received += packets[i].size;
        quiche_conn_recv(c->quic, packets[i].bytes, packets[i].size, &info); // its errors show in the turn
    }
    turn(c);
}

static void on_room(void *context) {
    struct connection *c = context;
    c->burst.no_room = false;
    turn(c);
}

static void on_refused(void *context) {
    struct connection *c = context;
    // Before anything came from there; later it may be anyone's.
    if (c->bytes_received > 0 || c->is_over) return;
    c->refused = true;
    turn(c);
}

static void on_timer(void *context, uint64_t now_ns) {
    struct connection *c = context;
    (void)now_ns;
    quiche_conn_on_timeout(c->quic);
    turn(c);
}

// The first packets, from the loop: `open` makes no callback.
static void on_begin(void *context, uint64_t now_ns) {
    struct connection *c = context;
    (void)now_ns;
    c->timer.due = on_timer;
    c->facts.begin_ns = clock_now_ns();
    send_packets(c);
    turn(c);
}

static void on_ticket(void *context, struct ticket *ticket) {
    struct connection *c = context;
    c->settings.ticket_came(c->settings.context, ticket);
}

// --- what fetch.c asks for

struct h3_config *h3_config_open(uint64_t idle_timeout_ms) {
    struct h3_config *h3 = calloc(1, sizeof *h3);
    if (!h3) return NULL;
    quiche_config *config = h3->quic = quiche_config_new(QUICHE_PROTOCOL_VERSION);
    h3->http = quiche_h3_config_new();
    if (!config || !h3->http) {
        h3_config_close(h3);
        return NULL;
    }
    quiche_config_set_max_idle_timeout(config, idle_timeout_ms);
    quiche_config_set_max_recv_udp_payload_size(config, RECEIVE_PAYLOAD_BYTES);
    quiche_config_set_max_send_udp_payload_size(config, PAYLOAD_BYTES);
    quiche_config_set_max_connection_window(config, WINDOW_BYTES);
    quiche_config_set_max_stream_window(config, WINDOW_BYTES);
    quiche_config_set_initial_max_data(config, WINDOW_BYTES);
    quiche_config_set_initial_max_stream_data_bidi_local(config, WINDOW_BYTES);
    quiche_config_set_initial_max_stream_data_uni(config, WINDOW_BYTES);
    quiche_config_set_initial_max_streams_uni(config, UNI_STREAMS);
    quiche_config_set_disable_active_migration(config, true);
    quiche_config_enable_pacing(config, false);
    quiche_h3_config_set_max_field_section_size(h3->http, FIELDS_BYTES);
    return h3;
}

void h3_config_close(struct h3_config *config) {
    if (!config) return;
    if (config->quic) quiche_config_free(config->quic);
    if (config->http) quiche_h3_config_free(config->http);
    free(config);
}

// Beside the server's, which has another id.
static void start_qlog(struct connection *c, const uint8_t *id, size_t id_size) {
    char name[2 * CID_BYTES + 1] = "", path[4096], times[96];
    if (!c->settings.qlog_folder) return;
    for (size_t i = 0; i < id_size; i++)
        snprintf(name + 2 * i, 3, "%02x", id[i]);
    snprintf(path, sizeof path, "%s/client-%s.sqlog", c->settings.qlog_folder, name);
    snprintf(times, sizeof times, "times are milliseconds since CLOCK_MONOTONIC %llu ns",
             (unsigned long long)clock_now_ns());
    quiche_conn_set_qlog_path(c->quic, path, "trilane-fetch", times);
}

static int start(struct connection *c, char *error, size_t error_size) {
    const struct udp_handler handler = {on_packets, on_room, c, on_refused};
    uint8_t scid[CID_BYTES];
    if (udp_open(&c->udp, c->settings.loop, 0, &handler, error, error_size) < 0) return -1;
    udp_set_receive_buffer(c->udp, BUFFER_BYTES);
    c->link = udp_link(c->udp);
    if (udp_connect(c->udp, &c->settings.server, &c->local, error, error_size) < 0) return -1;
    RAND_bytes(scid, sizeof scid);
    snprintf(error, error_size, "memory is short");
    c->ssl = client_tls_connection(c->settings.tls, &c->identity);
    if (!c->ssl) return -1;
    // quiche owns the TLS from here, also when this fails
    c->quic = quiche_conn_new_with_tls(scid, sizeof scid, NULL, 0, (struct sockaddr *)&c->local,
                                       sizeof c->local, (struct sockaddr *)&c->settings.server,
                                       sizeof c->settings.server, c->settings.h3->quic, c->ssl, false);
    if (!c->quic) return -1;
    start_qlog(c, scid, sizeof scid);
    if (!c->settings.ticket) return 0;
    size_t size;
    const uint8_t *ticket = ticket_for_quiche(c->settings.ticket, &size);
    if (quiche_conn_set_session(c->quic, ticket, size) == 0) return 0;
    snprintf(error, error_size, "the server's ticket could not be used");
    return -1;
}

static void h3_close(struct connection *c) {
    loop_timer_clear(c->settings.loop, &c->timer);
    if (c->quic && !quiche_conn_is_closed(c->quic) && !c->refused) {
        quiche_conn_close(c->quic, true, HTTP3_NO_ERROR, NULL, 0);
        send_packets(c);
    }
    if (c->http) quiche_h3_conn_free(c->http);
    if (c->quic) quiche_conn_free(c->quic);
    udp_close(c->udp);
    ticket_free(c->settings.ticket);
    free(c);
}

static struct connection *h3_open(const struct connection_settings *settings, char *error,
                                  size_t error_size) {
    struct connection *c = calloc(1, sizeof *c);
    if (!c) {
        ticket_free(settings->ticket);
        snprintf(error, error_size, "memory is short");
        return NULL;
    }
    c->settings = *settings;
    c->identity = (struct client_tls_connection){.host = settings->host,
                                                 .is_address = settings->is_address,
                                                 .ticket = settings->ticket,
                                                 .ticket_came = settings->ticket_came ? on_ticket : NULL,
                                                 .context = c};
    c->timer = (struct loop_timer){.due = on_begin, .context = c};
    c->facts.begin_ns = clock_now_ns();
    if (start(c, error, error_size) == 0 && loop_timer_set(settings->loop, &c->timer, c->facts.begin_ns) == 0)
        return c;
    h3_close(c);
    return NULL;
}

#define FIELD(n, v)                                                                                          \
    { (const uint8_t *)(n), strlen(n), (const uint8_t *)(v), strlen(v) }

static void h3_ask(struct connection *c, const struct request *request, struct response *response) {
    const quiche_h3_header fields[] = {FIELD(":method", "GET"),
                                       FIELD(":scheme", "https"),
                                       FIELD(":authority", request->url->authority),
                                       FIELD(":path", request->url->target),
                                       FIELD("user-agent", request->user_agent),
                                       FIELD("accept", "*/*")};
    const bool early = quiche_conn_is_in_early_data(c->quic);
    const int64_t id = quiche_h3_send_request(c->http, c->quic, fields, sizeof fields / sizeof *fields, true);
    if (id < 0) {
        response_fail(response, STAGE_REQUEST, "HTTP/3 took no request: quiche's error %lld", (long long)id);
        return;
    }
    c->was_early = c->was_early || early;
    c->response = response;
    c->id = (uint64_t)id;
    send_packets(c);
    set_timer(c);
}

static bool h3_is_reusable(struct connection *c) {
    if (!c->is_over) udp_receive_now(c->udp);
    if (!c->is_over) on_timer(c, clock_now_ns()); // its idle time may be over
    return !c->is_over && c->was_ready && !c->goaway && !c->response && !quiche_conn_is_closed(c->quic) &&
           !quiche_conn_is_draining(c->quic);
}

static void h3_facts(const struct connection *c, struct connection_facts *facts) {
    quiche_path_stats path;
    quiche_stats all;
    *facts = c->facts;
    facts->bytes_received = c->bytes_received;
    facts->bytes_sent = c->bytes_sent;
    facts->segments_retransmitted = CONNECTION_UNAVAILABLE;
    facts->rtt_smoothed_ns = facts->rtt_min_ns = facts->packets_lost = CONNECTION_UNAVAILABLE;
    if (!c->quic) return;
    quiche_conn_stats(c->quic, &all);
    facts->packets_lost = all.lost;
    if (c->facts.connected_ns == 0 || quiche_conn_path_stats(c->quic, 0, &path) < 0) return;
    if (path.rtt > 0) facts->rtt_smoothed_ns = path.rtt;
    if (path.min_rtt > 0) facts->rtt_min_ns = path.min_rtt;
}

const struct connection_kind quic_h3_connection = {h3_open, h3_ask, h3_is_reusable, h3_facts, h3_close};
