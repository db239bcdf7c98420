// What the files of the HTTP/3 lane share of one connection: h3.c (its life), h3_request.c (from quiche's
// events to exchanges), h3_response.c (from exchanges to quiche), h3_packets.c (from quiche to the link). For
// no other file.
#pragma once

#include "base/buf.h"
#include "base/loop.h"
#include "congestion/quiche_sender.h"
#include "replay/exchange/exchange.h"
#include "replay/exchange/priority_scheduler.h"
#include "replay/h3/h3.h"
#include "replay/origins/alternative_service.h"

#include <quiche.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    H3_NO_ERROR = 0x100,
    H3_INTERNAL_ERROR = 0x102,
    H3_REQUEST_INCOMPLETE = 0x10d,
    H3_MESSAGE_ERROR = 0x10e,
    // quiche's h3 has urgencies from here on, so that its own streams come first. Here each has so many
    // places.
    H3_QUICHE_FIRST_URGENCY = 124,
    H3_QUICHE_PLACES = 16,
    // Rather too much, but for packets with an ACK frame.
    H3_PACKET_HEAD_BYTES = 28,
    H3_CONTROL_STREAM = 3, // the server's first unidirectional one: quiche's h3 opens it first
};

// A request stream that has begun and whose head is not whole.
struct h3_head {
    uint64_t id;
    uint64_t since_ns;
};

// How often the client acknowledges, from the handshake on.
struct h3_acks {
    uint64_t acks;              // packets that acknowledged something new
    uint64_t acked_bytes;       // so far
    uint64_t handshake_packets; // sent before
};

struct h3_connection {
    const struct h3_owner *owner;
    const struct server_parts *parts;
    quiche_conn *quic;
    struct quiche_sender sender;            // held_bytes: rather too many
    quiche_h3_conn *http;                   // NULL until the handshake is done
    struct exchange_connection *connection; // NULL once reported as closed
    struct h3_request *requests;
    size_t head_count;
    struct h3_head heads[QUIC_CONCURRENT_STREAMS]; // the oldest first
    struct priority_scheduler order;
    size_t given_bytes;             // of streams, since a packet last came in
    size_t sent_bytes;              // of packets, since then
    size_t least_bytes;             // that quiche is to get although the window is full
    unsigned round;                 // from 1; from one time that quiche had nothing left to send to the next
    uint8_t places[URGENCY_LEVELS]; // taken in this round
    bool probing;                   // what quiche may send to the client's address is limited (RFC 9000, 8.1)
    bool drained;                   // quiche has made packets of all that it had and the window took
    bool given;                     // quiche has taken something of this round of responses
    bool hints_wait;                // quiche had no room for a 103
    bool fresh;                     // a response has become ready, or changed its priority, since
    char alternative_service[ALTERNATIVE_SERVICE_SIZE]; // of its origin
    struct h3_acks acks;
    struct loop_timer timer;
};

struct h3_request {
    struct send_item item; // first: the order's item is the request
    struct h3_connection *connection;
    struct h3_request *previous;
    struct h3_request *next;
    uint64_t id;
    struct exchange *exchange;
    bool body_announced; // by a content-length
    uint64_t body_left;  // of it
    unsigned round;      // in which it got its place; 0: it has none
    bool head_sent;
    bool hinted;          // a 103 went before its head
    bool framed_here;     // its head was too long for quiche: all of its stream is written here
    struct buf long_head; // what of it is left
};

// Reads off all that quiche has of requests. A request becomes an exchange when its head is whole, and a
// response when the request is.
void h3_requests_read(struct h3_connection *connection, uint64_t now_ns);
// Ends its exchange and frees the request.
void h3_request_end(struct h3_connection *connection, struct h3_request *request, bool complete,
                    uint64_t now_ns);

// What quiche may still send as far as the window goes, in bytes of packets.
size_t h3_window_room(const struct h3_connection *connection);
// Gives quiche as much of the responses as the window takes, in their order. True if it took anything.
bool h3_responses_send(struct h3_connection *connection);
// Gives quiche the 103 responses that are due; what it has no room for goes with h3_responses_send.
void h3_hints_send(struct h3_connection *connection, struct h3_request *request);
// Its priority has changed: what quiche holds of it moves too.
void h3_response_reprioritized(struct h3_connection *connection, struct h3_request *request);

// Responses to quiche and packets to the link, as far as window, pacer and link allow, and one timer for
// whatever comes first of what they wait for.
void h3_packets_turn(struct h3_connection *connection);
// Only the packets that quiche has by now: a goodbye.
void h3_packets_last(struct h3_connection *connection);
