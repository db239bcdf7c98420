// What the HTTP/3 lane has alone, against quiche's client over a link in memory: congestion control and
// pacing, losses, trailers, versions. What h2 does alike is in multiplexed_test.c.
#include "../h3_client.h"
#include "../lane_site.h"

#include "base/clock.h"
#include "test/native/cmocka_unit.h"
#include "test/native/json_values.h"

#include <netinet/in.h>
#include <openssl/rand.h>

enum { BIG_WINDOW = 6 * 1024 * 1024 };

static struct lane_site site;
LANE_SITE_FIXTURE(site)
static struct h3_client client;
static const struct h3_client_options plain = {.window_bytes = BIG_WINDOW, .delay_ns = NS_PER_MS};

// Opens the client, asks for these (each with its priority, or NULL) at once, and has them whole.
static void open_and_load(const struct h3_client_options *options, const char *const (*paths)[2],
                          size_t count) {
    struct seen *seen[2];
    assert_true(count <= 2);
    h3_client_open(&client, &site, options);
    for (size_t i = 0; i < count; i++)
        seen[i] = h3_client_request(&client, "GET", paths[i][0], paths[i][1], 0);
    h3_client_run(&client, count);
    for (size_t i = 0; i < count; i++)
        assert_whole(&site, seen[i], paths[i][0]);
}
#define OPEN_AND_LOAD(options, ...)                                                                          \
    open_and_load(options, (const char *const[][2]){__VA_ARGS__},                                            \
                  sizeof((const char *const[][2]){__VA_ARGS__}) / sizeof(char *[2]))

LANE_SITE_TEST(tells_of_its_connection) {
    OPEN_AND_LOAD(&plain, {"/small", NULL});
    h3_client_close(&client);

    json_t *report = lane_site_report(&site);
    json_t *connection = entry(report, "connections", 0);
    assert_string_equal(text(connection, "alpn"), "h3");
    assert_string_equal(text(connection, "tls_version"), "TLSv1.3");
    assert_string_equal(text(connection, "local_address"), "192.0.2.1");
    // The handshake took a round trip of the link.
    assert_true(number(connection, "secured_ns") - number(connection, "opened_ns") >=
                2 * (json_int_t)NS_PER_MS);
    json_decref(report);
}

// quiche's client acknowledges once for each batch of packets: by its own count.
LANE_SITE_TEST(tells_how_often_the_client_acknowledged) {
    const struct h3_client_options options = {.window_bytes = BIG_WINDOW, .delay_ns = 10 * NS_PER_MS};
    OPEN_AND_LOAD(&options, {"/large", NULL});
    quiche_stats stats;
    quiche_conn_stats(client.quic, &stats);
    h3_client_close(&client);
    json_t *report = lane_site_report(&site);
    const json_t *connections = json_object_get(report, "connections");
    const json_t *connection = json_array_get(connections, json_array_size(connections) - 1);
    const json_t *told = json_object_get(connection, "acks");
    const json_int_t packets = number(told, "packets"), acks = number(told, "acks");
    print_message("%lld packets, %lld acks; the client received %zu and sent %zu\n", (long long)packets,
                  (long long)acks, stats.recv, stats.sent);
    assert_in_range(packets, LARGE_BYTES / 1350, stats.recv + 64); // some were under way
    assert_in_range(acks, 1, stats.sent);
    // Most of what it sent: the rest was of the handshake, or raised the windows.
    assert_true(acks * 4 >= (json_int_t)stats.sent * 3);
    json_decref(report);
}

// With the initial window alone 4 MB take more than 300 round trips.
LANE_SITE_TEST(grows_its_window_while_responses_wait) {
    enum { ROUND_TRIPS_MAX = 100 };
    static const char *const congestion[] = {"cubic", "reno"};
    const uint64_t delay_ns = 10 * NS_PER_MS;
    for (size_t i = 0; i < 4; i++) {
        const struct h3_client_options options = {.window_bytes = BIG_WINDOW,
                                                  .delay_ns = delay_ns,
                                                  .congestion = congestion[i % 2],
                                                  .unpaced = i >= 2};
        OPEN_AND_LOAD(&options, {"/large", NULL});
        h3_client_close(&client);
        json_t *report = lane_site_report(&site);
        const json_t *request = entry(report, "requests", i);
        json_int_t took_ns = number(request, "end_ns") - number(request, "request_ns");
        if (took_ns > (json_int_t)(ROUND_TRIPS_MAX * 2 * delay_ns))
            fail_msg("%s, %spaced: %lld ms", congestion[i % 2], i >= 2 ? "un" : "",
                     (long long)(took_ns / (json_int_t)NS_PER_MS));
        json_decref(report);
    }
}

