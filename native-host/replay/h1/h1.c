// A connection is either reading (a request's bytes go through llhttp) or answering (nothing is read, the
// response goes out as the stream takes it). llhttp is paused at the end of each request, so bytes that came
// after it stay in `ahead` until its answer is out.
#include "replay/h1/h1.h"

#include "base/buf.h"
#include "base/clock.h"
#include "replay/h1/h1_request.h"

#include <llhttp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { READ_BYTES = 16 * 1024 };

struct h1 {
    struct stream *stream;
    struct exchange_connection *connection;
    llhttp_t parser;
    llhttp_settings_t settings;
    struct h1_request request;
    struct buf ahead; // received, not parsed yet
    struct buf head;  // of the response (or 100 Continue), not handed over yet
    struct exchange *exchange;
    const char *refusal; // why the request is answered with 400; a literal
    bool answering;
    bool thinking; // the request is whole, the answer waits for the server's think time
    bool keep_alive;
    bool peer_done; // it has finished its side: no further request, but the answer is still wanted
};

static void h1_free(struct h1 *h1, const char *reason) {
    exchange_connection_close(h1->connection, reason, clock_now_ns());
    h1_request_free(&h1->request);
    buf_free(&h1->ahead);
    buf_free(&h1->head);
    free(h1);
}

static void close_now(struct h1 *h1, const char *reason) {
    stream_close(h1->stream);
    h1_free(h1, reason);
}

static void close_in_order(struct h1 *h1, const char *reason) {
    stream_finish(h1->stream);
    h1_free(h1, reason);
}

// --- answering

static void start_refusal(struct h1 *h1, unsigned status, const char *phrase, const char *why) {
    if (h1->exchange) exchange_end(h1->exchange, false, clock_now_ns());
    h1->exchange = NULL;
    exchange_connection_awaits_head(h1->connection, 0);
    h1->thinking = false;
    buf_drain(&h1->head, buf_size(&h1->head));
    buf_printf(&h1->head, "HTTP/1.1 %u %s\r\ncontent-length: 0\r\nconnection: close\r\n\r\n", status, phrase);
    h1->refusal = why;
    h1->keep_alive = false;
    h1->answering = true;
}

// Without an answer: the connection closes where it would come.
static void start_failure(struct h1 *h1) {
    exchange_end(h1->exchange, false, clock_now_ns());
    h1->exchange = NULL;
    h1->refusal = "the request failed when it was recorded";
    h1->answering = true;
}

static int add_headers(struct buf *head, const struct header *headers, size_t count) {
    int failed = 0;
    for (size_t i = 0; i < count; i++) {
        failed |= buf_add(head, headers[i].name, headers[i].name_size);
        failed |= buf_add(head, ": ", 2);
        failed |= buf_add(head, headers[i].value, headers[i].value_size);
        failed |= buf_add(head, "\r\n", 2);
    }
    return failed;
}

// HTTP/1.0 has no responses before the final one (RFC 9110, 15.2). A hint that there is no memory for is
// skipped.
static void add_hints(struct h1 *h1) {
    const struct recorded_hint *hint;
    while (h1->parser.http_minor > 0 && (hint = exchange_hint(h1->exchange))) {
        struct buf head = {0};
        if (buf_printf(&head, "HTTP/1.1 103 Early Hints\r\n") == 0 &&
            add_headers(&head, hint->headers, hint->header_count) == 0 && buf_add(&head, "\r\n", 2) == 0)
            buf_add(&h1->head, buf_bytes(&head), buf_size(&head));
        buf_free(&head);
        exchange_hint_taken(h1->exchange);
    }
}

static void start_response(struct h1 *h1) {
    const struct exchange *exchange = h1->exchange;
    if (exchange_fails(exchange)) {
        start_failure(h1);
        return;
    }
    unsigned status = exchange_status(exchange);
    int failed = buf_printf(&h1->head, "HTTP/1.1 %u %s\r\n", status, status == 200 ? "OK" : "");
    size_t count;
    const struct header *headers = exchange_headers(exchange, &count);
    failed |= add_headers(&h1->head, headers, count);
    if (exchange_has_content_length(exchange))
        failed |= buf_printf(&h1->head, "content-length: %llu\r\n",
                             (unsigned long long)exchange_content_length(exchange));
    // HTTP/1.1 keeps the connection by default, HTTP/1.0 ends it.
    if (!h1->keep_alive)
        failed |= buf_printf(&h1->head, "connection: close\r\n");
    else if (h1->parser.http_major == 1 && h1->parser.http_minor == 0)
        failed |= buf_printf(&h1->head, "connection: keep-alive\r\n");
    failed |= buf_add(&h1->head, "\r\n", 2);
    h1->answering = true;
    exchange_sending(h1->exchange);
    if (failed) start_refusal(h1, 500, "Internal Server Error", "memory is short");
}

