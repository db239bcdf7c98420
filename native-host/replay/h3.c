// One connection's turn, after packets came in or its timer ran out:
//   1. quiche has taken the packets; its HTTP/3 events are read off: a request becomes an exchange when its
//   head is
//      whole and a response when the request is (as in the other lanes).
//   2. Responses give quiche as much of their bodies as its congestion window takes, in the order of
//   send_order.h. Not
//      while the pacer still holds back bytes given before, unless there is news: so the order is decided
//      late, and an urgent response passes by the rest of a bulky one (quiche orders what it holds by the
//      same priorities).
//   3. quiche makes packets while the pacer lets them go; equal sizes gather in one burst. A packet that
//   quiche itself
//      wants out later (its BBR paces) waits in the burst until then.
//   4. One timer for whichever comes first: quiche's own, the pacer, the waiting packet.
#include "replay/h3.h"

#include "base/clock.h"
#include "replay/cid_table.h"
#include "replay/fields.h"
#include "replay/h2.h"
#include "replay/pacer.h"
#include "replay/send_order.h"

#include <arpa/inet.h>
#include <openssl/rand.h>
#include <quiche.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SCID_BYTES = 16,
    IDLE_TIMEOUT_MS = 30 * 1000,
    CONNECTION_WINDOW_BYTES = 10 * 1024 * 1024, // as h2's
    UPLOAD_WINDOW_BYTES = 1024 * 1024,
    CONCURRENT_STREAMS = 100,
    CONTROL_STREAMS = 100, // unidirectional: control, QPACK, GREASE
    RECEIVE_PAYLOAD_BYTES = 1500,
    TURN_BYTES = 16 * 1024, // of an incremental response, before the next one's turn; an h2 frame's size
    BURST_BYTES = UDP_BURST_PACKETS_MAX * 1500,
    INITIAL_PACKET = 1, // what quiche_header_info calls the type
    H3_NO_ERROR = 0x100,
    H3_INTERNAL_ERROR = 0x102,
    H3_MESSAGE_ERROR = 0x10e,
};
static const uint64_t RELEASE_EARLY_NS = 50 * NS_PER_US; // a timer is no more exact than that

struct h3_server {
    struct server_parts parts;
    struct h3_link link;
    struct udp *udp; // NULL: no socket
    quiche_config *config;
    quiche_h3_config *http_config;
    struct cid_table cids;
    struct h3_connection *connections;
    struct h3_connection *touched; // by the packets at hand
};

struct h3_connection {
    struct h3_server *server;
    struct h3_connection *previous;
    struct h3_connection *next;
    struct h3_connection *touched_next;
    bool touched;
    quiche_conn *quic;
    quiche_h3_conn *http;                   // NULL until the handshake is done
    struct exchange_connection *connection; // NULL once reported as closed
    struct cid scid;
    struct cid first_dcid; // the client's choice, for the packets before it knows ours
    struct h3_request *requests;
    struct send_order order;
    struct pacer pacer;
    bool paced;   // by the pacer; BBR brings its own
    bool drained; // quiche has made packets of all it was given
    bool fresh;   // a response has become ready, or changed its priority, since
    struct loop_timer timer;
    struct udp_burst burst;
    uint64_t burst_due_ns; // 0: at once
    bool burst_blocked;    // the link had no room
    uint8_t bytes[BURST_BYTES];
};

struct h3_request {
    struct send_item item; // first: the order's item is the request
    struct h3_request *previous;
    struct h3_request *next;
    uint64_t id;
    struct exchange *exchange;
    bool head_sent;
};

// --- requests

static struct h3_request *find_request(const struct h3_connection *c, uint64_t id) {
    struct h3_request *request = c->requests;
    while (request && request->id != id)
        request = request->next;
    return request;
}

static void end_request(struct h3_connection *c, struct h3_request *request, bool complete, uint64_t now_ns) {
    exchange_end(request->exchange, complete, now_ns);
    send_order_remove(&c->order, &request->item);
    if (request->previous)
        request->previous->next = request->next;
    else
        c->requests = request->next;
    if (request->next) request->next->previous = request->previous;
    free(request);
}

