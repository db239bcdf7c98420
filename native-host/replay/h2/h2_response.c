// Responses as frames, in the order of priority_scheduler.h. nghttp2 has an order of its own; it is kept out
// of it: only the response whose turn it is may give it a body, any other one's is put off (DEFERRED) until
// its own turn. A head too goes to nghttp2 only then, as in h3, where it is part of the stream.
//
// A body's bytes are never copied here: nghttp2 gets the size of a DATA frame's payload (NO_COPY) and
// hands back only the frame's header; header and a pointer into the recording wait as pieces and go to TLS in
// one record. What the stream does not take holds up all turns, so which response comes next is decided as
// late as possible and an urgent one overtakes.
#include "replay/h2/h2_connection.h"

#include <stdlib.h>

enum {
    FRAME_HEADER_BYTES = 9,
    FRAME_WORTHWHILE_BYTES = 2048, // less room than this in a record: the next DATA frame opens another
};

// --- towards the stream

static void hand_over(struct h2 *h2) {
    if (h2_pieces_hand_over(&h2->out))
        exchange_connection_sent(h2->connection, stream_turn_ns(h2->out.stream));
}

static bool make_room(struct h2 *h2) {
    if (!h2_pieces_have_room(&h2->out)) hand_over(h2);
    return h2_pieces_have_room(&h2->out);
}

// For a body: also the stream is to have room, so that no body waits here that another could still pass by.
static bool make_room_for_body(struct h2 *h2) {
    return make_room(h2) && (h2->out.count > 0 || stream_has_room(h2->out.stream));
}

static nghttp2_ssize send_frame(nghttp2_session *session, const uint8_t *bytes, size_t size, int flags,
                                void *context) {
    struct h2 *h2 = context;
    (void)session, (void)flags;
    if (!make_room(h2)) return h2->out.failed ? NGHTTP2_ERR_CALLBACK_FAILURE : NGHTTP2_ERR_WOULDBLOCK;
    if (h2_pieces_copy(&h2->out, bytes, size) < 0) return NGHTTP2_ERR_CALLBACK_FAILURE;
    return (nghttp2_ssize)size;
}

// How long a DATA frame may be: it fills what waits up to a record, where that is worth a frame.
static nghttp2_ssize frame_size(nghttp2_session *session, uint8_t type, int32_t id, int32_t connection_window,
                                int32_t stream_window, uint32_t frame_max, void *context) {
    struct h2 *h2 = context;
    (void)session, (void)type, (void)id;
    make_room(h2);
    size_t room = h2_pieces_left(&h2->out);
    if (room < FRAME_WORTHWHILE_BYTES) room = stream_ahead_bytes(h2->out.stream);
    room -= FRAME_HEADER_BYTES;
    nghttp2_ssize size = (nghttp2_ssize)room;
    if (connection_window < size) size = connection_window;
    if (stream_window < size) size = stream_window;
    if ((nghttp2_ssize)frame_max < size) size = (nghttp2_ssize)frame_max;
    return size;
}

static nghttp2_ssize frame_payload(nghttp2_session *session, int32_t id, uint8_t *buffer, size_t size,
                                   uint32_t *flags, nghttp2_data_source *source, void *context) {
    const struct h2_request *request = source->ptr;
    struct h2 *h2 = context;
    (void)session, (void)id, (void)buffer;
    if (h2->turn != request || h2->turn_left == 0 || !make_room_for_body(h2)) return NGHTTP2_ERR_DEFERRED;
    size_t left;
    exchange_peek(request->exchange, &left);
    *flags |= NGHTTP2_DATA_FLAG_NO_COPY;
    if (size > h2->turn_left) size = h2->turn_left;
    if (left <= size) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return (nghttp2_ssize)(left < size ? left : size);
}

static int send_data(nghttp2_session *session, nghttp2_frame *frame, const uint8_t *header, size_t size,
                     nghttp2_data_source *source, void *context) {
    struct h2 *h2 = context;
    struct h2_request *request = source->ptr;
    (void)session, (void)frame;
    // frame_payload saw to the room.
    if (h2_pieces_copy(&h2->out, header, FRAME_HEADER_BYTES) < 0) return NGHTTP2_ERR_CALLBACK_FAILURE;
    size_t left;
    const uint8_t *body = exchange_peek(request->exchange, &left);
    h2_pieces_add(&h2->out, body, size);
    h2->turn_left -= size;
    exchange_take(request->exchange, size);
    if (size == left) h2_request_end(request, true);
    return 0;
}

static int on_frame_sent(nghttp2_session *session, const nghttp2_frame *frame, void *context) {
    struct h2 *h2 = context;
    if (frame->hd.type == NGHTTP2_RST_STREAM) h2_closed_reset(&h2->closed, frame->hd.stream_id);
    if (frame->hd.type != NGHTTP2_HEADERS) return 0;
    struct h2_request *request = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
    if (!request || !request->exchange) return 0;
    if (request->hints_queued > 0) {
        request->hints_queued--;
        return 0;
    }
    exchange_sending(request->exchange);
    // A response without a body is handed over with its head.
    if (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) h2_request_end(request, true);
    return 0;
}

