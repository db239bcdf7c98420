// When the far end gives up what it sent on paths that its client left, in virtual time: of quiche there are
// only the functions that are asked, which answer for a client that is moved by hand.
#include "quic_io/quiche_paths.h"

#include "base/clock.h"
#include "test/native/cmocka_unit.h"

#include <arpa/inet.h>

enum { MOST_PATHS = 16, VALIDATED = 3, FIRST_PORT = 40000 };
static const uint64_t RTT_NS = 100 * NS_PER_MS;

struct client {
    size_t paths;
    size_t active;
    unsigned new_events;
    unsigned left;           // how often paths were given up
    size_t active_when_left; // the last time
};
static struct client client;
static struct quiche_paths paths;
// Nobody looks into it.
static char connection_place;

static quiche_conn *connection(void) {
    return (quiche_conn *)&connection_place;
}

int quiche_conn_path_stats(const quiche_conn *conn, size_t idx, quiche_path_stats *out) {
    (void)conn;
    if (idx >= client.paths) return -1;
    const struct sockaddr_in6 peer = {.sin6_family = AF_INET6,
                                      .sin6_port = htons((uint16_t)(FIRST_PORT + idx))};
    *out = (quiche_path_stats){.active = idx == client.active, .validation_state = VALIDATED, .rtt = RTT_NS};
    memcpy(&out->peer_addr, &peer, sizeof peer);
    return 0;
}

quiche_path_event *quiche_conn_path_event_next(quiche_conn *conn) {
    (void)conn;
    if (client.new_events == 0) return NULL;
    client.new_events--;
    return (quiche_path_event *)&connection_place;
}

enum quiche_path_event_type quiche_path_event_type(const quiche_path_event *ev) {
    (void)ev;
    return QUICHE_PATH_EVENT_NEW;
}

void quiche_path_event_free(quiche_path_event *ev) {
    (void)ev;
}

void trilane_conn_leave_paths(quiche_conn *conn);
void trilane_conn_leave_paths(quiche_conn *conn) {
    (void)conn;
    client.left++;
    client.active_when_left = client.active;
}

// What gives ids is not asked here.
void quiche_config_set_active_connection_id_limit(quiche_config *config, uint64_t v) {
    (void)config;
    (void)v;
}
void quiche_conn_stats(const quiche_conn *conn, quiche_stats *out) {
    (void)conn;
    (void)out;
}
size_t quiche_conn_scids_left(quiche_conn *conn) {
    (void)conn;
    return 0;
}
size_t quiche_conn_active_scids(quiche_conn *conn) {
    (void)conn;
    return 0;
}
int quiche_conn_new_scid(quiche_conn *conn, const uint8_t *scid, size_t scid_len, const uint8_t *reset_token,
                         bool retire_if_needed, uint64_t *scid_seq) {
    (void)conn;
    (void)scid;
    (void)scid_len;
    (void)reset_token;
    (void)retire_if_needed;
    (void)scid_seq;
    return -1;
}

static bool turn(uint64_t now_ns) {
    return quiche_paths_turn(&paths, connection(), now_ns);
}

static void begin(void) {
    client = (struct client){.paths = 1};
    assert_false(turn(0));
}

static void probe(uint64_t now_ns) {
    client.paths++;
    client.new_events = 1;
    assert_false(turn(now_ns));
}

static void move(uint64_t now_ns) {
    client.active = client.paths - 1;
    assert_true(turn(now_ns));
}

static int end(void **state) {
    quiche_paths_free(&paths);
    return 0;
}

UNIT_TEST_AS(gives_up_after_three_round_trips, void, , NULL, end) {
    begin();
    probe(NS_PER_S);
    move(NS_PER_S + RTT_NS);
    assert_false(turn(NS_PER_S + 4 * RTT_NS - 1));
    assert_int_equal(client.left, 0);
    assert_false(turn(NS_PER_S + 4 * RTT_NS));
    assert_int_equal(client.left, 1);
    assert_false(turn(2 * NS_PER_S));
    assert_int_equal(client.left, 1);
}

UNIT_TEST_AS(gives_up_what_was_left_before_though_each_move_comes_sooner, void, , NULL, end) {
    begin();
    const uint64_t every_ns = 2 * RTT_NS;
    for (unsigned moves = 0; moves < MOST_PATHS - 1; moves++) {
        const uint64_t now_ns = NS_PER_S + moves * every_ns;
        probe(now_ns);
        // The path in use is not left yet: what is under way on it may still arrive.
        assert_int_equal(client.left, moves);
        if (moves > 0) assert_int_equal(client.active_when_left, moves);
        move(now_ns + RTT_NS);
        assert_int_equal(client.left, moves);
    }
    assert_false(turn(NS_PER_S + MOST_PATHS * every_ns + 3 * RTT_NS));
    assert_int_equal(client.left, MOST_PATHS - 1);
}

UNIT_TEST_AS(a_probe_alone_gives_up_nothing, void, , NULL, end) {
    begin();
    probe(NS_PER_S);
    probe(2 * NS_PER_S);
    assert_int_equal(client.left, 0);
}