static void reset_stream(struct h3_connection *c, uint64_t id, uint64_t error) {
    quiche_conn_stream_shutdown(c->quic, id, QUICHE_SHUTDOWN_READ, error);
    quiche_conn_stream_shutdown(c->quic, id, QUICHE_SHUTDOWN_WRITE, error);
}

struct priority {
    uint8_t urgency;
    bool incremental;
    bool found;
};

static int take_priority(uint8_t *value, uint64_t size, void *context) {
    struct priority *priority = context;
    priority->found = h2_parse_priority(value, (size_t)size, &priority->urgency, &priority->incremental) == 0;
    return 0;
}

// A PRIORITY_UPDATE goes before the `priority` field (RFC 9218, 7), also when it came first.
static struct priority request_priority(struct h3_connection *c, uint64_t id,
                                        const struct exchange_request *head) {
    struct priority priority = {.urgency = URGENCY_DEFAULT};
    quiche_h3_take_last_priority_update(c->http, id, take_priority, &priority);
    const struct header *field = priority.found ? NULL : fields_find(head, "priority");
    if (field) h2_parse_priority(field->value, field->value_size, &priority.urgency, &priority.incremental);
    return priority;
}

static int gather_field(uint8_t *name, size_t name_size, uint8_t *value, size_t value_size, void *context) {
    return fields_add(context, name, name_size, value, value_size);
}

static void begin_request(struct h3_connection *c, uint64_t id, quiche_h3_event *event, uint64_t now_ns) {
    if (find_request(c, id)) return; // a trailer section
    struct fields fields = {0};
    struct exchange_request head;
    struct h3_request *request = NULL;
    if (quiche_h3_event_for_each_header(event, gather_field, &fields) != 0 ||
        fields_request(&fields, &head) < 0) {
        reset_stream(c, id, H3_MESSAGE_ERROR);
        fields_free(&fields);
        return;
    }
    request = calloc(1, sizeof *request);
    if (request) request->exchange = exchange_begin(c->connection, &head, now_ns);
    if (!request || !request->exchange) {
        reset_stream(c, id, H3_INTERNAL_ERROR);
        free(request);
        fields_free(&fields);
        return;
    }
    struct priority priority = request_priority(c, id, &head);
    request->id = id;
    request->item.urgency = priority.urgency;
    request->item.incremental = priority.incremental;
    request->next = c->requests;
    if (request->next) request->next->previous = request;
    c->requests = request;
    fields_free(&fields);
}

static void count_body(struct h3_connection *c, uint64_t id) {
    struct h3_request *request = find_request(c, id);
    uint8_t bytes[16 * 1024];
    for (;;) {
        ssize_t size = quiche_h3_recv_body(c->http, c->quic, id, bytes, sizeof bytes);
        if (size <= 0) return;
        if (request) exchange_request_body(request->exchange, (size_t)size);
    }
}

static void change_priority(struct h3_connection *c, uint64_t id) {
    struct h3_request *request = find_request(c, id);
    if (!request) return; // quiche keeps it for the request to come
    struct priority priority = {.urgency = URGENCY_DEFAULT};
    quiche_h3_take_last_priority_update(c->http, id, take_priority, &priority);
    if (!priority.found) return;
    send_order_change(&c->order, &request->item, priority.urgency, priority.incremental);
    c->fresh = true;
    // quiche's h3 shifts urgencies so that 0 to 7 become 124 to 131, below its own streams' 0 and above the
    // default.
    if (request->head_sent)
        quiche_conn_stream_priority(c->quic, id, (uint8_t)(request->item.urgency + 124),
                                    request->item.incremental);
}

static void read_events(struct h3_connection *c, uint64_t now_ns) {
    quiche_h3_event *event;
    int64_t id;
    while ((id = quiche_h3_conn_poll(c->http, c->quic, &event)) >= 0) {
        struct h3_request *request;
        switch (quiche_h3_event_type(event)) {
        case QUICHE_H3_EVENT_HEADERS:
            begin_request(c, (uint64_t)id, event, now_ns);
            break;
        case QUICHE_H3_EVENT_DATA:
            count_body(c, (uint64_t)id);
            break;
        case QUICHE_H3_EVENT_FINISHED:
            request = find_request(c, (uint64_t)id);
            if (request) send_order_add(&c->order, &request->item);
            c->fresh = true;
            break;
        case QUICHE_H3_EVENT_RESET:
            request = find_request(c, (uint64_t)id);
            if (request) end_request(c, request, false, now_ns);
            reset_stream(c, (uint64_t)id, H3_NO_ERROR);
            break;
        case QUICHE_H3_EVENT_PRIORITY_UPDATE:
            change_priority(c, (uint64_t)id);
            break;
        case QUICHE_H3_EVENT_GOAWAY:
            break; // the client opens no more; what it asked for is still answered
        }
        quiche_h3_event_free(event);
    }
}