// Hands over what the stream takes. 1 when all is out, 0 when the stream is full, -1 when it is no more.
static int send_response(struct h1 *h1) {
    for (;;) {
        size_t body_size = 0;
        const uint8_t *body = h1->answering && h1->exchange ? exchange_peek(h1->exchange, &body_size) : NULL;
        size_t head_size = buf_size(&h1->head);
        if (head_size + body_size == 0) return 1;
        struct iovec pieces[2] = {{.iov_base = head_size ? buf_bytes(&h1->head) : NULL, .iov_len = head_size},
                                  {.iov_base = (void *)body, .iov_len = body_size}};
        ssize_t n = stream_writev(h1->stream, pieces, 2);
        if (n == STREAM_AGAIN) return 0;
        if (n < 0) return -1;
        size_t of_head = (size_t)n < head_size ? (size_t)n : head_size;
        buf_drain(&h1->head, of_head);
        if ((size_t)n > of_head) exchange_take(h1->exchange, (size_t)n - of_head);
        exchange_connection_sent(h1->connection, stream_turn_ns(h1->stream));
    }
}

// --- reading

static int on_begin(llhttp_t *parser) {
    struct h1 *h1 = parser->data;
    exchange_connection_awaits_head(h1->connection, clock_now_ns());
    return HPE_OK;
}

static int on_target(llhttp_t *parser, const char *bytes, size_t size) {
    struct h1 *h1 = parser->data;
    return h1_request_target(&h1->request, bytes, size) < 0 ? HPE_USER : HPE_OK;
}

static int on_name(llhttp_t *parser, const char *bytes, size_t size) {
    struct h1 *h1 = parser->data;
    if (h1->exchange) return HPE_OK; // a trailer: of no use to anybody
    return h1_request_name(&h1->request, bytes, size) < 0 ? HPE_USER : HPE_OK;
}

static int on_value(llhttp_t *parser, const char *bytes, size_t size) {
    struct h1 *h1 = parser->data;
    if (h1->exchange) return HPE_OK;
    return h1_request_value(&h1->request, bytes, size) < 0 ? HPE_USER : HPE_OK;
}

static int refuse(llhttp_t *parser, const char *why) {
    llhttp_set_error_reason(parser, why);
    return -1; // from on_headers_complete, where HPE_USER would mean "no body"
}

static int on_headers_complete(llhttp_t *parser) {
    struct h1 *h1 = parser->data;
    if (parser->http_major != 1) return refuse(parser, "not HTTP/1");
    if (parser->method == HTTP_CONNECT) return refuse(parser, "CONNECT to a server that is no proxy");
    const char *method = llhttp_method_name((llhttp_method_t)parser->method);
    bool is_secure = stream_is_secure(h1->stream) || exchange_connection_is_from_server(h1->connection);
    struct exchange_request request = {
        .method = method, .method_size = strlen(method), .scheme = is_secure ? "https" : "http"};
    const char *wrong =
        h1_request_finish(&h1->request, parser->http_minor == 0, stream_local_address(h1->stream), &request);
    if (wrong) return refuse(parser, wrong);
    h1->exchange = exchange_begin(h1->connection, &request, clock_now_ns());
    if (!h1->exchange) return refuse(parser, "memory is short");
    exchange_connection_awaits_head(h1->connection, 0);
    if (parser->http_minor > 0 && h1_request_expects_continue(&request))
        buf_printf(&h1->head,
                   "HTTP/1.1 100 Continue\r\n\r\n"); // without memory for it the client sends on by itself
    return 0;
}

static int on_body(llhttp_t *parser, const char *bytes, size_t size) {
    struct h1 *h1 = parser->data;
    exchange_request_body(h1->exchange, bytes, size);
    return HPE_OK;
}

static void on_due(void *context);

static int on_message_complete(llhttp_t *parser) {
    struct h1 *h1 = parser->data;
    h1->keep_alive = llhttp_should_keep_alive(parser) != 0;
    h1->thinking = !exchange_may_answer(h1->exchange, stream_turn_ns(h1->stream), on_due, h1);
    add_hints(h1);
    if (!h1->thinking) start_response(h1);
    return HPE_PAUSED;
}

