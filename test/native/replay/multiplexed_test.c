// What HTTP/2 and HTTP/3 do alike, each test over both: bodies and none, windows, large heads, many
// requests at once, priorities, uploads, cancelled requests, forbidden fields.
#include "lane_client.h"
#include "test/native/cmocka_unit.h"
#include "test/native/json_values.h"

enum { SMALL_WINDOW_BYTES = 20000 };

static struct lane_site site;
LANE_SITE_FIXTURE(site)
static struct lane_client client;

static void open_client(enum lane_client_kind kind) {
    lane_client_open(&client, kind, &site, LANE_CLIENT_WINDOW_BYTES);
}

static struct seen *get(const char *path, const char *priority) {
    return lane_client_request(&client, "GET", path, priority, 0);
}

OVER_BOTH(answers_a_request, set_up_site, tear_down_site) {
    open_client(kind);
    struct seen *seen = get("/small", NULL);
    lane_client_run(&client, 1);
    assert_whole(&site, seen, "/small");
    lane_client_close(&client);

    json_t *report = lane_site_report(&site);
    const json_t *request = entry(report, "requests", 0);
    assert_string_equal(text(request, "outcome"), "exact");
    assert_int_equal(number(request, "body_bytes"), SMALL_BYTES);
    assert_true(json_is_true(json_object_get(request, "complete")));
    assert_true(number(request, "request_ns") > 0);
    assert_true(number(request, "request_ns") <= number(request, "first_byte_ns"));
    assert_true(number(request, "first_byte_ns") <= number(request, "end_ns"));
    const json_t *connection = entry(report, "connections", 0);
    assert_string_equal(text(connection, "lane"), lane_client_name(client.kind));
    assert_true(number(connection, "closed_ns") >= number(request, "end_ns"));
    json_decref(report);
}

OVER_BOTH(answers_without_body, set_up_site, tear_down_site) {
    open_client(kind);
    struct seen *head = lane_client_request(&client, "HEAD", "/large", NULL, 0);
    struct seen *empty = get("/empty", NULL);
    struct seen *missed = get("/nowhere", NULL);
    struct seen *fields = get("/headers", NULL);
    lane_client_run(&client, 4);
    assert_int_equal(head->status, 200);
    assert_int_equal(head->body_size, 0);
    assert_whole(&site, empty, "/empty");
    assert_int_equal(empty->content_length, -1);
    assert_int_equal(missed->status, 404);
    assert_int_equal(missed->content_length, missed->body_size);
    assert_whole(&site, fields, "/headers"); // without the fields that are forbidden here
    lane_client_close(&client);
}

OVER_BOTH(sends_large_bodies_through_small_windows, set_up_site, tear_down_site) {
    lane_client_open(&client, kind, &site, SMALL_WINDOW_BYTES);
    struct seen *one = get("/large", NULL);
    struct seen *two = get("/large2", "i");
    lane_client_run(&client, 2);
    assert_whole(&site, one, "/large");
    assert_whole(&site, two, "/large2");
    lane_client_close(&client);
}

OVER_BOTH(sends_large_heads, set_up_site, tear_down_site) {
    open_client(kind);
    struct seen *one = get("/long-header", NULL);
    lane_client_run(&client, 1); // alone, over HTTP/3 it is larger than the window
    struct seen *many = get("/many-headers", "i");
    struct seen *empty = get("/long-empty", NULL);
    struct seen *small = get("/small", NULL);
    struct seen *large = get("/large", "i");
    lane_client_run(&client, 5);
    assert_whole(&site, one, "/long-header");
    assert_true(one->field_bytes > LONG_HEADER_BYTES);
    assert_whole(&site, many, "/many-headers");
    const size_t ours = client.kind == LANE_CLIENT_H2 ? 1 : 2; // content-length, alt-svc
    assert_int_equal(many->field_count, MANY_HEADERS + ours);
    assert_whole(&site, empty, "/long-empty");
    assert_int_equal(empty->field_count, ours);
    assert_true(empty->field_bytes >= LONG_HEADER_BYTES);
    assert_whole(&site, small, "/small");
    assert_whole(&site, large, "/large");
    lane_client_close(&client);
}

OVER_BOTH(answers_many_at_once, set_up_site, tear_down_site) {
    open_client(kind);
    struct seen *seen[MANY];
    char path[24];
    for (int i = 0; i < MANY; i++) {
        snprintf(path, sizeof path, "/many/%d", i);
        seen[i] = get(path, i % 2 ? "i" : NULL);
    }
    lane_client_run(&client, MANY);
    for (int i = 0; i < MANY; i++) {
        snprintf(path, sizeof path, "/many/%d", i);
        assert_whole(&site, seen[i], path);
    }
    lane_client_close(&client);
}

static struct seen *urgent;

static void ask_urgently(struct lane_client *c, struct seen *bulky) {
    if (urgent || bulky->body_size < 100000) return;
    urgent = lane_client_request(c, "GET", "/small", "u=0", 0);
}

OVER_BOTH(lets_the_urgent_overtake, set_up_site, tear_down_site) {
    urgent = NULL;
    open_client(kind);
    client.on_body = ask_urgently;
    struct seen *bulky = get("/large", "u=5");
    lane_client_run(&client, 2);
    assert_int_equal(urgent->place, 1);
    assert_whole(&site, urgent, "/small");
    assert_whole(&site, bulky, "/large");
    lane_client_close(&client);
}

