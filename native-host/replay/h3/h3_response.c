// Responses into quiche, in the order of priority_scheduler.h, until its congestion window is full. Makes no
// packets.
//
// quiche sends what it holds in an order of its own: by urgency, then by the ids of streams, incremental ones
// in turns of a packet. So that it sends in the order of giving, each stream gets a place of its own behind
// the others of its urgency, and in one round no more than what may leave in one piece.
#include "base/clock.h"
#include "replay/exchange/fields.h"
#include "replay/h3/h3_connection.h"

#include <stdlib.h>
#include <string.h>

// Each response says that its origin has h3 (RFC 7838), as those of real ones do. A browser that was forced
// onto h3 would else not know that the origin takes priorities: Chromium asks such a host for no more than
// six images at a time, which over h2 it never does.
static quiche_h3_header alternative_service(const struct h3_connection *c) {
    static const char name[] = "alt-svc";
    return (quiche_h3_header){(const uint8_t *)name, sizeof name - 1, (const uint8_t *)c->alternative_service,
                              strlen(c->alternative_service)};
}

static void set_place(const struct h3_connection *c, const struct h3_request *request, unsigned place) {
    const unsigned urgency = H3_QUICHE_FIRST_URGENCY + request->item.urgency * H3_QUICHE_PLACES + place;
    quiche_conn_stream_priority(c->quic, request->id, (uint8_t)urgency, false);
}

// Behind all that quiche holds of its urgency, unless it has a place there.
static void take_place(struct h3_connection *c, struct h3_request *request) {
    if (request->round == c->round) return;
    request->round = c->round;
    set_place(c, request, c->places[request->item.urgency]++);
}

void h3_response_reprioritized(struct h3_connection *c, struct h3_request *request) {
    if (!request->head_sent) return;
    set_place(c, request, H3_QUICHE_PLACES - 1);
    request->round = 0;
}

// Whether quiche would send it in its order, after all that it holds.
static bool has_place(const struct h3_connection *c, const struct h3_request *request) {
    const struct send_item *item = &request->item;
    if (request->round != c->round) return c->places[item->urgency] < H3_QUICHE_PLACES;
    const bool alone = !item->previous && !item->next && c->places[item->urgency] == 1;
    return !item->incremental || alone || item->turn_taken_bytes > 0;
}

// How much more quiche is to get: what the window has room for, less what it holds already. quiche itself
// would take as many bytes at each acknowledgement as the window then has room for, whatever it still holds:
// with the packets' own bytes not all of them find room, so what stays behind would grow with each round
// trip, and an urgent response could not pass it by.
static size_t share_of_window(const struct h3_connection *c) {
    const size_t room_bytes = h3_window_room(c);
    const size_t share = room_bytes > c->sender.held_bytes ? room_bytes - c->sender.held_bytes : 0;
    return share > c->least_bytes ? share : c->least_bytes;
}

// How much of its body quiche is to get now; 0: nothing.
static size_t body_size_now(const struct h3_connection *c, const struct h3_request *request, size_t left) {
    const size_t turn_left = priority_scheduler_turn_left(&request->item), share = share_of_window(c);
    const size_t size = left < turn_left ? left : turn_left;
    return size < share ? size : share;
}

// quiche has taken so much of the body, of which so much was left.
static enum sent sent_body(struct h3_request *request, size_t size, size_t left) {
    exchange_take(request->exchange, size);
    if (size == left) return SENT_ALL;
    return priority_scheduler_took(&request->item, size) ? SENT_TURN : SENT_SOME;
}

// ---- A response whose head is larger than the congestion window. quiche sends a head whole or not at all,
// and into an idle connection's window, which does not grow while nothing is sent, such a one never goes. So
// it is framed here (RFC 9114, 7.2; RFC 9204, 4.5: literals only) and given to quiche as bytes of the stream,
// as much at a time as it takes.

enum { FRAME_DATA = 0x00, FRAME_HEADERS = 0x01 };

// A literal field line with a literal name (RFC 9204, 4.5.6), neither in Huffman's code.
enum { LITERAL_NAME = 0x20, NAME_PREFIX_BITS = 3, VALUE_PREFIX_BITS = 7 };

// What the lengths of a field line take at most, and a frame's head.
enum { FIELD_OVERHEAD_BYTES = 8, FRAME_OVERHEAD_BYTES = 16 };

// Whether such a head fits the congestion window and the client's for a stream when nothing else is on its
// way.
static bool head_can_go_whole(struct h3_connection *c, const quiche_h3_header *fields, size_t count) {
    size_t size = FRAME_OVERHEAD_BYTES;
    for (size_t i = 0; i < count; i++)
        size += fields[i].name_len + fields[i].value_len + FIELD_OVERHEAD_BYTES;
    quiche_path_stats path;
    quiche_transport_params client;
    return quiche_paths_active(&c->sender.paths, c->quic, &path) && size <= path.cwnd &&
           quiche_conn_peer_transport_params(c->quic, &client) &&
           size <= client.peer_initial_max_stream_data_bidi_local;
}

