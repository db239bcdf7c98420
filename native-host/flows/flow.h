// One flow, and what the engine and a transport (TCP, TLS, QUIC) are to each other. The engine (engine.c)
// knows the plan: when a flow starts, how much it sends, when it is cut; it samples, counts and reports. A
// transport knows how its bytes get from one end to the other. Neither looks into the other.
//
// The life of a flow, at either end:
//
//   waiting -- open() --> opening -- flow_connected() --> running -- flow_ended() --> ended -- flow_closed()
//                            |                               |
//                            +-- flow_failed(), or cut by the engine (its time is over), or by the peer
//
// The near end is always the client. Flow i has the far port FLOW_FIRST_PORT + i to itself, TCP or UDP: there
// is no other agreement between the two ends, and each takes one connection for each flow.
#pragma once

#include "base/loop.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FLOW_PING_PORT = 20000, FLOW_FIRST_PORT = 20001, FLOWS_MAX = 1000 };

#define FLOW_UNAVAILABLE UINT64_MAX // a number that a transport does not have, also in the sample files

enum flow_direction { FLOW_DOWN, FLOW_UP }; // down: the far end sends

// As the plan has it (schemas/flow-run.schema.json).
struct flow_plan {
    const struct flow_transport *transport;
    char congestion[32];
    bool paced; // by the kernel, whatever the controller
    enum flow_direction direction;
    uint64_t start_ms;    // since the near end's start
    uint64_t duration_ms; // FLOW_UNAVAILABLE: until the run's end
    uint64_t size_bytes;  // FLOW_UNAVAILABLE: as much as there is time for
    uint64_t migrate_ms;  // between moves of the near end to another port; 0: it stays
};

// What a transport can tell of a flow now. The engine sets every member to FLOW_UNAVAILABLE before.
struct flow_sample {
    uint64_t cwnd_bytes;
    uint64_t ssthresh_bytes;
    uint64_t srtt_ns;
    uint64_t min_rtt_ns;
    uint64_t in_flight_bytes;
    uint64_t lost_packets;        // cumulative: that the sender took to be lost (TCP: retransmitted)
    uint64_t retransmitted_bytes; // cumulative
    uint64_t delivery_bps;        // the transport's own estimate
    uint64_t pacing_bps;
    uint64_t packets_sent; // cumulative, as what follows; only for the report
    uint64_t moves_begun;  // of a near end that moves of its own accord
    uint64_t moves_made;
};

struct flow;
struct path_change;

// One end of a run, as a transport sees it.
struct flow_end {
    struct loop *loop;
    bool is_near;
    const char *far_address; // where the near end connects to, in text form
    const char *qlog_folder; // NULL: no qlogs
};

// A transport: a table of functions, one in transports.c. All run on the loop's thread. `shared` is what
// open() made of the transport at this end, `connection` what connect() or listen() made of one flow.
struct flow_transport {
    const char *name; // as in the plan: "tcp", "tls", "quic"
    bool can_pace;    // flow_plan.paced is for it to set, and flow_is_paced() to say
    bool can_move;    // flow_plan.migrate_ms is for it to follow

    // Called once, before anything else, and only if the plan has flows of this transport. 0, or -1 with a
    // line in `error`.
    int (*open)(void **shared, const struct flow_end *end, char *error, size_t error_size);
    void (*close)(void *shared); // after all connections are closed; also NULL

    // Whether this end can use that congestion controller: 0, or -1 with a line in `error` that says which
    // ones there are ("TCP congestion control \"foo\": this kernel has reno cubic bbr"). Called before
    // anything is opened, at both ends.
    int (*check)(void *shared, const char *congestion, char *error, size_t error_size);

    // Far: waits for the flow's one client at `port`. Near: starts to connect to `port` of the far address.
    // NULL with a line in `error`. Neither calls back before it has returned.
    void *(*listen)(void *shared, struct flow *flow, uint16_t port, char *error, size_t error_size);
    void *(*connect)(void *shared, struct flow *flow, uint16_t port, char *error, size_t error_size);

    // Fills in what it knows: while the flow runs (each tick), and once before release().
    void (*sample)(void *connection, struct flow_sample *sample);

    // The flow's time is over, or the run's: takes what has arrived already (flow_received), then ends the
    // connection at once, so that the peer learns of it if a packet can still reach it. No waiting; no
    // callback but flow_received. release() follows.
    void (*cut)(void *connection);

    // Frees the connection, at the end of the turn in which flow_closed or flow_failed was called, or after
    // cut().
    void (*release)(void *connection);

    // May be NULL. The changes of the peer's address that the connection followed; they live as long as it.
    const struct path_change *(*moves)(const void *connection, size_t *count);

    // May be NULL. Once after each turn of the loop, before anything is released and before the next wait:
    // the place to send what the turn's callbacks gathered.
    void (*turn_end)(void *shared);
};

// --- What a transport reports to the engine. Each may be called from any callback of the loop; none of them
// frees anything before the turn has ended.

// Brackets each callback of the loop in which a transport works for a flow: CPU time is counted so.
void flow_enter(struct flow *flow);
void flow_leave(struct flow *flow);

const struct flow_plan *flow_plan_of(const struct flow *flow);
bool flow_is_sender(const struct flow *flow); // at this end

// Data may flow from now on: the handshake is done at this end. `local` and `peer` as "100.64.0.2:40001",
// `congestion` as read back from the connection, or NULL at an end that has none (a receiver); all copied.
void flow_connected(struct flow *flow, const char *local, const char *peer, const char *congestion);

// Of a sender whose transport can pace, with flow_connected: whether it does, as read back.
void flow_is_paced(struct flow *flow, bool paced);

// How many bytes the sender may send now: FLOW_UNAVAILABLE where there is no end, 0 where all were taken.
// The transport then says so to its peer (FIN).
uint64_t flow_bytes_left(const struct flow *flow);
// Content to send: FLOW_CONTENT_BYTES of it, any part of it any number of times. It does not compress.
enum { FLOW_CONTENT_BYTES = 256 * 1024 };
const uint8_t *flow_content(const struct flow *flow);
// The transport took so many bytes of the application at this end (TCP: the socket; QUIC: the stream).
void flow_sent(struct flow *flow, uint64_t bytes);
// The application at this end read so many bytes: this is what goodput is made of.
void flow_received(struct flow *flow, uint64_t bytes);
// Whether the receiver has all that the plan has the sender send.
bool flow_has_all(const struct flow *flow);

// All of a flow of a certain size is where it was to go. At the receiver: its application has it all; at the
// sender: it knows so (everything was acknowledged).
void flow_ended(struct flow *flow);
// After flow_ended: nothing more needs to be exchanged. The near end stays until its ended flows are closed
// (or some seconds have passed), so that the far end learns how they ended.
void flow_closed(struct flow *flow);
// The peer ended it before its end (a reset, CONNECTION_CLOSE). At the far end that is how a flow's time is
// over ("cut"); at the near end it has failed.
void flow_cut_by_peer(struct flow *flow);
// It cannot go on, or could not begin; `why` without a full stop ("Connection refused"), copied.
__attribute__((format(printf, 2, 3))) void flow_failed(struct flow *flow, const char *why, ...);
