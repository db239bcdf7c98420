// What a QUIC endpoint does when its client's address changes (RFC 9000, 9): a NAT gave it another port, or
// it came onto another network. quiche probes and follows; here are the limits that let it follow as often as
// a link moves, spare connection ids, what quiche has to know, and the times of each change. Does not route
// packets, nor make them.
#pragma once

#include "quic_io/path_change.h"

#include <netinet/in.h>
#include <quiche.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    // What quiche keeps of paths, left ones too, is bounded by active_connection_id_limit, and those of a
    // peer
    // with ids of no length, as Chromium's, are never let go: packets from one more address would be dropped.
    QUIC_PATHS_MOST = 512,
    QUIC_SPARE_IDS = 3, // that a peer has to move with
    // One that moves of its own accord loses one for good with each probe that is lost.
    QUIC_MOVING_SPARE_IDS = 16,
};

// Zeroed: the connection is where it began.
struct quiche_paths {
    size_t active; // quiche's index of it, when last looked for
    struct sockaddr_in6 peer;
    bool peer_known;
    struct path_change *changes;
    size_t count;
    size_t capacity;
    size_t missed; // for want of memory
    // Of a client that moved of its own accord, packets still come to its old address: when those that are
    // not acknowledged are lost; 0: there are none.
    uint64_t leave_ns;
};

void quiche_paths_configure(quiche_config *config);
void quiche_paths_free(struct quiche_paths *paths);

// Of the path that carries what is sent now. False: there is none.
bool quiche_paths_active(struct quiche_paths *paths, const quiche_conn *quic, quiche_path_stats *out);
// After packets came in: takes note of what became of paths. True if the peer's address is another one since.
bool quiche_paths_turn(struct quiche_paths *paths, quiche_conn *quic, uint64_t now_ns);
// A packet was made; `content`: it has more than probes and acknowledgements.
void quiche_paths_sent(struct quiche_paths *paths, bool content, uint64_t now_ns);

// The peer answered there, with packets as long as must fit; or did not, however often it was probed.
bool quiche_paths_is_validated(const quiche_path_stats *path);
bool quiche_paths_has_failed(const quiche_path_stats *path);
// What was sent on paths that were left, and not acknowledged by now, is lost.
void quiche_paths_leave(quiche_conn *quic);

// Gives the peer one more id, which is written to `id` (`size` random bytes). `moves`: of its own accord, so
// that its paths have one each. False: it has enough to spare.
bool quiche_paths_spare_id(quiche_conn *quic, bool moves, uint8_t *id, size_t size);
