// A body's bytes are never copied here: nghttp2 is told the size of a DATA frame's payload (NO_COPY) and
// hands back only the frame's header; header and a pointer into the recording wait as pieces and go to TLS in
// one record. What the stream does not take holds up nghttp2 (WOULDBLOCK), so which response comes next is
// decided as late as possible and an urgent one overtakes.
#include "replay/h2.h"

#include "base/buf.h"
#include "base/clock.h"
#include "replay/fields.h"

#include <nghttp2/nghttp2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FRAME_HEADER_BYTES = 9,
    RECORD_BYTES = 16 * 1024,      // what waits for the stream: one TLS record
    FRAME_WORTHWHILE_BYTES = 2048, // less room than this in a record: the next DATA frame opens another
    PIECES_MAX = 64,
    CONCURRENT_STREAMS = 100,
    UPLOAD_WINDOW_BYTES = 1024 * 1024, // of a stream; as h3's
    CONNECTION_WINDOW_BYTES = 10 * 1024 * 1024,
    READ_BYTES = 16 * 1024,
    HEAD_BYTES_MAX = 16 * 1024 * 1024, // of a response; nghttp2's own limit is 64 KiB
};

// Bytes on their way to the stream: in `control` (body is NULL) or in the recording.
struct piece {
    const uint8_t *body;
    size_t size;
};

struct h2 {
    nghttp2_session *session;
    struct stream *stream;
    struct exchange_connection *connection;
    struct h2_request *requests;
    struct buf control;
    struct piece pieces[PIECES_MAX];
    int piece_count;
    size_t waiting_bytes; // in all pieces
    bool failed;          // the stream is no more
    uint64_t now_ns;      // of this turn, or of the last frame that was handed over in it
};

struct h2_request {
    struct h2 *h2;
    int32_t id;
    struct h2_request *previous;
    struct h2_request *next;
    struct fields fields;      // until the request's head is whole
    struct exchange *exchange; // from then until all is handed over
};

static void request_end(struct h2 *h2, struct h2_request *request, bool complete) {
    if (request->exchange) exchange_end(request->exchange, complete, h2->now_ns);
    request->exchange = NULL;
}

static void request_free(struct h2 *h2, struct h2_request *request) {
    request_end(h2, request, false);
    if (request->previous)
        request->previous->next = request->next;
    else
        h2->requests = request->next;
    if (request->next) request->next->previous = request->previous;
    fields_free(&request->fields);
    free(request);
}

static void h2_free(struct h2 *h2, const char *reason) {
    while (h2->requests)
        request_free(h2, h2->requests);
    exchange_connection_close(h2->connection, reason, h2->now_ns);
    nghttp2_session_del(h2->session);
    buf_free(&h2->control);
    free(h2);
}

// --- towards the stream

static void drop_front(struct h2 *h2, size_t size) {
    h2->waiting_bytes -= size;
    int gone = 0;
    while (size > 0) {
        struct piece *piece = &h2->pieces[gone];
        size_t part = size < piece->size ? size : piece->size;
        if (piece->body)
            piece->body += part;
        else
            buf_drain(&h2->control, part);
        piece->size -= part;
        size -= part;
        if (piece->size == 0) gone++;
    }
    h2->piece_count -= gone;
    memmove(h2->pieces, h2->pieces + gone, (size_t)h2->piece_count * sizeof *h2->pieces);
}

// Hands over what waits, as far as the stream takes it.
static void hand_over(struct h2 *h2) {
    while (h2->piece_count > 0 && !h2->failed) {
        struct iovec pieces[PIECES_MAX];
        const uint8_t *control = buf_bytes(&h2->control);
        for (int i = 0; i < h2->piece_count; i++) {
            const struct piece *piece = &h2->pieces[i];
            pieces[i] = (struct iovec){(void *)(uintptr_t)(piece->body ? piece->body : control), piece->size};
            if (!piece->body) control += piece->size;
        }
        ssize_t taken = stream_writev(h2->stream, pieces, h2->piece_count);
        if (taken == STREAM_AGAIN) return;
        if (taken <= 0)
            h2->failed = true;
        else
            drop_front(h2, (size_t)taken);
    }
}