// RFC 9000, 16.
static int add_varint(struct buf *out, uint64_t value) {
    uint8_t bytes[8];
    size_t size = value < 1 << 6 ? 1 : value < 1 << 14 ? 2 : value < 1 << 30 ? 4 : 8;
    for (size_t i = size; i > 0; i--) {
        bytes[i - 1] = (uint8_t)value;
        value >>= 8;
    }
    bytes[0] |= (uint8_t)((size == 1 ? 0u : size == 2 ? 1u : size == 4 ? 2u : 3u) << 6);
    return buf_add(out, bytes, size);
}

// RFC 7541, 5.1; `first` holds the bits before the prefix.
static int add_prefixed(struct buf *out, uint8_t first, unsigned prefix_bits, size_t value) {
    uint8_t bytes[16];
    size_t size = 0;
    const size_t most = (1u << prefix_bits) - 1;
    bytes[size++] = (uint8_t)(first | (value < most ? value : most));
    if (value >= most) {
        for (value -= most; value >= 128; value >>= 7)
            bytes[size++] = (uint8_t)(value | 128);
        bytes[size++] = (uint8_t)value;
    }
    return buf_add(out, bytes, size);
}

static int add_section(struct buf *out, const quiche_h3_header *fields, size_t count) {
    static const uint8_t no_dynamic_table[] = {0, 0};
    int result = buf_add(out, no_dynamic_table, sizeof no_dynamic_table);
    for (size_t i = 0; i < count && result == 0; i++) {
        const quiche_h3_header *field = &fields[i];
        if (add_prefixed(out, LITERAL_NAME, NAME_PREFIX_BITS, field->name_len) < 0 ||
            buf_add(out, field->name, field->name_len) < 0 ||
            add_prefixed(out, 0, VALUE_PREFIX_BITS, field->value_len) < 0 ||
            buf_add(out, field->value, field->value_len) < 0)
            result = -1;
    }
    return result;
}

// The HEADERS frame, and the head of the DATA frame of all the body where there is one. 0, or -1 when memory
// is short.
static int long_head_make(struct buf *out, const quiche_h3_header *fields, size_t count, uint64_t body_size) {
    struct buf section = {0};
    int result = add_section(&section, fields, count);
    if (result == 0 && (add_varint(out, FRAME_HEADERS) < 0 || add_varint(out, buf_size(&section)) < 0 ||
                        buf_add(out, buf_bytes(&section), buf_size(&section)) < 0))
        result = -1;
    if (result == 0 && body_size > 0 && (add_varint(out, FRAME_DATA) < 0 || add_varint(out, body_size) < 0))
        result = -1;
    buf_free(&section);
    return result;
}

// A stream that is framed here. SENT_ALL already with the head where there is no body.
static enum sent send_framed_here(struct h3_connection *c, struct h3_request *request) {
    size_t left;
    const bool in_head = buf_size(&request->long_head) > 0;
    const uint8_t *bytes = exchange_peek(request->exchange, &left);
    size_t size = body_size_now(c, request, left);
    bool end = size == left;
    if (in_head) {
        bytes = buf_bytes(&request->long_head);
        size = buf_size(&request->long_head);
        end = left == 0;
    }
    if (size == 0) return SENT_NOTHING;
    uint64_t error;
    ssize_t taken = quiche_conn_stream_send(c->quic, request->id, bytes, size, end, &error);
    if (taken == QUICHE_ERR_DONE || taken == 0) return SENT_NOTHING;
    if (taken < 0) return SENT_FAILED;
    if (in_head) {
        buf_drain(&request->long_head, (size_t)taken);
        return end && (size_t)taken == size ? SENT_ALL : SENT_SOME;
    }
    return sent_body(request, (size_t)taken, left);
}

// quiche has no room for the head: later, if its window may then have; else the stream is framed here.
static enum sent hold_head(struct h3_connection *c, struct h3_request *request, const quiche_h3_header *list,
                           size_t count, size_t body_size) {
    if (head_can_go_whole(c, list, count)) return SENT_NOTHING;
    if (long_head_make(&request->long_head, list, count, body_size) < 0) return SENT_FAILED;
    request->framed_here = request->head_sent = true;
    take_place(c, request);
    exchange_sending(request->exchange);
    return send_framed_here(c, request);
}

// ---- Heads and bodies

// NULL when memory is short. With room for one more.
static quiche_h3_header *header_list(const struct response_fields *fields) {
    quiche_h3_header *list = malloc((fields->count + 1) * sizeof *list);
    for (size_t i = 0; list && i < fields->count; i++)
        list[i] = (quiche_h3_header){(const uint8_t *)fields->list[i].name, fields->list[i].name_size,
                                     (const uint8_t *)fields->list[i].value, fields->list[i].value_size};
    return list;
}

// What quiche has taken since it had so much room.
static void count_given(struct h3_connection *c, ssize_t before) {
    const ssize_t after = quiche_conn_stream_capacity(c->quic, H3_CONTROL_STREAM);
    if (before <= after || after < 0) return;
    c->given_bytes += (size_t)(before - after);
    c->sender.held_bytes += (size_t)(before - after);
    c->least_bytes = 0;
}

