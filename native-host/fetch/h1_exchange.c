// HTTP/1.1: one GET after another, answers read by llhttp. Asks for no coding and no range.
#include "fetch/byte_stream.h"

#include <llhttp.h>
#include <stdlib.h>
#include <string.h>

struct exchange {
    llhttp_t parser;
    llhttp_settings_t settings;
    struct response *response; // NULL: none is under way
    struct buf name, value;    // of the field that is being read
    bool in_value;
    bool whole; // the last response
    bool keeps; // after it another request may be sent
};

static int add(struct response *response, struct buf *buf, const char *bytes, size_t size) {
    if (buf_size(buf) + size > RESPONSE_FIELDS_MAX)
        response_fail(response, STAGE_RESPONSE, "its fields have more than %d bytes", RESPONSE_FIELDS_MAX);
    else if (buf_add(buf, bytes, size) < 0)
        response_fail(response, STAGE_RESPONSE, "memory is short");
    return response->is_over ? HPE_USER : 0;
}

static int on_name(llhttp_t *parser, const char *bytes, size_t size) {
    struct exchange *exchange = parser->data;
    return add(exchange->response, &exchange->name, bytes, size);
}

static int on_value(llhttp_t *parser, const char *bytes, size_t size) {
    struct exchange *exchange = parser->data;
    return add(exchange->response, &exchange->value, bytes, size);
}

static void empty(struct buf *buf) {
    buf_drain(buf, buf_size(buf));
}

static int on_status(llhttp_t *parser) {
    struct exchange *exchange = parser->data;
    const char *version = parser->http_major == 1 && parser->http_minor == 0 ? "1.0" : "1.1";
    response_head(exchange->response, parser->status_code, version);
    return exchange->response->is_over ? HPE_USER : 0;
}

static int on_field(llhttp_t *parser) {
    struct exchange *exchange = parser->data;
    if (buf_size(&exchange->name) > 0)
        response_field(exchange->response, buf_bytes(&exchange->name), buf_size(&exchange->name),
                       buf_size(&exchange->value) ? (const char *)buf_bytes(&exchange->value) : "",
                       buf_size(&exchange->value));
    empty(&exchange->name);
    empty(&exchange->value);
    return exchange->response->is_over ? HPE_USER : 0;
}

// What has no body, whatever its fields say.
static int on_head(llhttp_t *parser) {
    enum { NO_BODY = 1 };
    struct exchange *exchange = parser->data;
    response_head_end(exchange->response);
    return parser->status_code < 200 || parser->status_code == 204 || parser->status_code == 304 ? NO_BODY
                                                                                                 : 0;
}

static int on_body(llhttp_t *parser, const char *bytes, size_t size) {
    struct exchange *exchange = parser->data;
    response_body(exchange->response, bytes, size);
    return exchange->response->is_over ? HPE_USER : 0;
}

static int on_whole(llhttp_t *parser) {
    struct exchange *exchange = parser->data;
    if (parser->status_code < 200) return 0; // interim: the next head follows
    exchange->whole = true;
    exchange->keeps = llhttp_should_keep_alive(parser) == 1;
    return HPE_PAUSED;
}

static struct exchange *h1_open(void) {
    struct exchange *exchange = calloc(1, sizeof *exchange);
    if (!exchange) return NULL;
    llhttp_settings_t *settings = &exchange->settings;
    llhttp_settings_init(settings);
    settings->on_status_complete = on_status;
    settings->on_header_field = on_name;
    settings->on_header_value = on_value;
    settings->on_header_value_complete = on_field;
    settings->on_headers_complete = on_head;
    settings->on_body = on_body;
    settings->on_message_complete = on_whole;
    return exchange;
}

static void h1_ask(struct exchange *exchange, const struct request *request, struct response *response,
                   struct buf *out) {
    llhttp_init(&exchange->parser, HTTP_RESPONSE, &exchange->settings);
    exchange->parser.data = exchange;
    exchange->response = response;
    exchange->whole = exchange->keeps = false;
    if (buf_printf(out, "GET %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: %s\r\nAccept: */*\r\n\r\n",
                   request->url->target, request->url->authority, request->user_agent) < 0)
        response_fail(response, STAGE_REQUEST, "memory is short");
}

static void over(struct exchange *exchange, const char *rest, const char *end) {
    struct response *response = exchange->response;
    exchange->response = NULL;
    if (rest < end) {
        exchange->keeps = false;
        response_fail(response, STAGE_RESPONSE, "%zu bytes came behind the end of the response",
                      (size_t)(end - rest));
    }
    response_end(response);
}

static void h1_received(struct exchange *exchange, const uint8_t *bytes, size_t size, struct buf *out) {
    struct response *response = exchange->response;
    const char *text = (const char *)bytes;
    (void)out;
    if (!response) {
        exchange->keeps = false; // no request wants it
        return;
    }
    response_first_byte(response);
    const llhttp_errno_t result = llhttp_execute(&exchange->parser, text, size);
    if (exchange->whole) {
        const char *place = result == HPE_PAUSED ? llhttp_get_error_pos(&exchange->parser) : NULL;
        over(exchange, place ? place : text + size, text + size);
    } else if (response->is_over) {
        exchange->response = NULL;
    } else if (result != HPE_OK) {
        exchange->response = NULL;
        response_fail(response, STAGE_RESPONSE, "this is no HTTP/1.1: %s",
                      *llhttp_get_error_reason(&exchange->parser) ? llhttp_get_error_reason(&exchange->parser)
                                                                  : llhttp_errno_name(result));
    }
}

static void h1_ended(struct exchange *exchange, const char *why) {
    struct response *response = exchange->response;
    exchange->keeps = false;
    if (!response) return;
    // A body may go on until the server ends the connection.
    if (!why) llhttp_finish(&exchange->parser);
    exchange->response = NULL;
    if (exchange->whole && !why)
        response_end(response);
    else if (response->status < 200)
        response_fail(response, STAGE_RESPONSE, "%s before the response",
                      why ? why : "the server ended the connection");
    else if (response->declared_bytes != UINT64_MAX)
        response_fail(response, STAGE_RESPONSE, "%s after %llu of the %llu bytes of content-length",
                      why ? why : "the server ended the connection", (unsigned long long)response->body_bytes,
                      (unsigned long long)response->declared_bytes);
    else
        response_fail(
            response, STAGE_RESPONSE, "%s before the end of the response, after %llu bytes of the body",
            why ? why : "the server ended the connection", (unsigned long long)response->body_bytes);
}

static bool h1_is_reusable(const struct exchange *exchange) {
    return !exchange->response && exchange->whole && exchange->keeps;
}

static void h1_close(struct exchange *exchange) {
    buf_free(&exchange->name);
    buf_free(&exchange->value);
    free(exchange);
}

const struct exchange_kind h1_exchange = {
    .open = h1_open,
    .ask = h1_ask,
    .received = h1_received,
    .ended = h1_ended,
    .is_reusable = h1_is_reusable,
    .close = h1_close,
};
