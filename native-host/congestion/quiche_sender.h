// Packets of one QUIC connection out, for any endpoint: quiche makes them while the pacer lets them go, and
// they leave in bursts; a packet that quiche itself wants out later (its BBR paces) waits in the burst. Keeps
// an account of the streams' bytes that quiche holds. Gives quiche no data, and sets no timer.
#pragma once

#include "quic_io/burst.h"
#include "quic_io/pacer.h"
#include "quic_io/quiche_paths.h"

#include <quiche.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { QUICHE_AEAD_TAG_BYTES = 16 };

enum quiche_packets {
    PACKETS_MADE,
    PACKETS_DRAINED, // quiche has no more: the last burst is still to be sent
    PACKETS_PACED,   // the pacer wants a pause
    PACKETS_WAIT,    // a packet has to wait, for its time or for room on the link
};

// Zeroed, and then the first three set.
struct quiche_sender {
    size_t payload_bytes; // of a packet, at most
    size_t head_bytes;    // of a packet, what is not a stream's: head, number, tag and the frame's head
    bool paced;           // by our pacer
    struct quiche_paths paths;
    struct pacer pacer;
    uint64_t held_bytes; // of streams, that quiche has made no packets of: about
    uint64_t lost_bytes; // so far
    uint64_t lost_packets;
    struct burst burst;
};

// After packets came in: the active path as it is now, and the pacer goes by it. False: there is none.
bool quiche_sender_update(struct quiche_sender *sender, const quiche_conn *quic, quiche_path_stats *path);
// What was lost quiche sends again, so it holds it again.
void quiche_sender_count_lost(struct quiche_sender *sender, const quiche_stats *all);
// Makes one packet, of *size bytes if it is PACKETS_MADE; what stood in its way left by `link`.
enum quiche_packets quiche_sender_make(struct quiche_sender *sender, quiche_conn *quic,
                                       const struct udp_link *link, size_t *size);
// Sends what is due. True if nothing is left.
bool quiche_sender_flush(struct quiche_sender *sender, const struct udp_link *link);
// Makes quiche take note that the application is not what limits: without that the window would not grow
// while the pacer holds packets back. Call it if quiche holds something.
void quiche_sender_not_application_limited(quiche_conn *quic);
// When it may go on after `packets`, or a timer of quiche's runs out; UINT64_MAX: nothing is waited for.
uint64_t quiche_sender_due_ns(const struct quiche_sender *sender, const quiche_conn *quic,
                              enum quiche_packets packets);
