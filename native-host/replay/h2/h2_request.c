// Requests as nghttp2 reports them: frames to exchanges, and what the client says of their priority (RFC
// 9218), at first and later. nghttp2 keeps an order by priorities too; ours is priority_scheduler.h's, so
// that it is h3's.
#include "base/clock.h"
#include "replay/h2/h2.h"
#include "replay/h2/h2_connection.h"

#include <stdlib.h>
#include <string.h>

void h2_request_end(struct h2_request *request, bool complete) {
    struct h2 *h2 = request->h2;
    if (request->exchange) exchange_end(request->exchange, complete, clock_now_ns());
    request->exchange = NULL;
    priority_scheduler_remove(&h2->order, &request->item);
    if (h2->turn == request) h2->turn = NULL;
}

// One at a time: nothing else may come between its HEADERS and CONTINUATION frames (RFC 9113, 6.10).
static void await_head(struct h2 *h2, struct h2_request *request) {
    h2->head_of = request;
    exchange_connection_awaits_head(h2->connection, request ? h2->now_ns : 0);
}

void h2_request_free(struct h2_request *request) {
    struct h2 *h2 = request->h2;
    h2_request_end(request, false);
    if (request->previous)
        request->previous->next = request->next;
    else
        h2->requests = request->next;
    if (request->next) request->next->previous = request->previous;
    if (h2->head_of == request) await_head(h2, NULL);
    fields_free(&request->fields);
    free(request);
}

int h2_parse_priority(const void *value, size_t size, uint8_t *urgency, bool *incremental) {
    nghttp2_extpri priority = {.urgency = *urgency, .inc = *incremental};
    if (nghttp2_extpri_parse_priority(&priority, value, size) < 0) return -1;
    *urgency = (uint8_t)priority.urgency;
    *incremental = priority.inc != 0;
    return 0;
}

// --- priorities

static void keep_early(struct h2 *h2, const struct h2_early_priority *priority) {
    size_t place = 0;
    while (place < h2->early_count && h2->early[place].id != priority->id)
        place++;
    if (place == H2_CONCURRENT_STREAMS) return; // more than it may have requests: as if it had sent none
    if (place == h2->early_count) h2->early_count++;
    h2->early[place] = *priority;
}

static bool take_early(struct h2 *h2, struct h2_request *request) {
    for (size_t i = 0; i < h2->early_count; i++) {
        if (h2->early[i].id != request->id) continue;
        request->item.urgency = h2->early[i].urgency;
        request->item.incremental = h2->early[i].incremental;
        h2->early[i] = h2->early[--h2->early_count];
        return true;
    }
    return false;
}

// A PRIORITY_UPDATE goes before the `priority` field (RFC 9218, 7), also when it came first.
static void set_priority(struct h2_request *request, const struct exchange_request *head) {
    request->item.urgency = URGENCY_DEFAULT;
    if (take_early(request->h2, request)) return;
    const struct header *field = fields_find(head, "priority");
    if (field)
        h2_parse_priority(field->value, field->value_size, &request->item.urgency,
                          &request->item.incremental);
}

// It says all of the priority: what its value leaves out goes back to the default. One that cannot be read
// changes nothing.
static void change_priority(struct h2 *h2, const nghttp2_ext_priority_update *update) {
    struct h2_early_priority priority = {update->stream_id, URGENCY_DEFAULT, false};
    if (h2_parse_priority(update->field_value, update->field_value_len, &priority.urgency,
                          &priority.incremental) < 0)
        return;
    struct h2_request *request = nghttp2_session_get_stream_user_data(h2->session, update->stream_id);
    if (request && request->fields.count == 0)
        priority_scheduler_change(&h2->order, &request->item, priority.urgency, priority.incremental);
    else if (update->stream_id > nghttp2_session_get_last_proc_stream_id(h2->session))
        keep_early(h2, &priority);
}

// --- frames

