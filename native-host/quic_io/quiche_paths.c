#include "quic_io/quiche_paths.h"

#include <openssl/rand.h>
#include <stdlib.h>
#include <string.h>

// FAILED and VALIDATED are of quiche's validation_state.
enum { FIRST_CAPACITY = 4, FAILED = -1, VALIDATED = 3, RESET_TOKEN_BYTES = 16 };

#ifdef TRILANE_QUICHE_CALLS_OURS
// native-host/quic/quiche/left_path.rs
void trilane_conn_leave_paths(quiche_conn *conn);
#else
static void trilane_conn_leave_paths(quiche_conn *conn) {
    (void)conn;
}
#endif

void quiche_paths_configure(quiche_config *config) {
    quiche_config_set_active_connection_id_limit(config, QUIC_PATHS_MOST);
}

void quiche_paths_free(struct quiche_paths *paths) {
    free(paths->changes);
    *paths = (struct quiche_paths){0};
}

bool quiche_paths_active(struct quiche_paths *paths, const quiche_conn *quic, quiche_path_stats *out) {
    if (quiche_conn_path_stats(quic, paths->active, out) == 0 && out->active) return true;
    for (size_t i = 0; quiche_conn_path_stats(quic, i, out) == 0; i++) {
        if (!out->active) continue;
        paths->active = i;
        return true;
    }
    return false;
}

static struct path_change *last_change(const struct quiche_paths *paths) {
    return paths->count > 0 && paths->missed == 0 ? &paths->changes[paths->count - 1] : NULL;
}

static void add_change(struct quiche_paths *paths, const struct path_change *change) {
    if (paths->count == paths->capacity) {
        const size_t capacity = paths->capacity ? paths->capacity * 2 : FIRST_CAPACITY;
        struct path_change *larger = realloc(paths->changes, capacity * sizeof *larger);
        if (!larger) {
            paths->missed++;
            return;
        }
        paths->changes = larger;
        paths->capacity = capacity;
    }
    paths->changes[paths->count++] = *change;
}

static bool same_address(const struct sockaddr_in6 *a, const struct sockaddr_in6 *b) {
    return a->sin6_port == b->sin6_port && memcmp(&a->sin6_addr, &b->sin6_addr, sizeof a->sin6_addr) == 0;
}

// True if the peer has come from an address that is new. What else they say is in the statistics too; quiche
// keeps those that are not taken.
static bool take_events(quiche_conn *quic) {
    bool is_new = false;
    for (quiche_path_event *event; (event = quiche_conn_path_event_next(quic));) {
        is_new |= quiche_path_event_type(event) == QUICHE_PATH_EVENT_NEW;
        quiche_path_event_free(event);
    }
    return is_new;
}

bool quiche_paths_is_validated(const quiche_path_stats *path) {
    return path->validation_state == VALIDATED;
}

bool quiche_paths_has_failed(const quiche_path_stats *path) {
    return path->validation_state == FAILED;
}

void quiche_paths_leave(quiche_conn *quic) {
    trilane_conn_leave_paths(quic);
}

bool quiche_paths_turn(struct quiche_paths *paths, quiche_conn *quic, uint64_t now_ns) {
    enum { ROUND_TRIPS = 3 };
    quiche_path_stats path, old;
    struct sockaddr_in6 peer;
    const bool had_old = quiche_conn_path_stats(quic, paths->active, &old) == 0;
    const bool is_new = take_events(quic);
    // A client that probes a new address is about to move there, which puts this off for three round trips
    // more: what it left before is given up first, or never would be where it moves more often than that.
    if (paths->leave_ns > 0 && (is_new || now_ns >= paths->leave_ns)) {
        paths->leave_ns = 0;
        quiche_paths_leave(quic);
    }
    if (!quiche_paths_active(paths, quic, &path)) return false;
    memcpy(&peer, &path.peer_addr, sizeof peer); // all of ours are IPv6
    const bool moved = paths->peer_known && !same_address(&paths->peer, &peer);
    paths->peer = peer;
    paths->peer_known = true;
    if (moved) {
        add_change(paths, &(struct path_change){.peer = peer, .seen_ns = now_ns});
        // Validated before anything else came from there: the client probed first (RFC 9000, 9.1).
        paths->leave_ns = had_old && quiche_paths_is_validated(&path) ? now_ns + ROUND_TRIPS * old.rtt : 0;
    }
    struct path_change *change = last_change(paths);
    if (!change) return moved;
    if (change->answered_ns == 0 && path.min_rtt > 0) {
        change->answered_ns = now_ns;
        // What was sent to the old address and was not acknowledged by now is lost.
        if (paths->leave_ns == 0) quiche_paths_leave(quic);
    }
    if (change->validated_ns == 0 && quiche_paths_is_validated(&path)) change->validated_ns = now_ns;
    return moved;
}

void quiche_paths_sent(struct quiche_paths *paths, bool content, uint64_t now_ns) {
    struct path_change *change = last_change(paths);
    if (content && change && change->resumed_ns == 0) change->resumed_ns = now_ns;
}

bool quiche_paths_spare_id(quiche_conn *quic, bool moves, uint8_t *id, size_t size) {
    uint8_t token[RESET_TOKEN_BYTES];
    uint64_t sequence;
    quiche_stats all;
    quiche_conn_stats(quic, &all);
    const size_t wanted = moves ? all.paths_count + QUIC_MOVING_SPARE_IDS : 1 + QUIC_SPARE_IDS;
    if (quiche_conn_active_scids(quic) >= wanted || quiche_conn_scids_left(quic) == 0) return false;
    RAND_bytes(id, size);
    RAND_bytes(token, sizeof token);
    return quiche_conn_new_scid(quic, id, size, token, false, &sequence) == 0;
}