// --- responses

enum sent { SENT_ALL, SENT_SOME, SENT_NOTHING, SENT_FAILED };

static enum sent send_head(struct h3_connection *c, struct h3_request *request) {
    struct response_fields fields;
    if (response_fields_make(&fields, request->exchange) < 0) return SENT_FAILED;
    quiche_h3_header *list = malloc(fields.count * sizeof *list);
    int result = QUICHE_H3_ERR_INTERNAL_ERROR;
    size_t left;
    exchange_peek(request->exchange, &left);
    if (list) {
        for (size_t i = 0; i < fields.count; i++)
            list[i] = (quiche_h3_header){(const uint8_t *)fields.list[i].name, fields.list[i].name_size,
                                         (const uint8_t *)fields.list[i].value, fields.list[i].value_size};
        quiche_h3_priority priority = {request->item.urgency, request->item.incremental};
        result = quiche_h3_send_response_with_priority(c->http, c->quic, request->id, list, fields.count,
                                                       &priority, left == 0);
    }
    free(list);
    response_fields_free(&fields);
    if (result == QUICHE_H3_ERR_STREAM_BLOCKED || result == QUICHE_H3_ERR_DONE) return SENT_NOTHING;
    if (result < 0) return SENT_FAILED;
    request->head_sent = true;
    return left == 0 ? SENT_ALL : SENT_SOME;
}

static enum sent send_turn(struct h3_connection *c, struct h3_request *request, uint64_t now_ns) {
    bool head_now = !request->head_sent;
    if (head_now) {
        enum sent sent = send_head(c, request);
        if (sent != SENT_SOME) return sent;
    }
    size_t left;
    const uint8_t *body = exchange_peek(request->exchange, &left);
    size_t size = request->item.incremental && left > TURN_BYTES ? TURN_BYTES : left;
    ssize_t taken = quiche_h3_send_body(c->http, c->quic, request->id, body, size, size == left);
    if (taken == QUICHE_H3_ERR_DONE) return head_now ? SENT_SOME : SENT_NOTHING;
    if (taken < 0) return SENT_FAILED; // most often: the client does not want it any more
    exchange_take(request->exchange, (size_t)taken, now_ns);
    return (size_t)taken == left ? SENT_ALL : SENT_SOME;
}

// Gives quiche what it takes. True if it took anything.
static bool send_responses(struct h3_connection *c, uint64_t now_ns) {
    bool any = false;
    struct send_item *item = send_order_first(&c->order);
    while (item) {
        struct h3_request *request = (struct h3_request *)item;
        struct send_item *next = send_order_next(&c->order, item);
        enum sent sent = send_turn(c, request, now_ns);
        any |= sent != SENT_NOTHING;
        if (sent == SENT_SOME) {
            // Again until it finds no room: one that is incremental after its equals.
            send_order_turn(&c->order, item);
            if (!item->incremental || !next || next->urgency != item->urgency) next = item;
        } else if (sent == SENT_ALL) {
            end_request(c, request, true, now_ns);
        } else if (sent == SENT_FAILED) {
            quiche_conn_stream_shutdown(c->quic, request->id, QUICHE_SHUTDOWN_WRITE, H3_INTERNAL_ERROR);
            end_request(c, request, false, now_ns);
        }
        item = next;
    }
    return any;
}

// --- packets out

static bool send_burst(struct h3_connection *c) {
    if (c->burst.size == 0) return true;
    if (c->server->link.send(c->server->link.context, &c->burst) == 0) {
        c->burst_blocked = true;
        return false;
    }
    c->burst.size = 0;
    c->burst_due_ns = 0;
    return true;
}

