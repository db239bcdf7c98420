// What the files of the HTTP/2 lane share of one connection: h2.c (its life), h2_request.c (from frames to
// exchanges), h2_response.c (from exchanges to frames). For no other file.
#pragma once

#include "replay/exchange/exchange.h"
#include "replay/exchange/fields.h"
#include "replay/exchange/priority_scheduler.h"
#include "replay/h2/h2_ignored.h"
#include "replay/h2/h2_pieces.h"

#include <nghttp2/nghttp2.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { H2_CONCURRENT_STREAMS = 100 };

// A PRIORITY_UPDATE that came before its request.
struct h2_early_priority {
    int32_t id;
    uint8_t urgency;
    bool incremental;
};

struct h2 {
    nghttp2_session *session;
    struct exchange_connection *connection;
    struct h2_request *requests;
    struct priority_scheduler order; // whole requests whose responses are not all handed over
    struct h2_request *turn;    // whose body nghttp2 may have now; NULL: none's, or it has come to an end
    size_t turn_left;           // bytes of it
    struct h2_request *head_of; // whose head is not whole yet; NULL: none's
    struct h2_pieces out;       // on their way to the stream
    int error;                  // nghttp2's, by which the connection ends; 0: none
    uint64_t now_ns;            // of this turn
    struct h2_heads heads;
    struct h2_closed closed;
    size_t early_count;
    struct h2_early_priority early[H2_CONCURRENT_STREAMS];
};

struct h2_request {
    struct send_item item; // first: the order's item is the request
    struct h2 *h2;
    int32_t id;
    struct h2_request *previous;
    struct h2_request *next;
    struct fields fields;      // until the request's head is whole
    struct exchange *exchange; // from then until all is handed over
    bool head_sent;            // nghttp2 has the response's head
    unsigned hints_queued;     // 103 responses that nghttp2 has and has not sent
};

// Takes what the client has sent; a count, or nghttp2's error, where the connection is to end.
nghttp2_ssize h2_requests_read(struct h2 *h2, const uint8_t *bytes, size_t size);
// nghttp2's callbacks that read.
void h2_requests_set_callbacks(nghttp2_session_callbacks *callbacks);
// Ends its exchange, if it has one: no more is sent for it.
void h2_request_end(struct h2_request *request, bool complete);
void h2_request_free(struct h2_request *request);

// nghttp2's callbacks that send.
void h2_responses_set_callbacks(nghttp2_session_callbacks *callbacks);
// Gives nghttp2 the 103 responses that are due.
void h2_hints_submit(struct h2_request *request);
// Sends what nghttp2 itself has to say and the responses in their order, as far as the stream takes it.
// h2->error or h2->out.failed tell of an end.
void h2_responses_send(struct h2 *h2);
// A request has become whole (and the server's think time has passed), or a 103 is due: sends. h2 may be gone
// afterwards.
void h2_go_on(struct h2 *h2);