// False: quiche has no room for it now. One that it refuses for another reason is gone.
static bool send_hint(struct h3_connection *c, struct h3_request *request, const struct recorded_hint *hint) {
    struct response_fields fields;
    quiche_h3_header *list = hint_fields_make(&fields, hint) < 0 ? NULL : header_list(&fields);
    int result = QUICHE_H3_ERR_INTERNAL_ERROR;
    if (list && request->hinted)
        result = quiche_h3_send_additional_headers(c->http, c->quic, request->id, list, fields.count, false,
                                                   false);
    else if (list)
        result = quiche_h3_send_response(c->http, c->quic, request->id, list, fields.count, false);
    free(list);
    response_fields_free(&fields);
    if (result == QUICHE_H3_ERR_STREAM_BLOCKED || result == QUICHE_H3_ERR_DONE) return false;
    request->hinted |= result >= 0;
    return true;
}

void h3_hints_send(struct h3_connection *c, struct h3_request *request) {
    const struct recorded_hint *hint;
    const ssize_t before = quiche_conn_stream_capacity(c->quic, H3_CONTROL_STREAM);
    while (!request->head_sent && (hint = exchange_hint(request->exchange))) {
        if (!send_hint(c, request, hint)) {
            c->hints_wait = true;
            break;
        }
        exchange_hint_taken(request->exchange);
    }
    count_given(c, before);
}

static enum sent send_head(struct h3_connection *c, struct h3_request *request) {
    struct response_fields fields;
    if (response_fields_make(&fields, request->exchange) < 0) return SENT_FAILED;
    quiche_h3_header *list = header_list(&fields);
    int result = QUICHE_H3_ERR_INTERNAL_ERROR;
    enum sent held = SENT_NOTHING;
    size_t left;
    exchange_peek(request->exchange, &left);
    if (list) {
        list[fields.count] = alternative_service(c);
        quiche_h3_priority priority = {request->item.urgency, request->item.incremental};
        result = request->hinted
                     ? quiche_h3_send_additional_headers(c->http, c->quic, request->id, list,
                                                         fields.count + 1, false, left == 0)
                     : quiche_h3_send_response_with_priority(c->http, c->quic, request->id, list,
                                                             fields.count + 1, &priority, left == 0);
        if (result == QUICHE_H3_ERR_STREAM_BLOCKED)
            held = hold_head(c, request, list, fields.count + 1, left);
    }
    free(list);
    response_fields_free(&fields);
    if (result == QUICHE_H3_ERR_STREAM_BLOCKED || result == QUICHE_H3_ERR_DONE) return held;
    if (result < 0) return SENT_FAILED;
    request->head_sent = true;
    take_place(c, request);
    exchange_sending(request->exchange);
    return left == 0 ? SENT_ALL : SENT_SOME;
}

static enum sent send_some(struct h3_connection *c, struct h3_request *request) {
    if (request->framed_here) return send_framed_here(c, request);
    bool head_now = !request->head_sent;
    if (head_now) {
        enum sent sent = send_head(c, request);
        if (sent != SENT_SOME || request->framed_here) return sent;
    }
    size_t left;
    const uint8_t *body = exchange_peek(request->exchange, &left);
    size_t size = body_size_now(c, request, left);
    if (size == 0) return head_now ? SENT_SOME : SENT_NOTHING;
    ssize_t taken = quiche_h3_send_body(c->http, c->quic, request->id, body, size, size == left);
    if (taken == QUICHE_H3_ERR_DONE) return head_now ? SENT_SOME : SENT_NOTHING;
    if (taken < 0) return SENT_FAILED; // most often: the client does not want it any more
    return sent_body(request, (size_t)taken, left);
}

// A turn of priority_scheduler.h.
static enum sent send_turn(void *context, struct send_item *item) {
    struct h3_connection *c = context;
    struct h3_request *request = (struct h3_request *)item;
    if (!has_place(c, request) || share_of_window(c) == 0) return SENT_FULL;
    if (request->head_sent) take_place(c, request);
    const ssize_t before = quiche_conn_stream_capacity(c->quic, H3_CONTROL_STREAM);
    enum sent sent = send_some(c, request);
    count_given(c, before);
    c->given |= sent != SENT_NOTHING;
    if (sent == SENT_FAILED)
        quiche_conn_stream_shutdown(c->quic, request->id, QUICHE_SHUTDOWN_WRITE, H3_INTERNAL_ERROR);
    if (sent == SENT_ALL || sent == SENT_FAILED) h3_request_end(c, request, sent == SENT_ALL, clock_now_ns());
    return sent;
}

bool h3_responses_send(struct h3_connection *c) {
    c->given = false;
    if (c->hints_wait) {
        c->hints_wait = false;
        for (struct h3_request *request = c->requests; request; request = request->next)
            h3_hints_send(c, request);
    }
    priority_scheduler_run(&c->order, send_turn, c);
    return c->given;
}
