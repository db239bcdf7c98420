// A connection's turn, after packets came in or its timer ran out. First quiche's HTTP/3 events are read off:
// a request becomes an exchange when its head is whole, and a response when the request is (as in the other
// lanes). Then responses give quiche as much of their bodies as its congestion window takes, in the order of
// send_order.h; not while the pacer still holds back bytes given before, unless there is news: so the order
// is decided late, and an urgent response passes by the rest of a bulky one (quiche orders what it holds by
// the same priorities). Then quiche makes packets, while the pacer lets them go; a packet that quiche itself
// wants out later (its BBR paces) waits in the burst. At last one timer is set for whichever comes first:
// quiche's own, the pacer, the waiting packet.
#include "replay/h3.h"

#include "base/clock.h"
#include "replay/burst.h"
#include "replay/fields.h"
#include "replay/h2.h"
#include "replay/h3_long_head.h"
#include "replay/pacer.h"
#include "replay/send_order.h"

#include <arpa/inet.h>
#include <quiche.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TURN_BYTES = 16 * 1024,     // of an incremental response, before the next one's turn; an h2 frame's size
    QUICHE_FIRST_URGENCY = 124, // how quiche's h3 shifts urgency 0, so that it comes after its own streams
    AEAD_TAG_BYTES = 16,
    H3_NO_ERROR = 0x100,
    H3_INTERNAL_ERROR = 0x102,
    H3_MESSAGE_ERROR = 0x10e,
};
static const uint64_t RELEASE_EARLY_NS = 50 * NS_PER_US; // a timer is no more exact than that

struct h3_connection {
    const struct h3_owner *owner;
    const struct server_parts *parts;
    quiche_conn *quic;
    quiche_h3_conn *http;                   // NULL until the handshake is done
    struct exchange_connection *connection; // NULL once reported as closed
    struct h3_request *requests;
    struct send_order order;
    struct pacer pacer;
    bool drained; // quiche has made packets of all it was given
    bool fresh;   // a response has become ready, or changed its priority, since
    struct loop_timer timer;
    struct burst burst;
};