static bool has_room(struct h2 *h2) {
    if (h2->waiting_bytes >= RECORD_BYTES || h2->piece_count > PIECES_MAX - 2) hand_over(h2);
    return !h2->failed && h2->waiting_bytes < RECORD_BYTES && h2->piece_count <= PIECES_MAX - 2;
}

static int add_control(struct h2 *h2, const uint8_t *bytes, size_t size) {
    if (buf_add(&h2->control, bytes, size) < 0) return -1;
    struct piece *last = h2->piece_count > 0 ? &h2->pieces[h2->piece_count - 1] : NULL;
    if (last && !last->body)
        last->size += size;
    else
        h2->pieces[h2->piece_count++] = (struct piece){NULL, size};
    h2->waiting_bytes += size;
    return 0;
}

static nghttp2_ssize send_frame(nghttp2_session *session, const uint8_t *bytes, size_t size, int flags,
                                void *context) {
    struct h2 *h2 = context;
    (void)session, (void)flags;
    if (!has_room(h2)) return h2->failed ? NGHTTP2_ERR_CALLBACK_FAILURE : NGHTTP2_ERR_WOULDBLOCK;
    if (add_control(h2, bytes, size) < 0) return NGHTTP2_ERR_CALLBACK_FAILURE;
    return (nghttp2_ssize)size;
}

// How long a DATA frame may be: it fills the record that waits, where that is worth a frame.
static nghttp2_ssize frame_size(nghttp2_session *session, uint8_t type, int32_t id, int32_t connection_window,
                                int32_t stream_window, uint32_t frame_max, void *context) {
    const struct h2 *h2 = context;
    (void)session, (void)type, (void)id;
    size_t room = h2->waiting_bytes + FRAME_HEADER_BYTES < RECORD_BYTES
                      ? RECORD_BYTES - FRAME_HEADER_BYTES - h2->waiting_bytes
                      : 0;
    if (room < FRAME_WORTHWHILE_BYTES) room = RECORD_BYTES - FRAME_HEADER_BYTES;
    nghttp2_ssize size = (nghttp2_ssize)room;
    if (connection_window < size) size = connection_window;
    if (stream_window < size) size = stream_window;
    if ((nghttp2_ssize)frame_max < size) size = (nghttp2_ssize)frame_max;
    return size;
}

static nghttp2_ssize frame_payload(nghttp2_session *session, int32_t id, uint8_t *buffer, size_t size,
                                   uint32_t *flags, nghttp2_data_source *source, void *context) {
    const struct h2_request *request = source->ptr;
    (void)session, (void)id, (void)buffer, (void)context;
    size_t left;
    exchange_peek(request->exchange, &left);
    *flags |= NGHTTP2_DATA_FLAG_NO_COPY;
    if (left <= size) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return (nghttp2_ssize)(left < size ? left : size);
}

static int send_data(nghttp2_session *session, nghttp2_frame *frame, const uint8_t *header, size_t size,
                     nghttp2_data_source *source, void *context) {
    struct h2 *h2 = context;
    struct h2_request *request = source->ptr;
    (void)session, (void)frame;
    if (!has_room(h2)) return h2->failed ? NGHTTP2_ERR_CALLBACK_FAILURE : NGHTTP2_ERR_WOULDBLOCK;
    if (add_control(h2, header, FRAME_HEADER_BYTES) < 0) return NGHTTP2_ERR_CALLBACK_FAILURE;
    size_t left;
    const uint8_t *body = exchange_peek(request->exchange, &left);
    h2->now_ns = clock_now_ns();
    h2->pieces[h2->piece_count++] = (struct piece){body, size};
    h2->waiting_bytes += size;
    exchange_take(request->exchange, size, h2->now_ns);
    if (size == left) request_end(h2, request, true);
    return 0;
}

// --- requests and responses