// Where the client's own window is the smaller one, and packets are lost on the way.
LANE_SITE_TEST(sends_large_heads_through_small_windows) {
    const struct h3_client_options small = {.window_bytes = 20000, .delay_ns = NS_PER_MS, .lose_of_1000 = 10};
    OPEN_AND_LOAD(&small, {"/long-header", NULL}, {"/long-empty", "i"});
    h3_client_close(&client);
}

LANE_SITE_TEST(refuses_a_malformed_request) {
    h3_client_open(&client, &site, &plain);
    struct seen *bad = h3_client_request(&client, "GET", "", NULL, 0);
    struct seen *good = h3_client_request(&client, "GET", "/small", NULL, 0);
    h3_client_run(&client, 2);
    assert_true(bad->reset);
    assert_whole(&site, good, "/small");
    h3_client_close(&client);
}

LANE_SITE_TEST(resets_requests_with_forbidden_trailers) {
    static const char *const forbidden[][2] = {{"x-a", "a\r\nb: c"}, {"x a", "a"}, {":path", "/large"}};
    h3_client_open(&client, &site, &plain);
    client.extra_in_trailers = true;
    for (size_t i = 0; i < sizeof forbidden / sizeof *forbidden; i++) {
        client.extra_name = forbidden[i][0];
        client.extra_value = forbidden[i][1];
        struct seen *bad = h3_client_request(&client, "GET", "/small", NULL, 0);
        h3_client_run(&client, i + 1);
        assert_int_equal(bad->status, 0);
        assert_true(bad->reset);
    }
    client.extra_name = "x-a";
    client.extra_value = "a";
    struct seen *good = h3_client_request(&client, "GET", "/small", NULL, 0);
    h3_client_run(&client, client.finished + 1);
    assert_whole(&site, good, "/small");
    h3_client_close(&client);
}

LANE_SITE_TEST(repairs_losses) {
    const struct h3_client_options lossy = {
        .window_bytes = BIG_WINDOW, .delay_ns = NS_PER_MS, .lose_of_1000 = 30};
    OPEN_AND_LOAD(&lossy, {"/large", NULL}, {"/small", NULL});
    h3_client_close(&client);
}

// The first flight after the handshake is an initial window; after that packets are spread over the round
// trip, and the window grows all the same.
LANE_SITE_TEST(paces) {
    const struct h3_client_options far = {.window_bytes = BIG_WINDOW, .delay_ns = 20 * NS_PER_MS};
    uint64_t start_ns = clock_now_ns();
    OPEN_AND_LOAD(&far, {"/large", NULL});
    uint64_t took_ns = clock_now_ns() - start_ns;
    // Its window grows past 1 MB (800 packets); unpaced, an acknowledgement's worth of it leaves at once.
    assert_true(client.most_to_client_at_once >= 10);
    assert_true(client.most_to_client_at_once < 200);
    // Doubling, 4 MB take about 11 round trips (0.44 s); held by the pacer it would be hundreds.
    assert_true(took_ns < 3 * NS_PER_S);
    h3_client_close(&client);
}

LANE_SITE_TEST(runs_bbr) {
    const struct h3_client_options bbr = {
        .window_bytes = BIG_WINDOW, .delay_ns = 5 * NS_PER_MS, .congestion = "bbr2"};
    OPEN_AND_LOAD(&bbr, {"/large", NULL});
    h3_client_close(&client);
}

static void make_room(void *context, uint64_t now_ns) {
    struct h3_client *c = context;
    (void)now_ns;
    c->refuse = false;
    h3_server_writable(c->server);
}

static void refuse_for_a_while(struct h3_client *c, struct seen *seen) {
    static struct loop_timer timer;
    if (c->refuse || seen->body_size < 500000 || timer.due) return;
    c->refuse = true;
    timer = (struct loop_timer){.due = make_room, .context = c};
    loop_timer_set(c->site->loop, &timer, clock_now_ns() + 3 * NS_PER_MS);
}

LANE_SITE_TEST(waits_for_room_on_the_link) {
    h3_client_open(&client, &site, &plain);
    client.on_body = refuse_for_a_while;
    struct seen *large = h3_client_request(&client, "GET", "/large", NULL, 0);
    h3_client_run(&client, 1);
    assert_whole(&site, large, "/large");
    h3_client_close(&client);
}