struct h3_request {
    struct send_item item; // first: the order's item is the request
    struct h3_request *previous;
    struct h3_request *next;
    uint64_t id;
    struct exchange *exchange;
    bool head_sent;
    bool framed_here;     // its head was too long for quiche: all of its stream is written here
    struct buf long_head; // what of it is left
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
    buf_free(&request->long_head);
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
    if (request->head_sent)
        quiche_conn_stream_priority(c->quic, id, (uint8_t)(request->item.urgency + QUICHE_FIRST_URGENCY),
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

// Each response says that its origin has h3 (RFC 7838), as those of real ones do. A browser that was forced
// onto h3 would else not know that the origin takes priorities: Chromium asks such a host for no more than
// six images at a time, which over h2 it never does.
static const char alternative_name[] = "alt-svc", alternative_value[] = "h3=\":443\"; ma=86400";
static const quiche_h3_header alternative_service = {
    (const uint8_t *)alternative_name, sizeof alternative_name - 1, (const uint8_t *)alternative_value,
    sizeof alternative_value - 1};

enum sent { SENT_ALL, SENT_SOME, SENT_NOTHING, SENT_FAILED };

// A stream that is framed here. SENT_ALL already with the head where there is no body.
static enum sent send_framed_here(struct h3_connection *c, struct h3_request *request) {
    size_t left;
    const bool in_head = buf_size(&request->long_head) > 0;
    const uint8_t *bytes = exchange_peek(request->exchange, &left);
    size_t size = request->item.incremental && left > TURN_BYTES ? TURN_BYTES : left;
    bool end = size == left;
    if (in_head) {
        bytes = buf_bytes(&request->long_head);
        size = buf_size(&request->long_head);
        end = left == 0;
    }
    uint64_t error;
    ssize_t taken = quiche_conn_stream_send(c->quic, request->id, bytes, size, end, &error);
    if (taken == QUICHE_ERR_DONE || taken == 0) return SENT_NOTHING;
    if (taken < 0) return SENT_FAILED;
    if (in_head)
        buf_drain(&request->long_head, (size_t)taken);
    else
        exchange_take(request->exchange, (size_t)taken, clock_now_ns());
    return end && (size_t)taken == size ? SENT_ALL : SENT_SOME;
}

// quiche has no room for the head: later, if its window may then have; else the stream is framed here.
static enum sent hold_head(struct h3_connection *c, struct h3_request *request, const quiche_h3_header *list,
                           size_t count, size_t body_size) {
    if (h3_head_can_go_whole(c->quic, list, count)) return SENT_NOTHING;
    if (h3_long_head_make(&request->long_head, list, count, body_size) < 0) return SENT_FAILED;
    quiche_conn_stream_priority(c->quic, request->id, (uint8_t)(request->item.urgency + QUICHE_FIRST_URGENCY),
                                request->item.incremental);
    request->framed_here = request->head_sent = true;
    return send_framed_here(c, request);
}

static enum sent send_head(struct h3_connection *c, struct h3_request *request) {
    struct response_fields fields;
    if (response_fields_make(&fields, request->exchange) < 0) return SENT_FAILED;
    quiche_h3_header *list = malloc((fields.count + 1) * sizeof *list);
    int result = QUICHE_H3_ERR_INTERNAL_ERROR;
    enum sent held = SENT_NOTHING;
    size_t left;
    exchange_peek(request->exchange, &left);
    if (list) {
        for (size_t i = 0; i < fields.count; i++)
            list[i] = (quiche_h3_header){(const uint8_t *)fields.list[i].name, fields.list[i].name_size,
                                         (const uint8_t *)fields.list[i].value, fields.list[i].value_size};
        list[fields.count] = alternative_service;
        quiche_h3_priority priority = {request->item.urgency, request->item.incremental};
        result = quiche_h3_send_response_with_priority(c->http, c->quic, request->id, list, fields.count + 1,
                                                       &priority, left == 0);
        if (result == QUICHE_H3_ERR_STREAM_BLOCKED)
            held = hold_head(c, request, list, fields.count + 1, left);
    }
    free(list);
    response_fields_free(&fields);
    if (result == QUICHE_H3_ERR_STREAM_BLOCKED || result == QUICHE_H3_ERR_DONE) return held;
    if (result < 0) return SENT_FAILED;
    request->head_sent = true;
    return left == 0 ? SENT_ALL : SENT_SOME;
}

static enum sent send_turn(struct h3_connection *c, struct h3_request *request) {
    if (request->framed_here) return send_framed_here(c, request);
    bool head_now = !request->head_sent;
    if (head_now) {
        enum sent sent = send_head(c, request);
        if (sent != SENT_SOME || request->framed_here) return sent;
    }
    size_t left;
    const uint8_t *body = exchange_peek(request->exchange, &left);
    size_t size = request->item.incremental && left > TURN_BYTES ? TURN_BYTES : left;
    ssize_t taken = quiche_h3_send_body(c->http, c->quic, request->id, body, size, size == left);
    if (taken == QUICHE_H3_ERR_DONE) return head_now ? SENT_SOME : SENT_NOTHING;
    if (taken < 0) return SENT_FAILED; // most often: the client does not want it any more
    exchange_take(request->exchange, (size_t)taken, clock_now_ns());
    return (size_t)taken == left ? SENT_ALL : SENT_SOME;
}

// Gives quiche what it takes. True if it took anything.
static bool send_responses(struct h3_connection *c) {
    bool any = false;
    struct send_item *item = send_order_first(&c->order);
    while (item) {
        struct h3_request *request = (struct h3_request *)item;
        struct send_item *next = send_order_next(&c->order, item);
        enum sent sent = send_turn(c, request);
        any |= sent != SENT_NOTHING;
        if (sent == SENT_SOME) {
            // Again until it finds no room: one that is incremental after its equals.
            send_order_turn(&c->order, item);
            if (!item->incremental || !next || next->urgency != item->urgency) next = item;
        } else if (sent == SENT_ALL) {
            end_request(c, request, true, clock_now_ns());
        } else if (sent == SENT_FAILED) {
            quiche_conn_stream_shutdown(c->quic, request->id, QUICHE_SHUTDOWN_WRITE, H3_INTERNAL_ERROR);
            end_request(c, request, false, clock_now_ns());
        }
        item = next;
    }
    return any;
}

// --- packets out

enum packets { PACKETS_DRAINED, PACKETS_PACED, PACKETS_WAIT };

static void address_in(struct sockaddr_in6 *out, const struct sockaddr_storage *in) {
    memcpy(out, in, sizeof *out); // all of ours are IPv6
    out->sin6_flowinfo = 0;
}

// Makes and sends packets until quiche has no more, the pacer wants a pause, or a packet has to wait.
static enum packets send_packets(struct h3_connection *c) {
    for (;;) {
        uint64_t now_ns = clock_now_ns();
        uint64_t due_by_ns = now_ns + RELEASE_EARLY_NS;
        bool may_send = !c->owner->settings->paced || pacer_may_send(&c->pacer, now_ns);
        uint8_t *place = may_send ? burst_place(&c->burst, c->parts->quic_max_udp_payload) : NULL;
        if (!place && !burst_flush(&c->burst, c->owner->link, due_by_ns)) return PACKETS_WAIT;
        if (!may_send) return PACKETS_PACED;
        if (!place) continue;
        quiche_send_info info;
        ssize_t size = quiche_conn_send(c->quic, place, c->parts->quic_max_udp_payload, &info);
        if (size <= 0)
            return burst_flush(&c->burst, c->owner->link, due_by_ns) ? PACKETS_DRAINED : PACKETS_WAIT;
        pacer_sent(&c->pacer, (size_t)size, now_ns);
        struct udp_burst packet = {.size = (size_t)size, .segment_size = (size_t)size};
        address_in(&packet.local, &info.from);
        address_in(&packet.peer, &info.to);
        uint64_t due_ns = (uint64_t)info.at.tv_sec * NS_PER_S + (uint64_t)info.at.tv_nsec;
        burst_add(&c->burst, &packet, due_ns > due_by_ns ? due_ns : 0);
    }
}

// Asks quiche for a packet into too little room. It makes none, but takes note that the application is not
// what limits: without that the window would not grow while the pacer holds packets back.
static void not_application_limited(struct h3_connection *c) {
    const uint8_t *dcid;
    size_t dcid_size;
    uint8_t room[1 + CID_MAX + AEAD_TAG_BYTES];
    quiche_send_info info;
    quiche_conn_destination_id(c->quic, &dcid, &dcid_size);
    if (dcid_size <= CID_MAX) quiche_conn_send(c->quic, room, 1 + dcid_size + AEAD_TAG_BYTES, &info);
}

static void update_pacer(struct h3_connection *c) {
    quiche_path_stats path;
    if (c->owner->settings->paced && quiche_conn_path_stats(c->quic, 0, &path) == 0)
        pacer_update(&c->pacer, path.cwnd, path.rtt, path.startup_exit_cwnd == 0);
}

static void set_timer(struct h3_connection *c, enum packets packets) {
    uint64_t due_ns = UINT64_MAX;
    uint64_t timeout_ns = quiche_conn_timeout_as_nanos(c->quic);
    if (timeout_ns != UINT64_MAX) due_ns = clock_now_ns() + timeout_ns;
    if (packets == PACKETS_PACED && pacer_next_ns(&c->pacer) < due_ns) due_ns = pacer_next_ns(&c->pacer);
    if (c->burst.due_ns > 0 && c->burst.due_ns < due_ns) due_ns = c->burst.due_ns;
    if (due_ns == UINT64_MAX)
        loop_timer_clear(c->parts->loop, &c->timer);
    else
        loop_timer_set(c->parts->loop, &c->timer, due_ns);
}

static void send_all(struct h3_connection *c) {
    enum packets packets = PACKETS_WAIT;
    if (!c->burst.no_room) {
        update_pacer(c);
        bool may_give, given;
        do {
            may_give = c->http && (c->drained || c->fresh);
            given = may_give && send_responses(c);
            c->fresh = false;
            packets = send_packets(c);
            c->drained = packets == PACKETS_DRAINED;
        } while (c->drained && (given || (c->http && !may_give))); // drained just now: quiche may take more
        if (packets == PACKETS_PACED && c->http) not_application_limited(c);
    }
    set_timer(c, packets);
}

// --- the connection

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

static void leave_exchange(struct h3_connection *c, const char *reason, uint64_t now_ns) {
    if (!c->connection) return;
    while (c->requests)
        end_request(c, c->requests, false, now_ns);
    exchange_connection_close(c->connection, reason, now_ns);
    c->connection = NULL;
}

void h3_connection_receive(struct h3_connection *c, const struct udp_packet *packet) {
    struct sockaddr_in6 peer = packet->peer, local = packet->local;
    quiche_recv_info info = {(struct sockaddr *)&peer, sizeof peer, (struct sockaddr *)&local, sizeof local};
    quiche_conn_recv(c->quic, packet->bytes, packet->size, &info); // its errors show in the turn
}

void h3_connection_turn(struct h3_connection *c, uint64_t now_ns) {
    if (!c->http && c->connection && quiche_conn_is_established(c->quic)) {
        exchange_connection_secured(c->connection, "TLSv1.3", "h3", quiche_conn_is_resumed(c->quic), now_ns);
        c->http = quiche_h3_conn_new_with_transport(c->quic, c->owner->settings->http);
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
        c->owner->over(c->owner->context);
    else
        send_all(c);
}

void h3_connection_go_on(struct h3_connection *c, uint64_t now_ns) {
    if (!c->burst.no_room) return;
    c->burst.no_room = false;
    h3_connection_turn(c, now_ns);
}

static void on_timer(void *context, uint64_t now_ns) {
    struct h3_connection *c = context;
    if (quiche_conn_timeout_as_nanos(c->quic) == 0) quiche_conn_on_timeout(c->quic);
    h3_connection_turn(c, now_ns);
}

static void address_text(const struct in6_addr *address, char text[INET6_ADDRSTRLEN]) {
    if (IN6_IS_ADDR_V4MAPPED(address))
        inet_ntop(AF_INET, &address->s6_addr[12], text, INET6_ADDRSTRLEN);
    else
        inet_ntop(AF_INET6, address, text, INET6_ADDRSTRLEN);
}

// Named by the id that the client uses for the connection, as other tools have it.
static void start_qlog(struct h3_connection *c, const struct cid *scid) {
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/", c->parts->qlog_folder);
    for (size_t i = 0; i < scid->size && n < (int)sizeof path - 16; i++)
        n += snprintf(path + n, sizeof path - (size_t)n, "%02x", scid->bytes[i]);
    snprintf(path + n, sizeof path - (size_t)n, ".sqlog");
    quiche_conn_set_qlog_path(c->quic, path, "trilane-replay", "");
}

struct h3_connection *h3_connection_open(const struct h3_owner *owner, const struct cid *scid,
                                         const struct udp_packet *packet, uint64_t now_ns) {
    const struct server_parts *parts = owner->settings->parts;
    struct h3_connection *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->owner = owner;
    c->parts = parts;
    c->drained = true;
    c->timer = (struct loop_timer){.due = on_timer, .context = c};
    pacer_init(&c->pacer, parts->quic_max_udp_payload, parts->quic_initcwnd_packets);
    char address[INET6_ADDRSTRLEN];
    address_text(&packet->local.sin6_addr, address);
    SSL *ssl = tls_new_quic(parts->tls, address);
    if (ssl) // quiche owns it from here, also when this fails
        c->quic = quiche_conn_new_with_tls(
            scid->bytes, scid->size, NULL, 0, (const struct sockaddr *)&packet->local, sizeof packet->local,
            (const struct sockaddr *)&packet->peer, sizeof packet->peer, owner->settings->quic, ssl, true);
    if (c->quic)
        c->connection =
            exchange_connection_open(parts->site, LANE_H3, address, ntohs(packet->local.sin6_port), now_ns);
    if (c->connection && parts->qlog_folder) start_qlog(c, scid);
    if (c->connection) return c;
    if (c->quic) quiche_conn_free(c->quic);
    free(c);
    return NULL;
}

void h3_connection_close(struct h3_connection *c, uint64_t now_ns) {
    leave_exchange(c, "the server stopped", now_ns);
    if (!quiche_conn_is_closed(c->quic) && !c->burst.no_room) {
        quiche_conn_close(c->quic, true, H3_NO_ERROR, NULL, 0);
        send_packets(c);
    }
    loop_timer_clear(c->parts->loop, &c->timer);
    if (c->http) quiche_h3_conn_free(c->http);
    quiche_conn_free(c->quic);
    free(c);
}