static int respond(struct h2 *h2, int32_t id, struct h2_request *request) {
    struct response_fields fields;
    if (response_fields_make(&fields, request->exchange) < 0) return -1;
    nghttp2_nv *list = malloc(fields.count * sizeof *list);
    int result = list ? 0 : NGHTTP2_ERR_NOMEM;
    for (size_t i = 0; list && i < fields.count; i++)
        list[i] = (nghttp2_nv){.name = (uint8_t *)(uintptr_t)fields.list[i].name,
                               .value = (uint8_t *)(uintptr_t)fields.list[i].value,
                               .namelen = fields.list[i].name_size,
                               .valuelen = fields.list[i].value_size};
    size_t body_size;
    exchange_peek(request->exchange, &body_size);
    nghttp2_data_provider2 body = {.source.ptr = request, .read_callback = frame_payload};
    if (list)
        result = nghttp2_submit_response2(h2->session, id, list, fields.count, body_size > 0 ? &body : NULL);
    free(list);
    response_fields_free(&fields);
    return result;
}

static int respond_or_reset(struct h2_request *request) {
    struct h2 *h2 = request->h2;
    if (respond(h2, request->id, request) == 0) return 0;
    return nghttp2_submit_rst_stream(h2->session, NGHTTP2_FLAG_NONE, request->id, NGHTTP2_INTERNAL_ERROR);
}

static void on_thought(void *context);

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

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *context) {
    struct h2 *h2 = context;
    if (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA) return 0;
    int32_t id = frame->hd.stream_id;
    struct h2_request *request = nghttp2_session_get_stream_user_data(session, id);
    if (!request) return 0;
    if (frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST) {
        struct exchange_request head;
        if (fields_request(&request->fields, &head) < 0)
            return nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, id, NGHTTP2_PROTOCOL_ERROR);
        request->exchange = exchange_begin(h2->connection, &head, h2->now_ns);
        fields_free(&request->fields);
        if (!request->exchange)
            return nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, id, NGHTTP2_INTERNAL_ERROR);
    }
    bool whole = frame->hd.flags & NGHTTP2_FLAG_END_STREAM && request->exchange;
    if (!whole || !exchange_may_answer(request->exchange, h2->now_ns, on_thought, request)) return 0;
    return respond_or_reset(request);
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *bytes, size_t size,
                   void *context) {
    const struct h2_request *request = nghttp2_session_get_stream_user_data(session, id);
    (void)flags, (void)bytes, (void)context;
    if (request && request->exchange) exchange_request_body(request->exchange, size);
    return 0;
}

static int on_frame_sent(nghttp2_session *session, const nghttp2_frame *frame, void *context) {
    // A response without a body is handed over with its head.
    if (frame->hd.type != NGHTTP2_HEADERS || !(frame->hd.flags & NGHTTP2_FLAG_END_STREAM)) return 0;
    struct h2_request *request = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
    if (request) request_end(context, request, true);
    return 0;
}

// A response's head that nghttp2 refuses is told at once: else the client would wait for it.
static int on_frame_not_sent(nghttp2_session *session, const nghttp2_frame *frame, int why, void *context) {
    (void)context;
    if (frame->hd.type != NGHTTP2_HEADERS || why == NGHTTP2_ERR_STREAM_CLOSED ||
        why == NGHTTP2_ERR_STREAM_CLOSING)
        return 0;
    return nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, frame->hd.stream_id, NGHTTP2_INTERNAL_ERROR);
}

static int on_stream_close(nghttp2_session *session, int32_t id, uint32_t error, void *context) {
    struct h2_request *request = nghttp2_session_get_stream_user_data(session, id);
    (void)error;
    if (request) request_free(context, request);
    return 0;
}

// --- the stream's handler

// Ends the connection when it is over; h2 is gone then.
static void go_on(struct h2 *h2) {
    int result = 0;
    do {
        hand_over(h2);
        if (h2->failed) break;
        result = nghttp2_session_send(h2->session);
    } while (result == 0 && !h2->failed && h2->piece_count > 0 && (hand_over(h2), h2->piece_count == 0));
    struct stream *stream = h2->stream;
    if (result < 0 || h2->failed) {
        h2_free(h2, h2->failed ? "the TCP connection broke" : nghttp2_strerror(result));
        stream_close(stream);
    } else if (h2->piece_count == 0 && !nghttp2_session_want_read(h2->session) &&
               !nghttp2_session_want_write(h2->session)) {
        h2_free(h2, "");
        stream_finish(stream);
    }
}

static void on_thought(void *context) {
    struct h2_request *request = context;
    struct h2 *h2 = request->h2;
    h2->now_ns = clock_now_ns();
    if (respond_or_reset(request) < 0) h2->failed = true;
    go_on(h2);
}

