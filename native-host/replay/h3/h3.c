// A connection's turn, after packets came in or its timer ran out: the requests that quiche has whole by then
// (h3_request.c), as much of the responses as it takes (h3_response.c), the packets that may leave now
// (h3_packets.c).
#include "replay/h3/h3.h"

#include "base/clock.h"
#include "congestion/quiche_congestion.h"
#include "replay/h3/h3_connection.h"
#include "replay/origins/server_address.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Why it ended, for the report.
static void close_reason(const quiche_conn *quic, char *reason, size_t size) {
    bool application = false;
    uint64_t code = 0;
    const uint8_t *text = NULL;
    size_t text_size = 0;
    if (quiche_conn_peer_error(quic, &application, &code, &text, &text_size)) {
        if (code == (application ? (uint64_t)H3_NO_ERROR : 0)) {
            reason[0] = '\0';
            return;
        }
        snprintf(reason, size, "the client closed with %s error 0x%llx %.*s", application ? "HTTP/3" : "QUIC",
                 (unsigned long long)code, (int)(text_size < 80 ? text_size : 80),
                 text ? (const char *)text : "");
    } else if (quiche_conn_local_error(quic, &application, &code, &text, &text_size)) {
        snprintf(reason, size, "the server closed with %s error 0x%llx", application ? "HTTP/3" : "QUIC",
                 (unsigned long long)code);
    } else if (quiche_conn_is_timed_out(quic)) {
        snprintf(reason, size, "idle for %d s", QUIC_IDLE_TIMEOUT_MS / 1000);
    } else {
        snprintf(reason, size, "the QUIC connection ended");
    }
    for (char *p = reason; *p; p++) // the client's own words: they go into JSON
        if (*p < ' ' || *p > '~') *p = '?';
}

static void begin_counting_acks(struct h3_connection *c) {
    quiche_stats stats;
    quiche_conn_stats(c->quic, &stats);
    c->acks = (struct h3_acks){.acked_bytes = stats.acked_bytes, .handshake_packets = stats.sent};
}

// After each packet that came in.
static void count_ack(struct h3_connection *c) {
    quiche_stats stats;
    if (!c->http) return;
    quiche_conn_stats(c->quic, &stats);
    c->acks.acks += stats.acked_bytes > c->acks.acked_bytes;
    c->acks.acked_bytes = stats.acked_bytes;
}

static void tell_acks(struct h3_connection *c) {
    quiche_stats stats;
    quiche_conn_stats(c->quic, &stats);
    const uint64_t gone = stats.lost + c->acks.handshake_packets;
    exchange_connection_acks(c->connection, stats.sent > gone ? stats.sent - gone : 0, c->acks.acks);
}

static void leave_exchange(struct h3_connection *c, const char *reason, uint64_t now_ns) {
    if (!c->connection) return;
    while (c->requests)
        h3_request_end(c, c->requests, false, now_ns);
    exchange_connection_moved(c->connection, c->sender.paths.changes, c->sender.paths.count);
    if (c->http) tell_acks(c);
    exchange_connection_close(c->connection, reason, now_ns);
    c->connection = NULL;
}

void h3_connection_receive(struct h3_connection *c, const struct udp_packet *packet) {
    struct sockaddr_in6 peer = packet->peer, local = packet->local;
    quiche_recv_info info = {(struct sockaddr *)&peer, sizeof peer, (struct sockaddr *)&local, sizeof local};
    quiche_conn_recv(c->quic, packet->bytes, packet->size, &info); // its errors show in the turn
    c->given_bytes = c->sent_bytes = 0;
    count_ack(c);
}

_Static_assert((int)QUIC_SPARE_IDS <= (int)H3_FURTHER_IDS, "each id given has a place");

static void start_pacing(struct h3_connection *c) {
    pacer_init(&c->sender.pacer, c->sender.payload_bytes, c->parts->transport->quic.initial_window_packets);
}

static void unroute_retired(struct h3_connection *c) {
    if (quiche_conn_retired_scids(c->quic) == 0) return;
    quiche_connection_id_iter *retired = quiche_conn_retired_scid_iter(c->quic);
    const uint8_t *bytes;
    size_t size;
    while (quiche_connection_id_iter_next(retired, &bytes, &size)) {
        struct cid id = {.size = (uint8_t)size};
        if (size <= CID_MAX) memcpy(id.bytes, bytes, size);
        if (size <= CID_MAX) c->owner->unroute(c->owner->context, &id);
    }
    quiche_connection_id_iter_free(retired);
}

// On a path without a round trip measured yet the first packets leave at once, as at the start: else the
// challenge would wait behind what was sent on the path before. A client that has moved gets further ids, so
// that it need not be known by the same one on both networks (RFC 9000, 9.5). Others do not: they have no use
// for them.
static void follow_client(struct h3_connection *c, uint64_t now_ns) {
    unroute_retired(c);
    if (quiche_paths_turn(&c->sender.paths, c->quic, now_ns)) start_pacing(c);
    struct cid id = {.size = CID_BYTES};
    while (c->sender.paths.count > 0 && quiche_paths_spare_id(c->quic, false, id.bytes, id.size))
        if (c->owner->route(c->owner->context, &id) < 0) return; // its packets will be as if lost
}

