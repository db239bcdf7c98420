// HTTP/2 by nghttp2: one request at a time on its connection, without push. Its windows are no limit up to
// four times 1 Gbit/s x 100 ms.
#include "fetch/byte_stream.h"

#include <nghttp2/nghttp2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What waits to be sent is a request and answers to the server's own frames: more than so much is an attack.
enum { WINDOW_BYTES = 64 << 20, WAITING_MAX = 1 << 20 };

struct exchange {
    nghttp2_session *session;
    struct response *response; // NULL: none is under way
    int32_t id;                // its stream
    bool goaway;
    bool broken;
};

static bool is_its_own(const struct exchange *exchange, int32_t id) {
    return exchange->response && exchange->id == id;
}

static int on_begin_headers(nghttp2_session *session, const nghttp2_frame *frame, void *context) {
    struct exchange *exchange = context;
    (void)session;
    if (is_its_own(exchange, frame->hd.stream_id)) response_first_byte(exchange->response);
    return 0;
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                     size_t name_size, const uint8_t *value, size_t value_size, uint8_t flags,
                     void *context) {
    struct exchange *exchange = context;
    (void)session, (void)flags;
    if (!is_its_own(exchange, frame->hd.stream_id)) return 0;
    if (name_size == 7 && memcmp(name, ":status", 7) == 0) // nghttp2 has checked that it is three digits
        response_head(exchange->response, atoi((const char *)value), "2");
    else
        response_field(exchange->response, name, name_size, value, value_size);
    return 0;
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *bytes, size_t size,
                   void *context) {
    struct exchange *exchange = context;
    (void)session, (void)flags;
    if (is_its_own(exchange, id)) response_body(exchange->response, bytes, size);
    return 0;
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *context) {
    struct exchange *exchange = context;
    (void)session;
    struct response *response = exchange->response;
    if (frame->hd.type == NGHTTP2_GOAWAY) exchange->goaway = true;
    if (!is_its_own(exchange, frame->hd.stream_id)) return 0;
    if (frame->hd.type != NGHTTP2_DATA && frame->hd.type != NGHTTP2_HEADERS) return 0;
    if (frame->hd.type == NGHTTP2_HEADERS) response_head_end(response);
    if (!(frame->hd.flags & NGHTTP2_FLAG_END_STREAM)) return 0;
    exchange->response = NULL;
    response_end(response);
    return 0;
}

static int on_close(nghttp2_session *session, int32_t id, uint32_t error, void *context) {
    struct exchange *exchange = context;
    (void)session;
    if (!is_its_own(exchange, id)) return 0;
    struct response *response = exchange->response;
    exchange->response = NULL;
    response_fail(response, STAGE_RESPONSE, "the stream was reset: %s", nghttp2_http2_strerror(error));
    return 0;
}

static nghttp2_session *new_session(struct exchange *exchange) {
    nghttp2_session_callbacks *callbacks;
    nghttp2_session *session = NULL;
    if (nghttp2_session_callbacks_new(&callbacks) != 0) return NULL;
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin_headers);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
    const bool made = nghttp2_session_client_new(&session, callbacks, exchange) == 0;
    nghttp2_session_callbacks_del(callbacks);
    return made ? session : NULL;
}