// A response's head that nghttp2 refuses is reported at once: else the client would wait for it.
static int on_frame_not_sent(nghttp2_session *session, const nghttp2_frame *frame, int why, void *context) {
    (void)context;
    if (frame->hd.type != NGHTTP2_HEADERS || why == NGHTTP2_ERR_STREAM_CLOSED ||
        why == NGHTTP2_ERR_STREAM_CLOSING)
        return 0;
    return nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, frame->hd.stream_id, NGHTTP2_INTERNAL_ERROR);
}

void h2_responses_set_callbacks(nghttp2_session_callbacks *callbacks) {
    nghttp2_session_callbacks_set_send_callback2(callbacks, send_frame);
    nghttp2_session_callbacks_set_send_data_callback(callbacks, send_data);
    nghttp2_session_callbacks_set_data_source_read_length_callback2(callbacks, frame_size);
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, on_frame_sent);
    nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks, on_frame_not_sent);
}

// --- turns

// NULL when memory is short. Names and values stay where they are.
static nghttp2_nv *name_values(const struct response_fields *fields) {
    nghttp2_nv *list = malloc(fields->count * sizeof *list);
    for (size_t i = 0; list && i < fields->count; i++)
        list[i] = (nghttp2_nv){.name = (uint8_t *)(uintptr_t)fields->list[i].name,
                               .value = (uint8_t *)(uintptr_t)fields->list[i].value,
                               .namelen = fields->list[i].name_size,
                               .valuelen = fields->list[i].value_size};
    return list;
}

void h2_hints_submit(struct h2_request *request) {
    const struct recorded_hint *hint;
    while ((hint = exchange_hint(request->exchange))) {
        struct response_fields fields;
        nghttp2_nv *list = hint_fields_make(&fields, hint) < 0 ? NULL : name_values(&fields);
        // Skipped where memory is short.
        if (list && nghttp2_submit_headers(request->h2->session, NGHTTP2_FLAG_NONE, request->id, NULL, list,
                                           fields.count, NULL) == 0)
            request->hints_queued++;
        free(list);
        response_fields_free(&fields);
        exchange_hint_taken(request->exchange);
    }
}

static int respond(struct h2_request *request) {
    struct response_fields fields;
    if (response_fields_make(&fields, request->exchange) < 0) return NGHTTP2_ERR_NOMEM;
    nghttp2_nv *list = name_values(&fields);
    int result = list ? 0 : NGHTTP2_ERR_NOMEM;
    size_t body_size;
    exchange_peek(request->exchange, &body_size);
    nghttp2_data_provider2 body = {.source.ptr = request, .read_callback = frame_payload};
    if (list)
        result = nghttp2_submit_response2(request->h2->session, request->id, list, fields.count,
                                          body_size > 0 ? &body : NULL);
    free(list);
    response_fields_free(&fields);
    return result;
}

// A turn of priority_scheduler.h. The request may be gone at its end.
static enum sent send_turn(void *context, struct send_item *item) {
    struct h2 *h2 = context;
    struct h2_request *request = (struct h2_request *)item;
    if (h2->error < 0 || !make_room_for_body(h2)) return SENT_FULL;
    const size_t turn_bytes = priority_scheduler_turn_left(item);
    const bool head_now = !request->head_sent;
    h2->turn = request;
    h2->turn_left = turn_bytes;
    request->head_sent = true;
    if (head_now && respond(request) < 0)
        h2->error =
            nghttp2_submit_rst_stream(h2->session, NGHTTP2_FLAG_NONE, request->id, NGHTTP2_INTERNAL_ERROR);
    else if (!head_now) // where the client's window holds it up, nothing comes of it
        nghttp2_session_resume_data(h2->session, request->id);
    if (h2->error == 0) h2->error = nghttp2_session_send(h2->session);
    const bool over = h2->turn == NULL;
    h2->turn = NULL;
    if (over) return SENT_ALL;
    const size_t size = turn_bytes - h2->turn_left;
    if (priority_scheduler_took(item, size)) return SENT_TURN;
    if (h2->error < 0 || !make_room_for_body(h2)) return SENT_FULL;
    return head_now || size > 0 ? SENT_SOME : SENT_NOTHING;
}

void h2_responses_send(struct h2 *h2) {
    hand_over(h2);
    if (h2->out.failed) return;
    h2->error = nghttp2_session_send(h2->session);
    if (h2->error == 0) priority_scheduler_run(&h2->order, send_turn, h2);
    if (h2->error == 0) hand_over(h2);
}