LANE_SITE_TEST(negotiates_the_version) {
    h3_client_open(&client, &site, &plain);
    uint8_t packet[1200] = {0xc0, 0xfa, 0xce, 0xb0, 0x0c, 8, 1, 2, 3, 4, 5, 6,
                            7,    8,    8,    9,    9,    9, 9, 9, 9, 9, 9};
    h3_client_inject(&client, packet, sizeof packet);
    struct seen *seen = h3_client_request(&client, "GET", "/small", NULL, 0);
    h3_client_run(&client, 1);
    assert_true(client.version_negotiation);
    assert_whole(&site, seen, "/small");
    h3_client_close(&client);
}

LANE_SITE_TEST(survives_mutated_packets) {
    // Every tenth packet has a bit flipped: most fail authentication and count as lost.
    const struct h3_client_options noisy = {
        .window_bytes = BIG_WINDOW, .delay_ns = NS_PER_MS, .mutate_of_1000 = 100};
    h3_client_open(&client, &site, &noisy);
    struct seen *large = h3_client_request(&client, "GET", "/large", NULL, 0);
    srand(1);
    for (int i = 0; i < 500; i++) {
        uint8_t packet[H3_CLIENT_BYTES_MAX];
        size_t size = (size_t)rand() % sizeof packet;
        RAND_bytes(packet, sizeof packet);
        if (i % 2 == 0) { // much like a first packet
            const uint8_t head[] = {(uint8_t)(0xc0 | rand() % 16), 0, 0, 0, 1, (uint8_t)(rand() % 24)};
            memcpy(packet, head, sizeof head);
            if (i % 4 == 0) size = 1200;
        }
        h3_client_inject(&client, packet, size);
    }
    h3_client_run(&client, 1);
    assert_whole(&site, large, "/large");
    h3_client_close(&client);
}

// First packets of clients that say no more.
static void open_handshakes(unsigned count) {
    struct sockaddr_in6 local = {.sin6_family = AF_INET6}, peer = {.sin6_family = AF_INET6};
    for (unsigned i = 0; i < count; i++) {
        uint8_t scid[16], packet[H3_CLIENT_BYTES_MAX];
        RAND_bytes(scid, sizeof scid);
        quiche_conn *quic =
            quiche_connect("a.test", scid, sizeof scid, (struct sockaddr *)&local, sizeof local,
                           (struct sockaddr *)&peer, sizeof peer, client.config);
        quiche_send_info info;
        ssize_t size = quiche_conn_send(quic, packet, 1200, &info);
        assert_true(size > 0);
        h3_client_inject(&client, packet, (size_t)size);
        quiche_conn_free(quic);
    }
}

LANE_SITE_TEST(bounds_how_many_handshakes_are_open) {
    enum { AT_MOST = 512 };
    OPEN_AND_LOAD(&plain, {"/small", NULL});
    open_handshakes(700);
    struct seen *after = h3_client_request(&client, "GET", "/large", NULL, 0);
    h3_client_run(&client, 2);
    assert_whole(&site, after, "/large"); // what is established is no concern of it
    h3_client_close(&client);
    json_t *report = lane_site_report(&site), *connection;
    size_t i, ended = 0, stayed = 0;
    json_array_foreach(json_object_get(report, "connections"), i, connection) {
        ended += strcmp(text(connection, "close_reason"), "too many handshakes at once") == 0;
        stayed += strcmp(text(connection, "close_reason"), "the server stopped") == 0;
    }
    assert_in_range(stayed, 2, AT_MOST + 1);
    assert_true(ended > 0);
    json_decref(report);
}

// Whoever floods does not keep a client out that comes after.
LANE_SITE_TEST(serves_beside_open_handshakes) {
    h3_client_open(&client, &site, &plain);
    open_handshakes(700);
    struct seen *seen = h3_client_request(&client, "GET", "/small", NULL, 0);
    h3_client_run(&client, 1);
    assert_whole(&site, seen, "/small");
    h3_client_close(&client);
}

// However many are finished, none of them counts as open.
LANE_SITE_TEST(forgets_handshakes_that_are_finished) {
    h3_client_open(&client, &site, &plain);
    for (unsigned i = 0; i < 520; i++) {
        if (i > 0) h3_client_reconnect(&client);
        struct seen *seen = h3_client_request(&client, "GET", "/small", NULL, 0);
        h3_client_run(&client, 1);
        assert_whole(&site, seen, "/small");
    }
    h3_client_close(&client);
}

LANE_SITE_TEST(reports_the_clients_goodbye) {
    OPEN_AND_LOAD(&plain, {"/small", NULL});
    quiche_conn_close(client.quic, true, 0x100, NULL, 0);
    h3_client_run(&client, 2); // until the client's draining is over
    h3_client_close(&client);
    json_t *report = lane_site_report(&site);
    json_t *connection = entry(report, "connections", 0);
    assert_string_equal(text(connection, "close_reason"), "");
    json_decref(report);
}