static bool burst_fits(const struct udp_burst *burst, size_t size, const struct udp_burst *next) {
    return burst->size % burst->segment_size == 0 && size <= burst->segment_size &&
           burst->size / burst->segment_size < UDP_BURST_PACKETS_MAX &&
           memcmp(&burst->peer, &next->peer, sizeof burst->peer) == 0 &&
           memcmp(&burst->local, &next->local, sizeof burst->local) == 0;
}

static void address_in(struct sockaddr_in6 *out, const struct sockaddr_storage *in) {
    memcpy(out, in, sizeof *out); // all of ours are IPv6
    out->sin6_flowinfo = 0;
}

// Asks quiche for a packet into too little room. It makes none, but then knows that the sender, not the
// application, is what limits: without this the window would not grow while the pacer holds packets back.
static void not_application_limited(struct h3_connection *c) {
    const uint8_t *dcid;
    size_t dcid_size;
    uint8_t room[1 + CID_MAX + 16];
    quiche_send_info info;
    quiche_conn_destination_id(c->quic, &dcid, &dcid_size);
    if (dcid_size <= CID_MAX) quiche_conn_send(c->quic, room, 1 + dcid_size + 16, &info);
}

enum packets { PACKETS_DRAINED, PACKETS_PACED, PACKETS_WAIT };

// Makes and sends packets until quiche has no more (drained), the pacer wants a pause or a packet has to
// wait.
static enum packets send_packets(struct h3_connection *c) {
    for (;;) {
        uint64_t now_ns = clock_now_ns();
        if (c->burst_due_ns > now_ns + RELEASE_EARLY_NS) return PACKETS_WAIT;
        if (c->burst_due_ns > 0 && !send_burst(c)) return PACKETS_WAIT;
        if (c->paced && !pacer_may_send(&c->pacer, now_ns))
            return send_burst(c) ? PACKETS_PACED : PACKETS_WAIT;
        if (c->burst.size + c->server->parts.quic_max_udp_payload > sizeof c->bytes && !send_burst(c))
            return PACKETS_WAIT;
        quiche_send_info info;
        uint8_t *packet = c->bytes + c->burst.size;
        ssize_t size = quiche_conn_send(c->quic, packet, c->server->parts.quic_max_udp_payload, &info);
        if (size <= 0) return send_burst(c) ? PACKETS_DRAINED : PACKETS_WAIT;
        pacer_sent(&c->pacer, (size_t)size, now_ns);

        struct udp_burst next = {.bytes = c->bytes, .size = (size_t)size, .segment_size = (size_t)size};
        address_in(&next.local, &info.from);
        address_in(&next.peer, &info.to);
        uint64_t due_ns = (uint64_t)info.at.tv_sec * NS_PER_S + (uint64_t)info.at.tv_nsec;
        bool later = due_ns > now_ns + RELEASE_EARLY_NS;
        if (c->burst.size > 0 && (later || !burst_fits(&c->burst, (size_t)size, &next))) {
            if (!send_burst(c)) return PACKETS_WAIT; // that packet is lost: there is no second place for it
            memmove(c->bytes, packet, (size_t)size);
        }
        if (c->burst.size == 0)
            c->burst = next;
        else
            c->burst.size += (size_t)size;
        c->burst_due_ns = later ? due_ns : 0;
    }
}

static void update_pacer(struct h3_connection *c) {
    quiche_path_stats path;
    if (c->paced && quiche_conn_path_stats(c->quic, 0, &path) == 0)
        pacer_update(&c->pacer, path.cwnd, path.rtt, path.startup_exit_cwnd == 0);
}

static void set_timer(struct h3_connection *c, enum packets packets) {
    uint64_t due_ns = UINT64_MAX;
    uint64_t timeout_ns = quiche_conn_timeout_as_nanos(c->quic);
    if (timeout_ns != UINT64_MAX) due_ns = clock_now_ns() + timeout_ns;
    if (packets == PACKETS_PACED && pacer_next_ns(&c->pacer) < due_ns) due_ns = pacer_next_ns(&c->pacer);
    if (c->burst_due_ns > 0 && c->burst_due_ns < due_ns) due_ns = c->burst_due_ns;
    if (due_ns == UINT64_MAX)
        loop_timer_clear(c->server->parts.loop, &c->timer);
    else
        loop_timer_set(c->server->parts.loop, &c->timer, due_ns);
}

