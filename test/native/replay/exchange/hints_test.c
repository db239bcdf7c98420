// Recorded 103 responses (Early Hints): every lane sends them at their times before the answer, to nobody who
// cannot take them, and not at all where they are left out.
#include "../h1_client.h"
#include "../lane_client.h"
#include "base/clock.h"
#include "test/native/cmocka_unit.h"
#include "test/native/json_values.h"

enum { THINK_MS = 40, SECOND_MS = 15, FINAL_FIELDS = 3 };

static struct lane_site site;
static struct lane_client client;

static struct header links[] = {{"link", "</a.css>; rel=preload; as=style", 4, 31},
                                {"link", "</b.js>; rel=preload; as=script", 4, 31}};
static struct recorded_hint hints[] = {
    {.headers = links, .header_count = 2},
    {.headers = links, .header_count = 1, .time_ns = SECOND_MS * NS_PER_MS}};

static int set_up(void **state) {
    if (lane_site_open(&site) < 0) return -1;
    struct recorded_exchange *hinted =
        (struct recorded_exchange *)(uintptr_t)lane_site_exchange(&site, "/small");
    hinted->hints = hints;
    hinted->hint_count = 2;
    for (size_t i = 0; i < site.recording.exchange_count; i++)
        site.recording.exchanges[i].server_time_ns = -1;
    hinted->server_time_ns = THINK_MS * NS_PER_MS;
    return 0;
}

static int tear_down(void **state) {
    lane_site_close(&site);
    return 0;
}

static void think_as_recorded(void) {
    static const struct think recorded = {.kind = THINK_RECORDED};
    exchange_site_think(site.site, &recorded, site.loop);
}

// What the report has of the one request: so many hints, the first of them `early` before the answer's time.
static void assert_reported(json_int_t count, bool early) {
    json_t *report = lane_site_report(&site);
    const json_t *request = entry(report, "requests", 0);
    const json_t *sent = json_object_get(request, "early_hints");
    assert_int_equal(sent ? number(sent, "count") : 0, count);
    if (early) {
        // Its timer for the second hint came before the one for the answer, whatever the machine is busy
        // with.
        assert_true(number(sent, "first_ns") < number(request, "first_byte_ns"));
        assert_true(number(request, "first_byte_ns") >=
                    number(request, "whole_ns") + (json_int_t)(THINK_MS * NS_PER_MS));
    }
    json_decref(report);
}

static void sends_them(enum lane_client_kind kind) {
    lane_client_open(&client, kind, &site, LANE_CLIENT_WINDOW_BYTES);
    struct seen *seen = lane_client_request(&client, "GET", "/small", NULL, 0);
    lane_client_run(&client, 1);
    assert_whole(&site, seen, "/small");
    assert_int_equal(seen->hints, 2);
    assert_true(seen->field_count <= FINAL_FIELDS); // the links are not among the answer's
    struct seen *other = lane_client_request(&client, "GET", "/many/1", NULL, 0);
    lane_client_run(&client, 2);
    assert_whole(&site, other, "/many/1");
    assert_int_equal(other->hints, 0);
    lane_client_close(&client);
}

OVER_BOTH(sends_them_in_time, set_up, tear_down) {
    think_as_recorded();
    sends_them(kind);
    assert_reported(2, true);
}

UNIT_TEST_AS(without_think_time_they_go_with_the_answer, void, , set_up, tear_down) {
    sends_them(LANE_CLIENT_H2);
    sends_them(LANE_CLIENT_H3);
    assert_reported(2, false);
}

// Answers without a body, and to HEAD, end with their head: after a 103, too.
OVER_BOTH(answers_without_a_body_end, set_up, tear_down) {
    struct recorded_exchange *empty =
        (struct recorded_exchange *)(uintptr_t)lane_site_exchange(&site, "/empty");
    *empty = (struct recorded_exchange){.seq = empty->seq,
                                        .method = "GET",
                                        .scheme = "https",
                                        .host = "a.test",
                                        .port = 443,
                                        .path = empty->path,
                                        .address = empty->address,
                                        .status = 204,
                                        .body = empty->body,
                                        .hints = hints,
                                        .hint_count = 1};
    lane_client_open(&client, kind, &site, LANE_CLIENT_WINDOW_BYTES);
    struct seen *seen = lane_client_request(&client, "GET", "/empty", NULL, 0);
    lane_client_run(&client, 1);
    assert_int_equal(seen->status, 204);
    assert_int_equal(seen->hints, 1);
    lane_client_close(&client);
}

