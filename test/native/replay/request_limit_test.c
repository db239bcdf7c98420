// A client that begins a request and does not finish it loses its connection, in every lane; one between two
// requests, or one whose body goes on, does not. The limit is short here; it is 60 s in trilane-replay.
#include "h1_client.h"
#include "lane_client.h"

#include "base/clock.h"
#include "test/native/cmocka_unit.h"
#include "test/native/json_values.h"

#include <sys/socket.h>

static const uint64_t LIMIT_NS = 500 * NS_PER_MS;
static const uint64_t LATE_NS = 60 * NS_PER_S;

static struct lane_site site;

static int set_up(void **state) {
    if (lane_site_open(&site) != 0) return -1;
    exchange_site_limit_requests(site.site, site.loop, LIMIT_NS);
    return 0;
}

static int tear_down(void **state) {
    lane_site_close(&site);
    return 0;
}

static void stop(void *context, uint64_t now_ns) {
    (void)now_ns;
    loop_stop(((struct lane_site *)context)->loop);
}

// Several limits long, in which nothing is to happen.
static void wait_long(void) {
    struct loop_timer timer = {.due = stop, .context = &site};
    loop_timer_set(site.loop, &timer, clock_now_ns() + 2 * LIMIT_NS);
    lane_site_run(&site);
    loop_timer_clear(site.loop, &timer);
}

// --- what is not finished

// What a client has written in h3_bytes, once.
static const char *h3_bytes;
static size_t h3_size;

static void write_once(struct h3_client *client) {
    uint64_t error;
    if (!h3_bytes) return;
    quiche_conn_stream_send(client->quic, 2, (const uint8_t *)"\x00\x04\x00", 3, false, &error);
    assert_int_equal(
        quiche_conn_stream_send(client->quic, 0, (const uint8_t *)h3_bytes, h3_size, false, &error), h3_size);
    h3_bytes = NULL;
}

static void h1_until_ended(const char *bytes, size_t size) {
    struct h1_client client = {.site = &site, .input = bytes, .input_size = size, .step_bytes = SIZE_MAX};
    h1_client_converse(&client);
    assert_true(client.ended);
    assert_int_equal(h1_client_count(&client, "HTTP/1.1 408 "), 1);
    buf_free(&client.answer);
}

static void h2_until_ended(const char *bytes, size_t size) {
    struct h2_client client;
    h2_client_open_raw(&client, &site);
    assert_int_equal(send(client.watch.fd, bytes, size, MSG_NOSIGNAL), size);
    lane_site_run(&site);
    assert_true(client.closed);
    h2_client_close(&client);
}

static void h3_until_ended(const char *bytes, size_t size) {
    static struct h3_client client;
    const struct h3_client_options options = {
        .window_bytes = 1024 * 1024, .delay_ns = NS_PER_MS, .on_turn = write_once};
    h3_bytes = bytes;
    h3_size = size;
    h3_client_open(&client, &site, &options);
    h3_client_run(&client, 1);
    assert_true(client.stopped);
    h3_client_close(&client);
}

#define BYTES(text) text, sizeof(text) - 1
#define H2_START "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"
// :method GET, :scheme https, :path /, and that the head goes on in a frame to come.
#define H2_PART_OF_HEADERS "\0\0\3\1\1\0\0\0\1\x82\x87\x84"
#define H2_POST                                                                                              \
    "\0\0\x0b\1\4\0\0\0\1\x83\x87\x84\x41\x06"                                                               \
    "a.test"
#define H3_PART_OF_HEADERS "\x01\x14\0\0\xd1\xd7\x50\x06\x61.te"
#define H3_GET H3_PART_OF_HEADERS "st\x51\x06/small"
#define H3_PART_OF_DATA                                                                                      \
    "\0\x0a"                                                                                                 \
    "abc"

static const struct unfinished {
    const char *name;
    void (*until_ended)(const char *bytes, size_t size);
    const char *bytes;
    size_t size;
    size_t requests; // that the report has
} unfinished[] = {
    {"h1, a head", h1_until_ended, BYTES("GET /small HTTP/1.1\r\nHost: a.t"), 0},
    {"h1, a body", h1_until_ended,
     BYTES("POST /small HTTP/1.1\r\nHost: a.test\r\nContent-Length: 10\r\n\r\nabc"), 1},
    {"h2, no request", h2_until_ended, BYTES(H2_START), 0},
    {"h2, a head", h2_until_ended, BYTES(H2_START H2_PART_OF_HEADERS), 0},
    {"h2, a body", h2_until_ended, BYTES(H2_START H2_POST), 1},
    {"h3, a head", h3_until_ended, BYTES(H3_PART_OF_HEADERS), 0},
    {"h3, a body", h3_until_ended, BYTES(H3_GET H3_PART_OF_DATA), 1},
};
enum { UNFINISHED = sizeof unfinished / sizeof *unfinished };