static struct exchange *h2_open(void) {
    const nghttp2_settings_entry settings[] = {{NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
                                               {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, WINDOW_BYTES},
                                               {NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1}};
    struct exchange *exchange = calloc(1, sizeof *exchange);
    if (exchange) exchange->session = new_session(exchange);
    if (exchange && exchange->session &&
        nghttp2_submit_settings(exchange->session, NGHTTP2_FLAG_NONE, settings,
                                sizeof settings / sizeof *settings) == 0 &&
        nghttp2_session_set_local_window_size(exchange->session, NGHTTP2_FLAG_NONE, 0, WINDOW_BYTES) == 0)
        return exchange;
    if (exchange) nghttp2_session_del(exchange->session);
    free(exchange);
    return NULL;
}

// The stream with its response is over, with a word for it if it was under way.
static void break_off(struct exchange *exchange, enum fetch_stage stage, const char *why) {
    struct response *response = exchange->response;
    exchange->broken = true;
    exchange->response = NULL;
    if (response) response_fail(response, stage, "%s", why);
}

static void flush(struct exchange *exchange, struct buf *out) {
    for (;;) {
        const uint8_t *bytes;
        const nghttp2_ssize size = nghttp2_session_mem_send2(exchange->session, &bytes);
        if (size == 0) return;
        if (size > 0 && buf_add(out, bytes, (size_t)size) == 0) continue;
        break_off(exchange, STAGE_REQUEST, "memory is short");
        return;
    }
}

static nghttp2_nv field(const char *name, const char *value) {
    return (nghttp2_nv){.name = (uint8_t *)(uintptr_t)name,
                        .namelen = strlen(name),
                        .value = (uint8_t *)(uintptr_t)value,
                        .valuelen = strlen(value)};
}

static void h2_ask(struct exchange *exchange, const struct request *request, struct response *response,
                   struct buf *out) {
    const nghttp2_nv fields[] = {field(":method", "GET"),
                                 field(":scheme", "https"),
                                 field(":authority", request->url->authority),
                                 field(":path", request->url->target),
                                 field("user-agent", request->user_agent),
                                 field("accept", "*/*")};
    exchange->response = response;
    exchange->id =
        nghttp2_submit_request2(exchange->session, NULL, fields, sizeof fields / sizeof *fields, NULL, NULL);
    if (exchange->id < 0)
        break_off(exchange, STAGE_REQUEST, nghttp2_strerror(exchange->id));
    else
        flush(exchange, out);
}

// nghttp2 ended the connection: the server said goodbye, or broke a rule, as that of its own content-length.
static void tell_end(struct exchange *exchange) {
    const struct response *response = exchange->response;
    char why[REASON_SIZE] = "the server broke the rules of HTTP/2 (PROTOCOL_ERROR)";
    if (exchange->goaway)
        snprintf(why, sizeof why, "the server ended the HTTP/2 connection (GOAWAY)");
    else if (response && response->declared_bytes != UINT64_MAX)
        snprintf(why, sizeof why,
                 "the server broke the rules of HTTP/2 after %llu of the %llu bytes of content-length",
                 (unsigned long long)response->body_bytes, (unsigned long long)response->declared_bytes);
    break_off(exchange, STAGE_RESPONSE, why);
}

static void h2_received(struct exchange *exchange, const uint8_t *bytes, size_t size, struct buf *out) {
    if (exchange->broken) return;
    const nghttp2_ssize read = nghttp2_session_mem_recv2(exchange->session, bytes, size);
    if (read < 0) {
        char why[REASON_SIZE];
        snprintf(why, sizeof why, "this is no HTTP/2: %s", nghttp2_strerror((int)read));
        break_off(exchange, STAGE_RESPONSE, why);
        return;
    }
    flush(exchange, out);
    if (buf_size(out) > WAITING_MAX)
        break_off(exchange, STAGE_RESPONSE, "the server asks for answers (PING, SETTINGS) and reads none");
    else if (nghttp2_session_want_read(exchange->session) == 0)
        tell_end(exchange);
}

static void h2_ended(struct exchange *exchange, const char *why) {
    const struct response *response = exchange->response;
    char text[REASON_SIZE];
    if (!why) why = "the server ended the connection";
    if (!response || response->status < 200)
        snprintf(text, sizeof text, "%s before the response", why);
    else
        snprintf(text, sizeof text, "%s after %llu bytes of the body", why,
                 (unsigned long long)response->body_bytes);
    break_off(exchange, STAGE_RESPONSE, text);
}

static bool h2_is_reusable(const struct exchange *exchange) {
    return !exchange->response && !exchange->goaway && !exchange->broken;
}

static void h2_close(struct exchange *exchange) {
    nghttp2_session_del(exchange->session);
    free(exchange);
}

const struct exchange_kind h2_exchange = {
    .open = h2_open,
    .ask = h2_ask,
    .received = h2_received,
    .ended = h2_ended,
    .is_reusable = h2_is_reusable,
    .close = h2_close,
};