// Parses bytes and returns how many it used; stops after each request.
static size_t parse(struct h1 *h1, const uint8_t *bytes, size_t size) {
    llhttp_errno_t outcome = llhttp_execute(&h1->parser, (const char *)bytes, size);
    if (outcome == HPE_OK) return size;
    const char *stop = llhttp_get_error_pos(&h1->parser);
    size_t used = stop ? (size_t)(stop - (const char *)bytes) : size;
    if (outcome == HPE_PAUSED) return used;
    if (outcome == HPE_PAUSED_UPGRADE) { // we switch to nothing: what follows is the next request
        llhttp_resume_after_upgrade(&h1->parser);
        return used;
    }
    if (outcome == HPE_USER)
        start_refusal(h1, 431, "Request Header Fields Too Large", "a request head that is too large");
    else
        start_refusal(h1, 400, "Bad Request", "a malformed request");
    return size;
}

// Parses what is ahead, then what the stream has, up to the end of one request. False when there is no more
// to read now or `h1` is gone.
static bool read_request(struct h1 *h1) {
    uint8_t bytes[READ_BYTES];
    if (buf_size(&h1->ahead) > 0) {
        size_t used = parse(h1, buf_bytes(&h1->ahead), buf_size(&h1->ahead));
        buf_drain(&h1->ahead, used);
        return true;
    }
    if (h1->peer_done) return false;
    ssize_t n = stream_read(h1->stream, bytes, sizeof bytes);
    if (n == STREAM_AGAIN) return false;
    if (n == STREAM_FAILED) {
        close_now(h1, "the connection broke");
        return false;
    }
    if (n == STREAM_END) {
        h1->peer_done = true;
        close_in_order(h1, h1->exchange ? "the peer closed within a request" : "");
        return false;
    }
    size_t used = parse(h1, bytes, (size_t)n);
    if (buf_add(&h1->ahead, bytes + used, (size_t)n - used) < 0) {
        close_now(h1, "memory is short");
        return false;
    }
    return true;
}

// After an answer: ready for the next request, or gone. True in the first case.
static bool next_request(struct h1 *h1) {
    if (h1->exchange) exchange_end(h1->exchange, true, clock_now_ns());
    h1->exchange = NULL;
    if (h1->refusal || !h1->keep_alive) {
        close_in_order(h1, h1->refusal ? h1->refusal : "");
        return false;
    }
    h1->answering = false;
    h1_request_clear(&h1->request);
    llhttp_resume(&h1->parser);
    return true;
}

static void go_on(struct h1 *h1) {
    for (;;) {
        int sent = send_response(h1); // also a 100 Continue while reading
        if (sent < 0) {
            close_now(h1, "the connection broke");
            return;
        }
        if (h1->answering) {
            stream_pause_reading(h1->stream, sent == 0);
            if (sent == 0) return;
            if (!next_request(h1)) return;
        } else if (h1->thinking) {
            stream_pause_reading(h1->stream, true);
            return;
        } else if (!read_request(h1)) {
            return;
        }
    }
}

static void on_due(void *context) {
    struct h1 *h1 = context;
    h1->thinking = !exchange_is_due(h1->exchange);
    add_hints(h1);
    if (!h1->thinking) start_response(h1);
    go_on(h1);
}

static void on_readable(void *context) {
    struct h1 *h1 = context;
    if (!h1->answering && !h1->thinking) {
        go_on(h1);
        return;
    }
    // Called while paused: the connection has come apart.
    close_now(h1, "the connection broke");
}

static void on_writable(void *context) {
    go_on(context);
}

static void on_stop(void *context) {
    close_now(context, "the replay ended");
}

// The answer goes out if the client takes it at once.
static void on_overdue(void *context, uint64_t now_ns) {
    struct h1 *h1 = context;
    (void)now_ns;
    start_refusal(h1, 408, "Request Timeout", EXCHANGE_OVERDUE);
    if (send_response(h1) == 1)
        close_in_order(h1, EXCHANGE_OVERDUE);
    else
        close_now(h1, EXCHANGE_OVERDUE);
}

static const struct stream_handler handler = {
    .readable = on_readable, .writable = on_writable, .stop = on_stop};

int h1_open(struct stream *stream, struct exchange_connection *connection) {
    struct h1 *h1 = calloc(1, sizeof *h1);
    if (!h1) return -1;
    h1->stream = stream;
    h1->connection = connection;
    llhttp_settings_init(&h1->settings);
    h1->settings.on_message_begin = on_begin;
    h1->settings.on_url = on_target;
    h1->settings.on_header_field = on_name;
    h1->settings.on_header_value = on_value;
    h1->settings.on_headers_complete = on_headers_complete;
    h1->settings.on_body = on_body;
    h1->settings.on_message_complete = on_message_complete;
    llhttp_init(&h1->parser, HTTP_REQUEST, &h1->settings);
    h1->parser.data = h1;
    exchange_connection_on_overdue(connection, on_overdue, h1);
    stream_set_handler(stream, &handler, h1);
    return 0;
}