static void send_all(struct h3_connection *c, uint64_t now_ns) {
    enum packets packets = PACKETS_WAIT;
    if (!c->burst_blocked) {
        update_pacer(c);
        bool given;
        do {
            given = c->http && (c->drained || c->fresh) && send_responses(c, now_ns);
            c->fresh = false;
            packets = send_packets(c);
            c->drained = packets == PACKETS_DRAINED;
        } while (given && c->drained);
        if (packets == PACKETS_PACED && c->http) not_application_limited(c);
    }
    set_timer(c, packets);
}

// --- connections

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
        snprintf(reason, size, "idle for %d s", IDLE_TIMEOUT_MS / 1000);
    } else {
        snprintf(reason, size, "the QUIC connection ended");
    }
    for (char *p = reason; *p; p++) // the client's own words: they go into JSON
        if (*p < ' ' || *p > '~') *p = '?';
}

static void leave_exchange(struct h3_connection *c, const char *reason, uint64_t now_ns) {
    if (!c->connection) return;
    while (c->requests)
        end_request(c, c->requests, false, now_ns);
    exchange_connection_close(c->connection, reason, now_ns);
    c->connection = NULL;
}

static void free_connection(struct h3_connection *c) {
    struct h3_server *server = c->server;
    loop_timer_clear(server->parts.loop, &c->timer);
    cid_table_remove(&server->cids, &c->scid);
    cid_table_remove(&server->cids, &c->first_dcid);
    if (c->previous)
        c->previous->next = c->next;
    else
        server->connections = c->next;
    if (c->next) c->next->previous = c->previous;
    if (c->http) quiche_h3_conn_free(c->http);
    quiche_conn_free(c->quic);
    free(c);
}

// A connection's turn; it may be gone afterwards.
static void turn(struct h3_connection *c, uint64_t now_ns) {
    if (!c->http && c->connection && quiche_conn_is_established(c->quic)) {
        exchange_connection_secured(c->connection, "TLSv1.3", "h3", quiche_conn_is_resumed(c->quic), now_ns);
        c->http = quiche_h3_conn_new_with_transport(c->quic, c->server->http_config);
        if (!c->http) quiche_conn_close(c->quic, true, H3_INTERNAL_ERROR, NULL, 0);
    }
    if (c->http && c->connection) read_events(c, now_ns);
    bool over = quiche_conn_is_closed(c->quic);
    if (over || quiche_conn_is_draining(c->quic)) {
        char reason[160];
        close_reason(c->quic, reason, sizeof reason);
        leave_exchange(c, reason, now_ns);
    }
    if (over)
        free_connection(c);
    else
        send_all(c, now_ns);
}

static void on_timer(void *context, uint64_t now_ns) {
    struct h3_connection *c = context;
    if (quiche_conn_timeout_as_nanos(c->quic) == 0) quiche_conn_on_timeout(c->quic);
    turn(c, now_ns);
}

static struct h3_connection *accept_connection(struct h3_server *server, const struct udp_packet *packet,
                                               const struct cid *dcid, uint64_t now_ns) {
    struct h3_connection *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->server = server;
    c->scid.size = SCID_BYTES;
    RAND_bytes(c->scid.bytes, SCID_BYTES);
    c->first_dcid = *dcid;
    c->drained = true;
    c->timer = (struct loop_timer){.due = on_timer, .context = c};
    c->paced = strncmp(server->parts.quic_congestion, "bbr", 3) != 0;
    pacer_init(&c->pacer, server->parts.quic_max_udp_payload, server->parts.quic_initcwnd_packets);
    char address[INET6_ADDRSTRLEN];
    const struct in6_addr *local = &packet->local.sin6_addr;
    if (IN6_IS_ADDR_V4MAPPED(local))
        inet_ntop(AF_INET, &local->s6_addr[12], address, sizeof address);
    else
        inet_ntop(AF_INET6, local, address, sizeof address);
    SSL *ssl = tls_new_quic(server->parts.tls, address);
    if (ssl) // quiche owns it from here, also when this fails
        c->quic = quiche_conn_new_with_tls(
            c->scid.bytes, SCID_BYTES, NULL, 0, (const struct sockaddr *)&packet->local, sizeof packet->local,
            (const struct sockaddr *)&packet->peer, sizeof packet->peer, server->config, ssl, true);
    if (!c->quic) {
        free(c);
        return NULL;
    }
    c->connection = exchange_connection_open(server->parts.site, LANE_H3, address,
                                             ntohs(packet->local.sin6_port), now_ns);
    if (!c->connection || cid_table_add(&server->cids, &c->scid, c) < 0 ||
        cid_table_add(&server->cids, &c->first_dcid, c) < 0) {
        if (c->connection) exchange_connection_close(c->connection, "memory is short", now_ns);
        cid_table_remove(&server->cids, &c->scid);
        quiche_conn_free(c->quic);
        free(c);
        return NULL;
    }
    c->next = server->connections;
    if (c->next) c->next->previous = c;
    server->connections = c;
    return c;
}