UNIT_TEST(ends_the_connection) {
    for (size_t i = 0; i < UNFINISHED; i++) {
        print_message("%s\n", unfinished[i].name);
        assert_int_equal(set_up(NULL), 0);
        const uint64_t start_ns = clock_now_ns();
        unfinished[i].until_ended(unfinished[i].bytes, unfinished[i].size);
        const uint64_t took_ns = clock_now_ns() - start_ns;
        assert_true(took_ns >= LIMIT_NS - NS_PER_MS);
        assert_true(took_ns < LATE_NS);
        json_t *report = lane_site_report(&site);
        assert_string_equal(text(entry(report, "connections", 0), "close_reason"),
                            "a request was not finished in time");
        assert_int_equal(json_array_size(json_object_get(report, "requests")), unfinished[i].requests);
        json_decref(report);
        tear_down(NULL);
    }
}

// --- between requests

UNIT_TEST_AS(h1_stays_between_requests, void, , set_up, tear_down) {
    static const char input[] = "GET /small HTTP/1.1\r\nHost: a.test\r\n\r\n";
    struct loop_timer timer = {.due = stop, .context = &site};
    struct h1_client client = {
        .site = &site, .input = input, .input_size = sizeof input - 1, .step_bytes = SIZE_MAX};
    loop_timer_set(site.loop, &timer, clock_now_ns() + 2 * LIMIT_NS);
    h1_client_converse(&client);
    assert_false(client.ended);
    assert_int_equal(h1_client_count(&client, "HTTP/1.1 200 "), 1);
    loop_remove(site.loop, &client.watch);
    buf_free(&client.answer);
}

OVER_BOTH(stays_between_requests, set_up, tear_down) {
    static struct lane_client client;
    lane_client_open(&client, kind, &site, 1024 * 1024);
    lane_client_request(&client, "GET", "/small", NULL, 0);
    lane_client_run(&client, 1);
    wait_long();
    struct seen *seen = lane_client_request(&client, "GET", "/small", NULL, 0);
    lane_client_run(&client, 2);
    assert_whole(&site, seen, "/small");
    lane_client_close(&client);
}

static uint64_t reset_ns; // when the client takes its requests back; 0: it has

static void write_and_reset(struct h3_client *client) {
    write_once(client);
    if (reset_ns == 0 || clock_now_ns() < reset_ns) return;
    reset_ns = 0;
    quiche_conn_stream_shutdown(client->quic, 0, QUICHE_SHUTDOWN_WRITE, 0x10c);
    quiche_conn_stream_shutdown(client->quic, 0, QUICHE_SHUTDOWN_READ, 0x10c);
}

static void send_again(void *context, uint64_t now_ns) {
    (void)now_ns;
    h3_client_send(context);
}

// As browsers do with what a page no longer wants.
static void assert_h3_stays_after_a_reset(const char *bytes, size_t size) {
    static struct h3_client client;
    const struct h3_client_options options = {
        .window_bytes = 1024 * 1024, .delay_ns = NS_PER_MS, .on_turn = write_and_reset};
    struct loop_timer timer = {.due = send_again, .context = &client};
    h3_bytes = bytes;
    h3_size = size;
    reset_ns = clock_now_ns() + LIMIT_NS / 3;
    h3_client_open(&client, &site, &options);
    loop_timer_set(site.loop, &timer, reset_ns + NS_PER_MS);
    h3_client_send(&client);
    wait_long();
    assert_int_equal(reset_ns, 0);
    assert_false(client.stopped);
    h3_client_close(&client);
}

UNIT_TEST_AS(h3_stays_after_a_cancelled_head, void, , set_up, tear_down) {
    assert_h3_stays_after_a_reset(BYTES(H3_PART_OF_HEADERS));
}

UNIT_TEST_AS(h3_stays_after_a_cancelled_upload, void, , set_up, tear_down) {
    assert_h3_stays_after_a_reset(BYTES(H3_GET H3_PART_OF_DATA));
}

// --- bodies that take longer than the limit

static struct exchange *upload;
static bool overdue;

static void on_overdue(void *context, uint64_t now_ns) {
    (void)context, (void)now_ns;
    overdue = true;
    loop_stop(site.loop);
}

static void go_on(void *context, uint64_t now_ns) {
    static const char piece[EXCHANGE_PROGRESS_BYTES];
    exchange_request_body(upload, piece, sizeof piece);
    loop_timer_set(site.loop, context, now_ns + LIMIT_NS / 3);
}

UNIT_TEST_AS(bodies_that_go_on_may_take_long, void, , set_up, tear_down) {
    const struct exchange_request request = {.method = "POST",
                                             .method_size = 4,
                                             .scheme = "https",
                                             .authority = "a.test",
                                             .authority_size = 6,
                                             .path = "/small",
                                             .path_size = 6};
    struct exchange_connection *connection =
        exchange_connection_open(site.site, LANE_H1, "192.0.2.1", 443, clock_now_ns());
    exchange_connection_on_overdue(connection, on_overdue, NULL);
    upload = exchange_begin(connection, &request, clock_now_ns());
    struct loop_timer timer = {.due = go_on, .context = &timer};
    loop_timer_set(site.loop, &timer, clock_now_ns());
    wait_long();
    assert_false(overdue);
    loop_timer_clear(site.loop, &timer); // it stops
    lane_site_run(&site);
    assert_true(overdue);
    exchange_connection_close(connection, EXCHANGE_OVERDUE, clock_now_ns());
}
