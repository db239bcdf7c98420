// A client whose address changes while it loads over HTTP/3: quiche's client behind a NAT in memory that
// loses its binding. The server follows, on the same connection, however often. Nothing is held to a time.
#include "../h3_client.h"
#include "../lane_site.h"

#include "base/clock.h"
#include "replay/h3/quic.h"
#include "test/native/cmocka_unit.h"
#include "test/native/json_values.h"

enum {
    BIG_WINDOW = 6 * 1024 * 1024,
    INITIAL_WINDOW = 10 * 1350,
    PROBES = 10 * 1350 // after timeouts
};

static struct lane_site site;
LANE_SITE_FIXTURE(site)
static struct h3_client client;
static unsigned loads;      // on this site
static unsigned moves;      // so many in all
static size_t bytes_a_move; // of the body

static void move_now_and_then(struct h3_client *c, struct seen *seen) {
    const unsigned made = (unsigned)(c->nat_port - 40000);
    if (made < moves && seen->body_size >= (made + 1) * bytes_a_move) h3_client_rebind(c);
}

// Each change was followed by an answer from there, and content for it, before the next.
static void assert_followed(const json_t *connection, unsigned count) {
    const json_t *changes = json_object_get(connection, "path_changes");
    assert_int_equal(json_array_size(changes), count);
    json_int_t before_ns = number(connection, "secured_ns");
    for (unsigned i = 0; i < count; i++) {
        const json_t *change = json_array_get(changes, i);
        char peer[32];
        snprintf(peer, sizeof peer, "100.64.0.2:%u", 40001 + i);
        assert_string_equal(text(change, "peer"), peer);
        assert_true(number(change, "seen_ns") > before_ns);
        assert_true(number(change, "answered_ns") >= number(change, "seen_ns"));
        assert_true(number(change, "validated_ns") >= number(change, "seen_ns"));
        assert_true(number(change, "resumed_ns") >= number(change, "seen_ns"));
        before_ns = number(change, "answered_ns");
    }
}

// All that did not go to a port of before is the response, with what its packets and frames add. What did is
// no more than was in flight at a move: of a window that began anew at the move before, and grew by what came
// since.
static void assert_lost_alone_is_sent_again(unsigned count) {
    const size_t arrived = client.bytes_to_client - client.bytes_to_old_port;
    assert_true(arrived > LARGE_BYTES && arrived < LARGE_BYTES / 100 * 105);
    assert_true(client.bytes_to_old_port <= arrived + count * (INITIAL_WINDOW + PROBES));
}

static void load_while_moving(const struct h3_client_options *options, unsigned count, size_t every_bytes) {
    moves = count;
    bytes_a_move = every_bytes;
    h3_client_open(&client, &site, options);
    client.on_body = move_now_and_then;
    struct seen *large = h3_client_request(&client, "GET", "/large", NULL, 0);
    h3_client_run(&client, 1);
    assert_whole(&site, large, "/large");
    assert_int_equal(client.nat_port - 40000, count);
    assert_lost_alone_is_sent_again(count);
    h3_client_close(&client);
    json_t *report = lane_site_report(&site);
    const json_t *connections = json_object_get(report, "connections");
    assert_int_equal(json_array_size(connections), ++loads); // one handshake for each
    assert_followed(json_array_get(connections, loads - 1), count);
    json_decref(report);
}

LANE_SITE_TEST(follows_a_client_that_moves) {
    loads = 0;
    const struct h3_client_options options = {.window_bytes = BIG_WINDOW, .delay_ns = 5 * NS_PER_MS};
    load_while_moving(&options, 3, 1000 * 1000);
    assert_true(client.lost_to_old_port > 0);
}

// As Chromium's ids; of the paths of such a peer quiche lets none go.
LANE_SITE_TEST(follows_a_client_without_ids_again_and_again) {
    loads = 0;
    const struct h3_client_options options = {
        .window_bytes = BIG_WINDOW, .delay_ns = NS_PER_MS, .without_ids = true};
    load_while_moving(&options, 20, 200 * 1000);
}

LANE_SITE_TEST(follows_with_each_controller) {
    loads = 0;
    static const char *const names[] = {"reno", "bbr2", "cubic-n2"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char error[256];
        if (quic_check_congestion_control(names[i], error, sizeof error) < 0) continue; // built without ours
        const struct h3_client_options options = {.window_bytes = BIG_WINDOW,
                                                  .delay_ns = 5 * NS_PER_MS,
                                                  .without_ids = true,
                                                  .congestion = names[i]};
        load_while_moving(&options, 3, 1000 * 1000);
    }
}

// Once it has moved it may be known by another id, which the server routes to its connection.
LANE_SITE_TEST(routes_the_ids_that_it_gives) {
    const struct h3_client_options options = {.window_bytes = BIG_WINDOW, .delay_ns = NS_PER_MS};
    h3_client_open(&client, &site, &options);
    struct seen *before = h3_client_request(&client, "GET", "/small", NULL, 0);
    h3_client_run(&client, 1);
    assert_whole(&site, before, "/small");
    assert_int_equal(quiche_conn_available_dcids(client.quic), 0);
    h3_client_rebind(&client);
    struct seen *after = h3_client_request(&client, "GET", "/large", NULL, 0);
    h3_client_run(&client, 2);
    assert_whole(&site, after, "/large");
    assert_true(quiche_conn_available_dcids(client.quic) > 0);

    // It has used the first one, which it now gives up.
    assert_int_equal(quiche_conn_retire_dcid(client.quic, 0), 0);
    struct seen *last = h3_client_request(&client, "GET", "/many/1", NULL, 0);
    h3_client_run(&client, 3);
    assert_whole(&site, last, "/many/1");
    h3_client_close(&client);
}
