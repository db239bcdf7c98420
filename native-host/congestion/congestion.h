// Congestion controllers of our own: what a QUIC stack reports to one and wants of it. Virtual time: a
// controller never looks at a clock, sends nothing, detects no loss and sets no timer; its owner says what
// happened and when. quiche_congestion.h gives one to quiche; tests and simulations call it directly.
//
// Times are nanoseconds of one monotonic clock and never go back, sizes are bytes of UDP payload.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The layouts of these structures are also in native-host/quic/quiche/controller.rs.

struct congestion_start {
    uint64_t datagram_bytes; // the largest that is sent
    uint64_t initial_window_packets;
};

struct congestion_packet {
    uint64_t number; // in its packet number space
    uint64_t sent_ns;
    uint64_t bytes;
    // Of lost packets only.
    bool ack_eliciting;
    bool after_acked; // a packet sent between the one before and this one was acknowledged
};

// The sender's estimates (RFC 9002, section 5). smoothed_ns and variation_ns are guesses before the first
// sample.
struct congestion_rtt {
    uint64_t latest_ns; // 0: no sample yet
    uint64_t smoothed_ns;
    uint64_t variation_ns;
    uint64_t min_ns;
    uint64_t max_ack_delay_ns; // that the peer promised
};

struct congestion_sent {
    uint64_t now_ns;
    uint64_t bytes;
    uint64_t in_flight_bytes; // before this packet
};

// One ACK frame. `lost` comes first, if it also shows losses.
struct congestion_acked {
    uint64_t now_ns;
    uint64_t in_flight_bytes; // before these packets left it
    uint64_t ack_delay_ns;    // that the peer reported
    bool app_limited;         // the window was not full when last something was sent
    struct congestion_rtt rtt;
    const struct congestion_packet *packets; // newly acknowledged
    uint64_t packet_count;
};

struct congestion_lost {
    uint64_t now_ns;
    uint64_t in_flight_bytes; // before these packets left it
    uint64_t space;           // 0 Initial, 1 Handshake, 2 application data
    struct congestion_rtt rtt;
    const struct congestion_packet *packets; // all of this space, in the order of their numbers
    uint64_t packet_count;
};

enum congestion_phase {
    CONGESTION_SLOW_START,
    CONGESTION_CONSERVATIVE_SLOW_START, // RFC 9406
    CONGESTION_AVOIDANCE,
    CONGESTION_RECOVERY,
};

struct congestion_window {
    uint64_t window_bytes;
    uint64_t ssthresh_bytes; // UINT64_MAX: none yet
    uint64_t pacing_bps;     // bits per second; 0: it sets none, pace by the window
    uint32_t phase;          // enum congestion_phase
};

struct congestion_controller {
    const char *name; // as the user says it
    uint32_t flows;   // cubic_n.h: that it behaves as
    // A path's state, or NULL when memory is short. Everything but this and `close` gets it as `state`.
    void *(*open)(const struct congestion_controller *controller, const struct congestion_start *start);
    void (*sent)(void *state, const struct congestion_sent *sent);
    void (*acked)(void *state, const struct congestion_acked *acked);
    void (*lost)(void *state, const struct congestion_lost *lost);
    void (*window)(const void *state, struct congestion_window *out);
    void (*close)(void *state);
    // Of these controller.rs does not know. All that the window allows leaves at once: pacing would spoil
    // what it measures.
    bool is_unpaced;
    // Its receiver has to acknowledge each packet by itself.
    bool wants_single_acks;
};

// Of that name, or NULL.
const struct congestion_controller *congestion_find(const char *name);
// All, in the order in which they are listed; NULL past the last.
const struct congestion_controller *congestion_at(size_t index);

// Each is in the file of its name, which says what it is. cubic_n: by N - 1.
enum { CUBIC_N_MOST = 4 };
extern const struct congestion_controller cubic_n[CUBIC_N_MOST], gcc, inter_arrival;
// Two names for one, by what its receiver does: it acknowledges each packet by itself, as one of ours; or as
// it likes, which a browser does.
extern const struct congestion_controller sprout_ewma, sprout_ewma_acks;