static void on_readable(void *context) {
    struct h2 *h2 = context;
    struct stream *stream = h2->stream;
    h2->now_ns = clock_now_ns();
    uint8_t bytes[READ_BYTES];
    for (;;) {
        ssize_t size = stream_read(stream, bytes, sizeof bytes);
        if (size == STREAM_AGAIN) break;
        if (size <= 0) {
            h2_free(h2, size == STREAM_END ? "" : "the TCP connection broke");
            if (size == STREAM_END)
                stream_finish(stream);
            else
                stream_close(stream);
            return;
        }
        nghttp2_ssize used = nghttp2_session_mem_recv2(h2->session, bytes, (size_t)size);
        if (used < 0) { // not HTTP/2 at all, a flood, or no memory; all else nghttp2 answers with a GOAWAY
            h2_free(h2, nghttp2_strerror((int)used));
            stream_finish(stream);
            return;
        }
    }
    go_on(h2);
}

static void on_writable(void *context) {
    struct h2 *h2 = context;
    h2->now_ns = clock_now_ns();
    go_on(h2);
}

static void on_stop(void *context) {
    struct h2 *h2 = context;
    struct stream *stream = h2->stream;
    h2->now_ns = clock_now_ns();
    if (nghttp2_session_terminate_session(h2->session, NGHTTP2_NO_ERROR) == 0 &&
        nghttp2_session_send(h2->session) == 0)
        hand_over(h2);
    h2_free(h2, "the server stopped");
    stream_close(stream);
}

static int start_session(struct h2 *h2) {
    nghttp2_session_callbacks *callbacks = NULL;
    nghttp2_option *options = NULL;
    int result = nghttp2_session_callbacks_new(&callbacks);
    if (result == 0) result = nghttp2_option_new(&options);
    if (result == 0) {
        nghttp2_session_callbacks_set_send_callback2(callbacks, send_frame);
        nghttp2_session_callbacks_set_send_data_callback(callbacks, send_data);
        nghttp2_session_callbacks_set_data_source_read_length_callback2(callbacks, frame_size);
        nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin_headers);
        nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
        nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, on_frame_sent);
        nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks, on_frame_not_sent);
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_stream_close);
        nghttp2_option_set_max_send_header_block_length(options, HEAD_BYTES_MAX);
        nghttp2_option_set_builtin_recv_extension_type(options, NGHTTP2_PRIORITY_UPDATE);
        result = nghttp2_session_server_new2(&h2->session, callbacks, h2, options);
    }
    nghttp2_option_del(options);
    nghttp2_session_callbacks_del(callbacks);
    if (result < 0) return -1;
    const nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, CONCURRENT_STREAMS},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, UPLOAD_WINDOW_BYTES},
        {NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1},
    };
    if (nghttp2_submit_settings(h2->session, NGHTTP2_FLAG_NONE, settings,
                                sizeof settings / sizeof *settings) < 0 ||
        nghttp2_session_set_local_window_size(h2->session, NGHTTP2_FLAG_NONE, 0, CONNECTION_WINDOW_BYTES) <
            0) {
        nghttp2_session_del(h2->session);
        return -1;
    }
    return 0;
}

int h2_open(struct stream *stream, struct exchange_connection *connection) {
    static const struct stream_handler handler = {on_readable, on_writable, on_stop};
    struct h2 *h2 = calloc(1, sizeof *h2);
    if (!h2) return -1;
    h2->stream = stream;
    h2->connection = connection;
    h2->now_ns = clock_now_ns();
    if (start_session(h2) < 0) {
        free(h2);
        return -1;
    }
    stream_set_handler(stream, &handler, h2); // its `readable`, which follows, sends the settings too
    return 0;
}

int h2_parse_priority(const void *value, size_t size, uint8_t *urgency, bool *incremental) {
    nghttp2_extpri priority = {.urgency = *urgency, .inc = *incremental};
    if (nghttp2_extpri_parse_priority(&priority, value, size) < 0) return -1;
    *urgency = (uint8_t)priority.urgency;
    *incremental = priority.inc != 0;
    return 0;
}

const char *h2_library_version(void) {
    return nghttp2_version(0)->version_str;
}
