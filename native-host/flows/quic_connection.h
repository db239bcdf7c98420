// What the files of a QUIC flow share of its connection: quic_flow.c (its life), quic_stream.c (the request
// and the flow's bytes), quic_packets.c (from quiche to the link). For these and their tests only.
#pragma once

#include "base/loop.h"
#include "congestion/quiche_sender.h"
#include "flows/flow.h"
#include "flows/quic_move.h"
#include "flows/quic_setup.h"
#include "quic_io/udp.h"

#include <quiche.h>
#include <stdbool.h>
#include <stdint.h>

// Of the application, in CONNECTION_CLOSE.
enum { QUIC_FLOW_OVER = 0, QUIC_FLOW_OTHER = 1 };

// The one stream of a connection, the client's first. It begins with the request, of the near end: which
// direction (a byte, 0 down, 1 up) and how many bytes (8, most significant first; all ones: no end). Then
// come the flow's bytes, in the same direction or the other one. Who has received them all ends the other
// direction of the stream (FIN), whereupon the sender closes the connection.
enum {
    QUIC_STREAM = 0,
    QUIC_REQUEST_BYTES = 9,
    // Of a packet, what is not the stream's: head, packet number, tag and the frame's head, rather too few.
    QUIC_PACKET_HEAD_BYTES = 1 + QUIC_CID_BYTES + 2 + QUICHE_AEAD_TAG_BYTES + 8,
};

enum quic_phase {
    QUIC_OPENING,
    QUIC_RUNNING, // the handshake is done
    QUIC_ENDED,   // the flow has ended, the connection has not
    QUIC_OVER,    // the engine knows, or does not want to know any more
};

struct quic_connection {
    struct flow *flow;
    struct quic_setup *setup;
    const struct quic_controller *controller;
    struct udp *udp; // in use: a near end may have others (quic_move.h)
    struct udp_link link;
    struct quiche_sender sender; // held_bytes: rather too few
    struct quic_move move;
    quiche_conn *quic; // NULL at the far end, until the client's first packet
    struct sockaddr_in6 local;
    struct sockaddr_in6 peer;
    uint16_t port; // the far end's
    enum quic_phase phase;
    bool sends;       // the flow's bytes
    bool acks_singly; // a receiver: an ACK for each packet, even where several are found at once
    bool refused;

    uint8_t request[QUIC_REQUEST_BYTES]; // to send, or what has arrived of it
    size_t request_bytes;                // sent, or arrived
    bool sent_fin;                       // the stream's FIN has been given to quiche

    uint64_t base_bytes;      // sent and never to be acknowledged, when data began to flow
    uint64_t room_bytes;      // of the congestion window, as of the last packet that came in
    uint64_t in_flight_bytes; // the same
    uint64_t silence_ns;      // when nothing will have come for too long; 0: not to be waited for
    bool timed_out;           // a timer of quiche's, and no packets were made since
    struct loop_timer timer;
};

// A socket whose packets come to the connection, bound to `port`; 0: to any. NULL with a line in `error`.
struct udp *quic_connection_socket(struct quic_connection *connection, uint16_t port, char *error,
                                   size_t error_size);
// After anything that may let it send, or end.
void quic_connection_turn(struct quic_connection *connection);

// Gives quiche the request, and what may be sent of the flow's bytes.
void quic_stream_send(struct quic_connection *connection);
// Takes from quiche what has arrived.
void quic_stream_receive(struct quic_connection *connection);

// Data begins to flow: bytes in flight are counted from now on.
void quic_packets_start(struct quic_connection *connection);
// Packets to the link, as far as window, pacer and link allow, and one timer for whatever comes first of what
// they wait for.
void quic_packets_turn(struct quic_connection *connection);
// When a near end that only receives finds that it has heard nothing for too long.
void quic_packets_heard(struct quic_connection *connection, uint64_t now_ns);
// Only the packets that quiche has by now: a goodbye.
void quic_packets_last(struct quic_connection *connection);
void quic_packets_sample(struct quic_connection *connection, struct flow_sample *sample);