static int on_begin_headers(nghttp2_session *session, const nghttp2_frame *frame, void *context) {
    struct h2 *h2 = context;
    if (frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
    struct h2_request *request = calloc(1, sizeof *request);
    if (!request) return NGHTTP2_ERR_CALLBACK_FAILURE;
    request->h2 = h2;
    request->id = frame->hd.stream_id;
    request->next = h2->requests;
    if (request->next) request->next->previous = request;
    h2->requests = request;
    nghttp2_session_set_stream_user_data(session, frame->hd.stream_id, request);
    await_head(h2, request);
    return 0;
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                     size_t name_size, const uint8_t *value, size_t value_size, uint8_t flags,
                     void *context) {
    (void)flags, (void)context;
    if (frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0; // a trailer section
    struct h2_request *request = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
    if (!request) return 0;
    // Too large or no memory: the stream is reset, the connection lives.
    return fields_add(&request->fields, name, name_size, value, value_size) < 0
               ? NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE
               : 0;
}

// nghttp2 would go on without the field: the request is malformed (RFC 9113, 8.2.1), a PROTOCOL_ERROR of its
// stream.
static int on_invalid_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                             size_t name_size, const uint8_t *value, size_t value_size, uint8_t flags,
                             void *context) {
    (void)session, (void)frame, (void)name, (void)name_size, (void)value, (void)value_size, (void)flags;
    (void)context;
    return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
}

static int answer(struct h2_request *request) {
    struct h2 *h2 = request->h2;
    if (!exchange_fails(request->exchange)) {
        priority_scheduler_add(&h2->order, &request->item);
        return 0;
    }
    h2_request_end(request, false);
    return nghttp2_submit_rst_stream(h2->session, NGHTTP2_FLAG_NONE, request->id, NGHTTP2_INTERNAL_ERROR);
}

static int send_due(struct h2_request *request) {
    h2_hints_submit(request);
    return exchange_is_due(request->exchange) ? answer(request) : 0;
}

static void on_due(void *context) {
    struct h2_request *request = context;
    struct h2 *h2 = request->h2;
    h2->now_ns = clock_now_ns();
    send_due(request); // short of memory for its reset the request stays open
    h2_go_on(h2);
}

static int begin_exchange(struct h2_request *request) {
    struct h2 *h2 = request->h2;
    struct exchange_request head;
    await_head(h2, NULL);
    if (fields_request(&request->fields, &head) < 0)
        return nghttp2_submit_rst_stream(h2->session, NGHTTP2_FLAG_NONE, request->id, NGHTTP2_PROTOCOL_ERROR);
    request->exchange = exchange_begin(h2->connection, &head, h2->now_ns);
    set_priority(request, &head);
    fields_free(&request->fields);
    if (request->exchange) return 0;
    return nghttp2_submit_rst_stream(h2->session, NGHTTP2_FLAG_NONE, request->id, NGHTTP2_INTERNAL_ERROR);
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *context) {
    struct h2 *h2 = context;
    if (frame->hd.type == NGHTTP2_PRIORITY_UPDATE) {
        change_priority(h2, frame->ext.payload);
        return 0;
    }
    if (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA) return 0;
    struct h2_request *request = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
    if (!request) return 0;
    if (frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST) {
        int result = begin_exchange(request);
        if (result < 0 || !request->exchange) return result;
    }
    bool whole = frame->hd.flags & NGHTTP2_FLAG_END_STREAM && request->exchange;
    if (!whole) return 0;
    exchange_may_answer(request->exchange, h2->now_ns, on_due, request);
    return send_due(request);
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *bytes, size_t size,
                   void *context) {
    const struct h2_request *request = nghttp2_session_get_stream_user_data(session, id);
    (void)flags, (void)context;
    if (request && request->exchange) exchange_request_body(request->exchange, bytes, size);
    return 0;
}

static int on_stream_close(nghttp2_session *session, int32_t id, uint32_t error, void *context) {
    struct h2_request *request = nghttp2_session_get_stream_user_data(session, id);
    (void)error, (void)context;
    if (request) h2_request_free(request);
    return 0;
}

nghttp2_ssize h2_requests_read(struct h2 *h2, const uint8_t *bytes, size_t size) {
    size_t done = 0;
    for (size_t at = 0; at < size;) {
        nghttp2_frame_hd head;
        int32_t dependency;
        bool found;
        at += h2_heads_take(&h2->heads, bytes + at, size - at, &found, &head, &dependency);
        if (!found || head.type > NGHTTP2_PRIORITY) continue;
        // What came before decides which streams there are.
        nghttp2_ssize used = nghttp2_session_mem_recv2(h2->session, bytes + done, at - done);
        if (used < 0) return used;
        done = at;
        uint32_t error = h2_closed_frame(&h2->closed, h2->session, &head, dependency);
        if (error == NGHTTP2_NO_ERROR) continue;
        int result = nghttp2_session_terminate_session(h2->session, error);
        if (result < 0) return result;
    }
    return nghttp2_session_mem_recv2(h2->session, bytes + done, size - done);
}

void h2_requests_set_callbacks(nghttp2_session_callbacks *callbacks) {
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin_headers);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_invalid_header_callback(callbacks, on_invalid_header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_stream_close);
}