static void answer(struct h3_server *server, const struct udp_packet *packet, const uint8_t *bytes,
                   ssize_t size) {
    if (size <= 0) return;
    struct udp_burst burst = {packet->local, packet->peer, bytes, (size_t)size, (size_t)size};
    server->link.send(server->link.context, &burst); // no room: the client asks again
}

// The connection a packet is for; a new one if it is a client's first. NULL: the packet is dropped.
static struct h3_connection *route(struct h3_server *server, const struct udp_packet *packet,
                                   uint64_t now_ns) {
    struct cid scid = {0}, dcid = {0};
    uint32_t version;
    uint8_t type, token[256];
    size_t scid_size = CID_MAX, dcid_size = CID_MAX, token_size = sizeof token;
    if (quiche_header_info(packet->bytes, packet->size, SCID_BYTES, &version, &type, scid.bytes, &scid_size,
                           dcid.bytes, &dcid_size, token, &token_size) < 0)
        return NULL;
    dcid.size = (uint8_t)dcid_size;
    struct h3_connection *c = cid_table_find(&server->cids, &dcid);
    if (c || packet->size < QUICHE_MIN_CLIENT_INITIAL_LEN) return c;
    if (type == INITIAL_PACKET && quiche_version_is_supported(version)) {
        return dcid_size >= 8 ? accept_connection(server, packet, &dcid, now_ns) : NULL;
    }
    bool is_long = packet->bytes[0] & 0x80;
    if (is_long && version != 0 && !quiche_version_is_supported(version)) {
        uint8_t bytes[256];
        answer(server, packet, bytes,
               quiche_negotiate_version(scid.bytes, scid_size, dcid.bytes, dcid_size, bytes, sizeof bytes));
    }
    return NULL;
}

void h3_server_receive(struct h3_server *server, struct udp_packet *packets, size_t count) {
    uint64_t now_ns = clock_now_ns();
    for (size_t i = 0; i < count; i++) {
        struct h3_connection *c = route(server, &packets[i], now_ns);
        if (!c) continue;
        quiche_recv_info info = {(struct sockaddr *)&packets[i].peer, sizeof packets[i].peer,
                                 (struct sockaddr *)&packets[i].local, sizeof packets[i].local};
        quiche_conn_recv(c->quic, packets[i].bytes, packets[i].size, &info); // its errors show in the turn
        if (c->touched) continue;
        c->touched = true;
        c->touched_next = server->touched;
        server->touched = c;
    }
    while (server->touched) {
        struct h3_connection *c = server->touched;
        server->touched = c->touched_next;
        c->touched = false;
        turn(c, now_ns);
    }
}

void h3_server_writable(struct h3_server *server) {
    uint64_t now_ns = clock_now_ns();
    for (struct h3_connection *c = server->connections, *next; c; c = next) {
        next = c->next;
        if (!c->burst_blocked) continue;
        c->burst_blocked = false;
        if (send_burst(c)) turn(c, now_ns);
    }
}

static void received(void *context, struct udp_packet *packets, size_t count) {
    h3_server_receive(context, packets, count);
}

static void writable(void *context) {
    h3_server_writable(context);
}