// Of heads that quiche cannot take whole, which are framed by hand.
UNIT_TEST_AS(h3_sends_them_before_a_long_head, void, , set_up, tear_down) {
    struct recorded_exchange *large =
        (struct recorded_exchange *)(uintptr_t)lane_site_exchange(&site, "/long-header");
    large->hints = hints;
    large->hint_count = 2;
    lane_client_open(&client, LANE_CLIENT_H3, &site, LANE_CLIENT_WINDOW_BYTES);
    struct seen *seen = lane_client_request(&client, "GET", "/long-header", NULL, 0);
    lane_client_run(&client, 1);
    assert_whole(&site, seen, "/long-header");
    assert_int_equal(seen->hints, 2);
    lane_client_close(&client);
}

static const char *const first = "HTTP/1.1 103 Early Hints\r\nlink: </a.css>; rel=preload; as=style\r\n"
                                 "link: </b.js>; rel=preload; as=script\r\n\r\n"
                                 "HTTP/1.1 103 Early Hints\r\nlink: </a.css>; rel=preload; as=style\r\n\r\n"
                                 "HTTP/1.1 200 OK\r\n";

// Reads the whole answer and closes then: who closes earlier is taken to have gone.
static struct buf ask_h1(const char *input) {
    struct h1_client conversation = {
        .site = &site, .input = input, .input_size = strlen(input), .step_bytes = strlen(input)};
    h1_client_converse(&conversation);
    return conversation.answer;
}

UNIT_TEST_AS(h1_sends_them, void, , set_up, tear_down) {
    think_as_recorded();
    struct buf answer = ask_h1("GET /small HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n");
    assert_true(buf_size(&answer) > strlen(first) + SMALL_BYTES);
    assert_memory_equal(buf_bytes(&answer), first, strlen(first));
    assert_reported(2, true);
    buf_free(&answer);
}

UNIT_TEST_AS(http_1_0_has_none, void, , set_up, tear_down) {
    think_as_recorded();
    struct buf answer = ask_h1("GET /small HTTP/1.0\r\nHost: a.test\r\n\r\n");
    assert_memory_equal(buf_bytes(&answer), "HTTP/1.1 200 OK\r\n", 17);
    assert_reported(0, false);
    buf_free(&answer);
}

OVER_BOTH(left_out_there_are_none, set_up, tear_down) {
    think_as_recorded();
    exchange_site_set(site.site, &(struct server_settings){.early_hints = SERVER_EARLY_HINTS_NONE});
    lane_client_open(&client, kind, &site, LANE_CLIENT_WINDOW_BYTES);
    struct seen *seen = lane_client_request(&client, "GET", "/small", NULL, 0);
    lane_client_run(&client, 1);
    assert_whole(&site, seen, "/small");
    assert_int_equal(seen->hints, 0);
    lane_client_close(&client);
    assert_reported(0, false);
}

// Who goes between hint and answer leaves nothing behind (the sanitizer looks).
UNIT_TEST_AS(clients_may_vanish_after_a_hint, void, , set_up, tear_down) {
    static const struct think long_one = {.kind = THINK_FIXED, .fixed_ns = 3600 * NS_PER_S};
    exchange_site_think(site.site, &long_one, site.loop);
    const char *input = "GET /small HTTP/1.1\r\nHost: a.test\r\n\r\n";
    struct h1_client conversation = {.site = &site,
                                     .input = input,
                                     .input_size = strlen(input),
                                     .step_bytes = strlen(input),
                                     .stop_after = 20};
    h1_client_converse(&conversation);
    assert_memory_equal(buf_bytes(&conversation.answer), "HTTP/1.1 103 Early Hints\r\n", 26);
    buf_free(&conversation.answer);
}