static struct seen *second;
static size_t second_bytes_at_change;

static void make_second_urgent(struct lane_client *c, struct seen *seen) {
    if (seen == second || second_bytes_at_change != SIZE_MAX || seen->body_size < 200000) return;
    second_bytes_at_change = second->body_size;
    lane_client_update(c, second, 0, false);
}

OVER_BOTH(honours_a_priority_update, set_up_site, tear_down_site) {
    second_bytes_at_change = SIZE_MAX;
    open_client(kind);
    client.on_body = make_second_urgent;
    struct seen *first = get("/large", "u=3");
    second = get("/large2", "u=5");
    lane_client_run(&client, 2);
    assert_int_equal(second_bytes_at_change, 0); // it had to wait until then
    assert_int_equal(second->place, 1);
    assert_int_equal(first->place, 2);
    lane_client_close(&client);
}

OVER_BOTH(shares_among_the_incremental, set_up_site, tear_down_site) {
    open_client(kind);
    struct seen *one = get("/large", "i");
    struct seen *two = get("/large2", "i");
    lane_client_run(&client, 1);
    // One has come whole; the other is little behind: on h2 a few frames, on h3 what a window's packets hold.
    const size_t behind = client.kind == LANE_CLIENT_H2 ? 100000 : 400000;
    assert_true(one->body_size + two->body_size > 2 * (size_t)LARGE_BYTES - behind);
    lane_client_run(&client, 2);
    lane_client_close(&client);
}

OVER_BOTH(counts_uploads, set_up_site, tear_down_site) {
    open_client(kind);
    struct seen *seen = lane_client_request(&client, "POST", "/small", NULL, 3000000);
    lane_client_run(&client, 1);
    assert_int_equal(seen->status, 204); // POST was not recorded
    lane_client_close(&client);
}

OVER_BOTH(fails_as_recorded, set_up_site, tear_down_site) {
    open_client(kind);
    struct seen *failing = get("/failing", NULL);
    struct seen *small = get("/small", NULL);
    lane_client_run(&client, 2);
    assert_int_equal(failing->status, 0);
    assert_true(failing->reset);
    assert_whole(&site, small, "/small"); // the connection goes on
    lane_client_close(&client);
    json_t *report = lane_site_report(&site);
    const json_t *request = entry(report, "requests", 0);
    assert_string_equal(text(request, "unrecorded"), "failed");
    assert_true(json_is_null(json_object_get(request, "status")));
    assert_false(json_is_true(json_object_get(request, "complete")));
    json_decref(report);
}

static void cancel_once(struct lane_client *c, struct seen *seen) {
    if (!seen->reset && seen->body_size >= 50000) lane_client_cancel(c, seen);
}

OVER_BOTH(survives_a_cancelled_request, set_up_site, tear_down_site) {
    open_client(kind);
    client.on_body = cancel_once;
    struct seen *cancelled = get("/large", NULL);
    struct seen *after = get("/small", "u=6");
    // Of the cancelled one nghttp2 tells that it has finished, quiche does not.
    lane_client_run(&client, client.kind == LANE_CLIENT_H2 ? 2 : 1);
    assert_true(cancelled->reset);
    assert_whole(&site, after, "/small");
    lane_client_close(&client);

    json_t *report = lane_site_report(&site);
    const json_t *request = entry(report, "requests", 0);
    assert_true(json_is_false(json_object_get(request, "complete")));
    assert_true(number(request, "body_bytes") < LARGE_BYTES);
    json_decref(report);
}

// RFC 9113, 8.2.1 and 8.3.1; RFC 9114, 4.2, 4.3.1 and 10.3. The connection lives.
OVER_BOTH(resets_requests_with_forbidden_fields, set_up_site, tear_down_site) {
    static const char
        *const forbidden[][2] =
            {
                {"x-a", "a\r\nb: c"}, {"x-a", "a\nb"}, {"x-a", "\x01"},    {"x-a", " a"},
                {"x-a", "a\t"},       {"x a", "a"},    {"host", "b.test"}, {"host", "a.test:8443"},
                {"host", ""}, // nghttp2 makes an error of the connection of it: not on h2
            };
    open_client(kind);
    const size_t count = sizeof forbidden / sizeof *forbidden - (client.kind == LANE_CLIENT_H2);
    for (size_t i = 0; i < count; i++) {
        lane_client_extra(&client, forbidden[i][0], forbidden[i][1]);
        struct seen *bad = get("/small", NULL);
        lane_client_run(&client, i + 1);
        assert_int_equal(bad->status, 0);
        assert_true(bad->reset);
        if (client.kind == LANE_CLIENT_H2) assert_int_equal(bad->reset_error, NGHTTP2_PROTOCOL_ERROR);
    }
    lane_client_extra(&client, "host", "A.test:443");
    struct seen *good = get("/small", NULL);
    lane_client_run(&client, lane_client_finished(&client) + 1);
    assert_whole(&site, good, "/small");
    assert_false(client.kind == LANE_CLIENT_H2 && client.h2.goaway);
    lane_client_close(&client);
}