static int send_udp(void *context, const struct udp_burst *burst) {
    return udp_send(context, burst);
}

static int configure(struct h3_server *server, char *error, size_t error_size) {
    quiche_config *config = server->config = quiche_config_new(QUICHE_PROTOCOL_VERSION);
    server->http_config = quiche_h3_config_new();
    if (!config || !server->http_config) {
        snprintf(error, error_size, "h3: memory is short");
        return -1;
    }
    if (quiche_config_set_cc_algorithm_name(config, server->parts.quic_congestion) < 0) {
        snprintf(error, error_size, "quic-congestion: must be cubic, reno or bbr2 (got \"%s\")",
                 server->parts.quic_congestion);
        return -1;
    }
    quiche_config_set_initial_congestion_window_packets(config, server->parts.quic_initcwnd_packets);
    quiche_config_set_max_idle_timeout(config, IDLE_TIMEOUT_MS);
    quiche_config_set_max_recv_udp_payload_size(config, RECEIVE_PAYLOAD_BYTES);
    quiche_config_set_max_send_udp_payload_size(config, server->parts.quic_max_udp_payload);
    quiche_config_set_initial_max_data(config, CONNECTION_WINDOW_BYTES);
    quiche_config_set_initial_max_stream_data_bidi_local(config, UPLOAD_WINDOW_BYTES);
    quiche_config_set_initial_max_stream_data_bidi_remote(config, UPLOAD_WINDOW_BYTES);
    quiche_config_set_initial_max_stream_data_uni(config, UPLOAD_WINDOW_BYTES);
    quiche_config_set_initial_max_streams_bidi(config, CONCURRENT_STREAMS);
    quiche_config_set_initial_max_streams_uni(config, CONTROL_STREAMS);
    quiche_config_set_disable_active_migration(config, true);
    quiche_h3_config_set_max_field_section_size(server->http_config, FIELDS_SIZE_MAX);
    return 0;
}

static int open_server(struct h3_server **out, const struct server_parts *parts, char *error,
                       size_t error_size) {
    struct h3_server *server = calloc(1, sizeof *server);
    if (!server) {
        snprintf(error, error_size, "h3: memory is short");
        return -1;
    }
    server->parts = *parts;
    if (configure(server, error, error_size) < 0) {
        h3_server_close(server);
        return -1;
    }
    *out = server;
    return 0;
}

int h3_server_open_on(struct h3_server **server, const struct server_parts *parts, const struct h3_link *link,
                      char *error, size_t error_size) {
    if (open_server(server, parts, error, error_size) < 0) return -1;
    (*server)->link = *link;
    return 0;
}

int h3_server_open(struct h3_server **out, const struct server_parts *parts, uint16_t port, char *error,
                   size_t error_size) {
    struct h3_server *server;
    if (open_server(&server, parts, error, error_size) < 0) return -1;
    struct udp_handler handler = {received, writable, server};
    if (udp_open(&server->udp, parts->loop, port, &handler, error, error_size) < 0) {
        h3_server_close(server);
        return -1;
    }
    server->link = (struct h3_link){send_udp, server->udp};
    *out = server;
    return 0;
}

void h3_server_close(struct h3_server *server) {
    if (!server) return;
    uint64_t now_ns = clock_now_ns();
    while (server->connections) {
        struct h3_connection *c = server->connections;
        leave_exchange(c, "the server stopped", now_ns);
        quiche_conn_close(c->quic, true, H3_NO_ERROR, NULL, 0);
        if (!c->burst_blocked) send_packets(c);
        free_connection(c);
    }
    cid_table_free(&server->cids);
    udp_close(server->udp);
    if (server->config) quiche_config_free(server->config);
    if (server->http_config) quiche_h3_config_free(server->http_config);
    free(server);
}

uint16_t h3_server_port(const struct h3_server *server) {
    return server->udp ? udp_port(server->udp) : 0;
}

const char *h3_library_version(void) {
    return quiche_version();
}

bool h3_has_congestion_control(const char *name) {
    quiche_config *config = quiche_config_new(QUICHE_PROTOCOL_VERSION);
    bool has = config && quiche_config_set_cc_algorithm_name(config, name) == 0;
    if (config) quiche_config_free(config);
    return has;
}
