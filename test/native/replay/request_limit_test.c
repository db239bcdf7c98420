// A client that begins a request and does not finish it loses its connection, in every lane; one between two
// requests, or one whose body goes on, does not. The limit is short here; it is 60 s in trilane-replay.
#include "h1_client.h"
#include "h2_client.h"
#include "h3_client.h"
#include "lane_site.h"

#include "base/clock.h"
#include "test/native/cmocka_unit.h"

#include <string.h>
#include <sys/socket.h>

static const uint64_t LIMIT_NS = 500 * NS_PER_MS;
static const uint64_t LATE_NS = 60 * NS_PER_S;

static struct lane_site site;

static int set_up(void **state) {
    if (lane_site_set_up(state) != 0) return -1;
    exchange_site_limit_requests(site.site, site.loop, LIMIT_NS);
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

static void assert_overdue(uint64_t start_ns, bool had_request) {
    const uint64_t took_ns = clock_now_ns() - start_ns;
    assert_true(took_ns >= LIMIT_NS - NS_PER_MS);
    assert_true(took_ns < LATE_NS);
    json_t *report = lane_site_report(&site);
    const json_t *connection = json_array_get(json_object_get(report, "connections"), 0);
    assert_string_equal(json_string_value(json_object_get(connection, "close_reason")),
                        "a request was not finished in time");
    assert_int_equal(json_array_size(json_object_get(report, "requests")), had_request ? 1 : 0);
    json_decref(report);
}

// --- h1

static void assert_h1_ends(const char *input, bool has_head) {
    struct h1_client client = {
        .site = &site, .input = input, .input_size = strlen(input), .step_bytes = SIZE_MAX};
    const uint64_t start_ns = clock_now_ns();
    h1_client_converse(&client);
    assert_true(client.ended);
    assert_int_equal(h1_client_count(&client, "HTTP/1.1 408 "), 1);
    buf_free(&client.answer);
    assert_overdue(start_ns, has_head);
}

static void h1_ends_with_a_partial_head(void **state) {
    assert_h1_ends("GET /small HTTP/1.1\r\nHost: a.t", false);
}

static void h1_ends_with_a_partial_body(void **state) {
    assert_h1_ends("POST /small HTTP/1.1\r\nHost: a.test\r\nContent-Length: 10\r\n\r\nabc", true);
}

static void h1_stays_between_requests(void **state) {
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

// --- h2

#define PREFACE "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
#define SETTINGS_FRAME "\0\0\0\4\0\0\0\0\0"
// :method GET, :scheme https, :path /; the flags say which ends come with it.
#define HEADERS_FRAME(flags) "\0\0\3\1" flags "\0\0\0\1\x82\x87\x84"

static void assert_h2_ends(const char *bytes, size_t size, bool has_head) {
    struct h2_client client;
    const uint64_t start_ns = clock_now_ns();
    h2_client_open_raw(&client, &site);
    assert_int_equal(send(client.watch.fd, bytes, size, MSG_NOSIGNAL), size);
    lane_site_run(&site);
    assert_true(client.closed);
    assert_overdue(start_ns, has_head);
    h2_client_close(&client);
}

static void h2_ends_without_a_request(void **state) {
    static const char bytes[] = PREFACE SETTINGS_FRAME;
    assert_h2_ends(bytes, sizeof bytes - 1, false);
}

static void h2_ends_without_a_continuation(void **state) {
    static const char bytes[] = PREFACE SETTINGS_FRAME HEADERS_FRAME("\x01");
    assert_h2_ends(bytes, sizeof bytes - 1, false);
}

static void h2_ends_with_a_partial_body(void **state) {
    static const char bytes[] = PREFACE SETTINGS_FRAME "\0\0\x0b\1\4\0\0\0\1\x83\x87\x84\x41\x06"
                                                       "a.test";
    assert_h2_ends(bytes, sizeof bytes - 1, true);
}

static void h2_stays_between_requests(void **state) {
    struct h2_client client;
    h2_client_open(&client, &site, 1024 * 1024);
    h2_client_request(&client, "GET", "/small", NULL, 0);
    h2_client_run(&client, 1);
    wait_long();
    struct seen *seen = h2_client_request(&client, "GET", "/small", NULL, 0);
    h2_client_run(&client, 2);
    assert_whole(&site, seen, "/small");
    h2_client_close(&client);
}

// --- h3

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

static void assert_h3_ends(const char *bytes, size_t size, bool has_head) {
    static struct h3_client client;
    const struct h3_client_options options = {
        .window_bytes = 1024 * 1024, .delay_ns = NS_PER_MS, .on_turn = write_once};
    h3_bytes = bytes;
    h3_size = size;
    const uint64_t start_ns = clock_now_ns();
    h3_client_open(&client, &site, &options);
    h3_client_run(&client, 1);
    assert_true(client.stopped);
    assert_overdue(start_ns, has_head);
    h3_client_close(&client);
}

#define HEAD                                                                                                 \
    "\x01\x14\0\0\xd1\xd7\x50\x06"                                                                           \
    "a.test\x51\x06/small"

static void h3_ends_with_a_partial_head(void **state) {
    static const char head[] = HEAD;
    assert_h3_ends(head, 12, false);
}

static void h3_ends_with_a_partial_body(void **state) {
    static const char head_and_body[] = HEAD "\0\x0a"
                                             "abc";
    assert_h3_ends(head_and_body, sizeof head_and_body - 1, true);
}

static void h3_stays_between_requests(void **state) {
    static struct h3_client client;
    const struct h3_client_options options = {.window_bytes = 1024 * 1024, .delay_ns = NS_PER_MS};
    h3_client_open(&client, &site, &options);
    h3_client_request(&client, "GET", "/small", NULL, 0);
    h3_client_run(&client, 1);
    wait_long();
    struct seen *seen = h3_client_request(&client, "GET", "/small", NULL, 0);
    h3_client_run(&client, 2);
    assert_whole(&site, seen, "/small");
    h3_client_close(&client);
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

static void h3_stays_after_a_cancelled_head(void **state) {
    static const char head[] = HEAD;
    assert_h3_stays_after_a_reset(head, 12);
}

static void h3_stays_after_a_cancelled_upload(void **state) {
    static const char head_and_body[] = HEAD "\0\x0a"
                                             "abc";
    assert_h3_stays_after_a_reset(head_and_body, sizeof head_and_body - 1);
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

static void bodies_that_go_on_may_take_long(void **state) {
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

int main(void) {
#define TEST(name) cmocka_unit_test_prestate_setup_teardown(name, set_up, lane_site_tear_down, &site)
    const struct CMUnitTest tests[] = {
        TEST(h1_ends_with_a_partial_head),     TEST(h1_ends_with_a_partial_body),
        TEST(h1_stays_between_requests),       TEST(h2_ends_without_a_request),
        TEST(h2_ends_without_a_continuation),  TEST(h2_ends_with_a_partial_body),
        TEST(h2_stays_between_requests),       TEST(h3_ends_with_a_partial_head),
        TEST(h3_ends_with_a_partial_body),     TEST(h3_stays_between_requests),
        TEST(h3_stays_after_a_cancelled_head), TEST(h3_stays_after_a_cancelled_upload),
        TEST(bodies_that_go_on_may_take_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
