// Requests as quiche's HTTP/3 reports them: events to exchanges, and what the client says of their priority
// (RFC 9218), at first and later. Does not answer them.
#include "base/clock.h"
#include "replay/exchange/fields.h"
#include "replay/h2/h2.h"
#include "replay/h3/h3_connection.h"

#include <stdlib.h>
#include <string.h>

// In one turn: more than a client may have streams.
enum { STREAM_ERRORS_MAX = 256 };

static struct h3_request *find_request(const struct h3_connection *c, uint64_t id) {
    struct h3_request *request = c->requests;
    while (request && request->id != id)
        request = request->next;
    return request;
}

void h3_request_end(struct h3_connection *c, struct h3_request *request, bool complete, uint64_t now_ns) {
    exchange_end(request->exchange, complete, now_ns);
    priority_scheduler_remove(&c->order, &request->item);
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

static void end_malformed(struct h3_connection *c, struct h3_request *request, uint64_t now_ns) {
    const uint64_t id = request->id;
    h3_request_end(c, request, false, now_ns);
    reset_stream(c, id, H3_MESSAGE_ERROR);
}

// A trailer section: it is not used, but a malformed one makes the request malformed (RFC 9114, 4.1.2).
static void check_trailers(struct h3_connection *c, struct h3_request *request, quiche_h3_event *event,
                           uint64_t now_ns) {
    struct fields fields = {0};
    if (quiche_h3_event_for_each_header(event, gather_field, &fields) != 0 || !fields_are_trailers(&fields))
        end_malformed(c, request, now_ns);
    fields_free(&fields);
}

static void begin_request(struct h3_connection *c, uint64_t id, quiche_h3_event *event, uint64_t now_ns) {
    struct fields fields = {0};
    struct exchange_request head;
    struct h3_request *request = NULL;
    uint64_t body_size = 0;
    int announced;
    if (quiche_h3_event_for_each_header(event, gather_field, &fields) != 0 ||
        fields_request(&fields, &head) < 0 || (announced = fields_content_length(&head, &body_size)) < 0) {
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
    request->connection = c;
    request->id = id;
    request->body_announced = announced;
    request->body_left = body_size;
    request->item.urgency = priority.urgency;
    request->item.incremental = priority.incremental;
    request->next = c->requests;
    if (request->next) request->next->previous = request;
    c->requests = request;
    fields_free(&fields);
}

static void take_body(struct h3_connection *c, uint64_t id, uint64_t now_ns) {
    struct h3_request *request = find_request(c, id);
    uint8_t bytes[16 * 1024];
    for (;;) {
        ssize_t size = quiche_h3_recv_body(c->http, c->quic, id, bytes, sizeof bytes);
        if (size <= 0) return;
        if (!request) continue;
        if (request->body_announced && (uint64_t)size > request->body_left) {
            end_malformed(c, request, now_ns);
            return;
        }
        request->body_left -= request->body_announced ? (uint64_t)size : 0;
        exchange_request_body(request->exchange, bytes, (size_t)size);
    }
}

static void change_priority(struct h3_connection *c, uint64_t id) {
    struct h3_request *request = find_request(c, id);
    if (!request) return; // quiche keeps it for the request to come
    struct priority priority = {.urgency = URGENCY_DEFAULT};
    quiche_h3_take_last_priority_update(c->http, id, take_priority, &priority);
    if (!priority.found) return;
    priority_scheduler_change(&c->order, &request->item, priority.urgency, priority.incremental);
    c->fresh = true;
    h3_response_reprioritized(c, request);
}

// The request may be gone after it.
static void respond(struct h3_request *request, uint64_t now_ns) {
    struct h3_connection *c = request->connection;
    c->fresh = true;
    if (!exchange_fails(request->exchange)) {
        priority_scheduler_add(&c->order, &request->item);
        return;
    }
    reset_stream(c, request->id, H3_INTERNAL_ERROR);
    h3_request_end(c, request, false, now_ns);
}

static void send_due(struct h3_request *request, uint64_t now_ns) {
    h3_hints_send(request->connection, request);
    if (exchange_is_due(request->exchange)) respond(request, now_ns);
}

static void on_due(void *context) {
    struct h3_request *request = context;
    struct h3_connection *c = request->connection;
    const uint64_t now_ns = clock_now_ns();
    send_due(request, now_ns);
    h3_connection_turn(c, now_ns);
}

// Its stream has come to an end: whole, or not (RFC 9114, 4.1 and 4.1.2).
static void finish_request(struct h3_connection *c, uint64_t id, uint64_t now_ns) {
    struct h3_request *request = find_request(c, id);
    if (!request)
        reset_stream(c, id, H3_REQUEST_INCOMPLETE); // no head; or reset before, which stays as it was
    else if (request->body_left > 0)
        end_malformed(c, request, now_ns);
    else {
        exchange_may_answer(request->exchange, now_ns, on_due, request);
        send_due(request, now_ns);
    }
}

// --- heads that are not whole

static size_t find_head(const struct h3_connection *c, uint64_t id) {
    size_t place = 0;
    while (place < c->head_count && c->heads[place].id != id)
        place++;
    return place;
}

// quiche's HTTP/3 says nothing of a head before it is whole; but its stream has something to read at first.
static void note_heads(struct h3_connection *c, uint64_t now_ns) {
    uint64_t id;
    quiche_stream_iter *readable = quiche_conn_readable(c->quic);
    while (readable && quiche_stream_iter_next(readable, &id)) {
        const bool is_request = id % 4 == 0; // RFC 9000, 2.1
        if (!is_request || c->head_count == QUIC_CONCURRENT_STREAMS || find_request(c, id) ||
            find_head(c, id) < c->head_count)
            continue;
        c->heads[c->head_count++] = (struct h3_head){id, now_ns};
    }
    quiche_stream_iter_free(readable);
}

// It is whole, or will never be.
static void forget_head(struct h3_connection *c, uint64_t id) {
    const size_t place = find_head(c, id);
    if (place == c->head_count) return;
    c->head_count--;
    memmove(c->heads + place, c->heads + place + 1, (c->head_count - place) * sizeof *c->heads);
}

void h3_requests_read(struct h3_connection *c, uint64_t now_ns) {
    const bool moves = quiche_conn_is_readable(c->quic);
    if (moves) note_heads(c, now_ns);
    quiche_h3_event *event;
    int64_t id;
    unsigned errors = 0;
    while ((id = quiche_h3_conn_poll(c->http, c->quic, &event)) != QUICHE_H3_ERR_DONE) {
        struct h3_request *request;
        // Of the connection: quiche has closed it, and is done. Of a stream, as one that ends within its type
        // (RFC 9114, 6.2): the others go on.
        if (id < 0 && ++errors <= STREAM_ERRORS_MAX) continue;
        if (id < 0) break;
        switch (quiche_h3_event_type(event)) {
        case QUICHE_H3_EVENT_HEADERS:
            forget_head(c, (uint64_t)id);
            request = find_request(c, (uint64_t)id);
            if (request)
                check_trailers(c, request, event, now_ns);
            else
                begin_request(c, (uint64_t)id, event, now_ns);
            break;
        case QUICHE_H3_EVENT_DATA:
            take_body(c, (uint64_t)id, now_ns);
            break;
        case QUICHE_H3_EVENT_FINISHED:
            forget_head(c, (uint64_t)id);
            finish_request(c, (uint64_t)id, now_ns);
            break;
        case QUICHE_H3_EVENT_RESET:
            forget_head(c, (uint64_t)id);
            request = find_request(c, (uint64_t)id);
            if (request) h3_request_end(c, request, false, now_ns);
            reset_stream(c, (uint64_t)id, H3_NO_ERROR);
            break;
        case QUICHE_H3_EVENT_PRIORITY_UPDATE:
            change_priority(c, (uint64_t)id);
            break;
        case QUICHE_H3_EVENT_GOAWAY:
            break; // the client opens no more; what it requested is still answered
        }
        quiche_h3_event_free(event);
    }
    if (moves) exchange_connection_awaits_head(c->connection, c->head_count > 0 ? c->heads[0].since_ns : 0);
}