void h3_connection_turn(struct h3_connection *c, uint64_t now_ns) {
    follow_client(c, now_ns);
    bool early = quiche_conn_is_in_early_data(c->quic);
    if (!c->http && c->connection && (early || quiche_conn_is_established(c->quic))) {
        bool resumed = early || quiche_conn_is_resumed(c->quic);
        exchange_connection_secured(c->connection, "TLSv1.3", "h3", resumed, now_ns);
        if (early) exchange_connection_early_data(c->connection);
        c->http = quiche_h3_conn_new_with_transport(c->quic, c->owner->settings->http);
        begin_counting_acks(c);
        if (c->http)
            --*c->owner->half_open;
        else
            quiche_conn_close(c->quic, true, H3_INTERNAL_ERROR, NULL, 0);
    }
    if (c->http && c->connection) h3_requests_read(c, now_ns);
    bool over = quiche_conn_is_closed(c->quic);
    if (over || quiche_conn_is_draining(c->quic)) {
        char reason[160];
        close_reason(c->quic, reason, sizeof reason);
        leave_exchange(c, reason, now_ns);
    }
    if (over)
        c->owner->over(c->owner->context);
    else
        h3_packets_turn(c);
}

void h3_connection_go_on(struct h3_connection *c, uint64_t now_ns) {
    if (!c->sender.burst.no_room) return;
    c->sender.burst.no_room = false;
    h3_connection_turn(c, now_ns);
}

static void on_timer(void *context, uint64_t now_ns) {
    struct h3_connection *c = context;
    if (quiche_conn_timeout_as_nanos(c->quic) == 0) quiche_conn_on_timeout(c->quic);
    h3_connection_turn(c, now_ns);
}

// The connection, not a stream: a client that does not take note of a reset would keep its stream open.
static void on_overdue(void *context, uint64_t now_ns) {
    struct h3_connection *c = context;
    quiche_conn_close(c->quic, true, H3_NO_ERROR, NULL, 0);
    leave_exchange(c, EXCHANGE_OVERDUE, now_ns);
    h3_connection_turn(c, now_ns);
}

// Named by the id that the client uses for the connection, as other tools have it.
static void start_qlog(struct h3_connection *c, const struct cid *scid) {
    char name[2 * CID_MAX + sizeof ".sqlog"];
    char path[4096 + sizeof name];
    char times[96];
    for (size_t i = 0; i < scid->size; i++)
        snprintf(name + 2 * i, 3, "%02x", scid->bytes[i]);
    strcpy(name + 2 * scid->size, ".sqlog");
    snprintf(path, sizeof path, "%s/%s", c->parts->qlog_folder, name);
    uint64_t start_ns = clock_now_ns();
    snprintf(times, sizeof times, "times are milliseconds since CLOCK_MONOTONIC %llu ns",
             (unsigned long long)start_ns);
    if (!quiche_conn_set_qlog_path(c->quic, path, "trilane-replay", times)) return;
    exchange_connection_qlog(c->connection, name, start_ns);
}

// One of ours is not there when memory was short; the report says what was chosen.
static bool has_chosen_congestion_control(const struct h3_connection *c) {
    const struct congestion_controller *used = quiche_congestion_of(c->quic);
    const char *chosen = c->parts->transport->quic.congestion_control;
    return used ? strcmp(used->name, chosen) == 0 : !congestion_find(chosen);
}

struct h3_connection *h3_connection_open(const struct h3_owner *owner, const struct cid *scid,
                                         const struct udp_packet *packet, uint64_t now_ns) {
    const struct server_parts *parts = owner->settings->parts;
    struct h3_connection *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->owner = owner;
    c->parts = parts;
    c->drained = true;
    c->round = 1;
    c->sender.payload_bytes = parts->transport->quic.max_udp_payload_bytes;
    c->sender.head_bytes = H3_PACKET_HEAD_BYTES;
    c->sender.paced = owner->settings->paced;
    c->timer = (struct loop_timer){.due = on_timer, .context = c};
    start_pacing(c);
    char address[INET6_ADDRSTRLEN];
    server_address_text(&packet->local.sin6_addr, address);
    alternative_service_value(c->alternative_service, ntohs(packet->local.sin6_port));
    SSL *ssl = tls_new_quic(parts->tls, address);
    if (ssl) // quiche owns it from here, also when this fails
        c->quic = quiche_conn_new_with_tls(
            scid->bytes, scid->size, NULL, 0, (const struct sockaddr *)&packet->local, sizeof packet->local,
            (const struct sockaddr *)&packet->peer, sizeof packet->peer, owner->settings->quic, ssl, true);
    if (c->quic && has_chosen_congestion_control(c))
        c->connection =
            exchange_connection_open(parts->site, LANE_H3, address, ntohs(packet->local.sin6_port), now_ns);
    if (c->connection) exchange_connection_on_overdue(c->connection, on_overdue, c);
    if (c->connection && parts->qlog_folder) start_qlog(c, scid);
    if (c->connection) {
        c->order.equal = exchange_connection_ignores_priorities(c->connection);
        ++*owner->half_open;
        return c;
    }
    if (c->quic) quiche_conn_free(c->quic);
    free(c);
    return NULL;
}

bool h3_connection_is_half_open(const struct h3_connection *c) {
    return !c->http;
}

void h3_connection_close(struct h3_connection *c, const char *reason, uint64_t now_ns) {
    leave_exchange(c, reason, now_ns);
    if (!quiche_conn_is_closed(c->quic) && !c->sender.burst.no_room) {
        quiche_conn_close(c->quic, true, H3_NO_ERROR, NULL, 0);
        h3_packets_last(c);
    }
    loop_timer_clear(c->parts->loop, &c->timer);
    if (c->http)
        quiche_h3_conn_free(c->http);
    else
        --*c->owner->half_open;
    quiche_conn_free(c->quic);
    quiche_paths_free(&c->sender.paths);
    free(c);
}