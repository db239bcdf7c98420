// The HTTP/2 lane against nghttp2's client over a socket pair, in clear.
#include "h2_client.h"
#include "lane_site.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BIG_WINDOW = 6 * 1024 * 1024 };

static struct lane_site site;
static struct h2_client client;

static int set_up(void **state) {
    (void)state;
    return lane_site_open(&site);
}

static int tear_down(void **state) {
    (void)state;
    lane_site_close(&site);
    return 0;
}

static void answers_a_request(void **state) {
    (void)state;
    h2_client_open(&client, &site, BIG_WINDOW);
    struct seen *seen = h2_client_request(&client, "GET", "/small", NULL, 0);
    h2_client_run(&client, 1);
    assert_whole(&site, seen, "/small");
    h2_client_close(&client);

    json_t *report = lane_site_report(&site);
    json_t *request = json_array_get(json_object_get(report, "requests"), 0);
    assert_string_equal(json_string_value(json_object_get(request, "outcome")), "exact");
    assert_int_equal(json_integer_value(json_object_get(request, "body_bytes")), SMALL_BYTES);
    assert_true(json_is_true(json_object_get(request, "complete")));
    json_int_t begin = json_integer_value(json_object_get(request, "request_ns"));
    json_int_t first = json_integer_value(json_object_get(request, "first_byte_ns"));
    json_int_t end = json_integer_value(json_object_get(request, "end_ns"));
    assert_true(begin > 0 && begin <= first && first <= end);
    json_t *connection = json_array_get(json_object_get(report, "connections"), 0);
    assert_string_equal(json_string_value(json_object_get(connection, "lane")), "h2");
    assert_true(json_integer_value(json_object_get(connection, "closed_ns")) > 0);
    json_decref(report);
}

static void answers_without_body(void **state) {
    (void)state;
    h2_client_open(&client, &site, BIG_WINDOW);
    struct seen *head = h2_client_request(&client, "HEAD", "/large", NULL, 0);
    struct seen *empty = h2_client_request(&client, "GET", "/empty", NULL, 0);
    struct seen *missed = h2_client_request(&client, "GET", "/nowhere", NULL, 0);
    struct seen *fields = h2_client_request(&client, "GET", "/headers", NULL, 0);
    h2_client_run(&client, 4);
    assert_int_equal(head->status, 200);
    assert_int_equal(head->body_size, 0);
    assert_whole(&site, empty, "/empty");
    assert_int_equal(empty->content_length, -1);
    assert_int_equal(missed->status, 404);
    assert_int_equal(missed->content_length, missed->body_size);
    assert_whole(&site, fields, "/headers"); // without the fields that are forbidden here
    h2_client_close(&client);
}

static void sends_large_heads(void **state) {
    (void)state;
    h2_client_open(&client, &site, BIG_WINDOW);
    struct seen *one = h2_client_request(&client, "GET", "/long-header", NULL, 0);
    struct seen *many = h2_client_request(&client, "GET", "/many-headers", NULL, 0);
    struct seen *empty = h2_client_request(&client, "GET", "/long-empty", NULL, 0);
    struct seen *small = h2_client_request(&client, "GET", "/small", NULL, 0);
    h2_client_run(&client, 4);
    assert_whole(&site, one, "/long-header");
    assert_true(one->field_bytes > LONG_HEADER_BYTES);
    assert_whole(&site, many, "/many-headers");
    assert_int_equal(many->field_count, MANY_HEADERS + 1);
    assert_whole(&site, empty, "/long-empty");
    assert_int_equal(empty->field_bytes, LONG_HEADER_BYTES);
    assert_whole(&site, small, "/small");
    h2_client_close(&client);
}

static void refuses_a_huge_head_at_once(void **state) {
    (void)state;
    h2_client_open(&client, &site, BIG_WINDOW);
    struct seen *huge = h2_client_request(&client, "GET", "/huge-head", NULL, 0);
    struct seen *small = h2_client_request(&client, "GET", "/small", NULL, 0);
    h2_client_run(&client, 2);
    assert_true(huge->reset);
    assert_whole(&site, small, "/small");
    h2_client_close(&client);
}

static void sends_large_bodies_through_small_windows(void **state) {
    (void)state;
    h2_client_open(&client, &site, 20000);
    struct seen *one = h2_client_request(&client, "GET", "/large", NULL, 0);
    struct seen *two = h2_client_request(&client, "GET", "/large2", "i", 0);
    h2_client_run(&client, 2);
    assert_whole(&site, one, "/large");
    assert_whole(&site, two, "/large2");
    h2_client_close(&client);
}

static void answers_many_at_once(void **state) {
    (void)state;
    h2_client_open(&client, &site, BIG_WINDOW);
    struct seen *seen[MANY];
    char path[24];
    for (int i = 0; i < MANY; i++) {
        snprintf(path, sizeof path, "/many/%d", i);
        seen[i] = h2_client_request(&client, "GET", path, i % 2 ? "i" : NULL, 0);
    }
    h2_client_run(&client, MANY);
    for (int i = 0; i < MANY; i++) {
        snprintf(path, sizeof path, "/many/%d", i);
        assert_whole(&site, seen[i], path);
    }
    h2_client_close(&client);
}

static struct seen *urgent;

static void ask_urgently(struct h2_client *c, struct seen *bulky) {
    if (urgent || bulky->body_size < 100000) return;
    urgent = h2_client_request(c, "GET", "/small", "u=0", 0);
}

static void lets_the_urgent_overtake(void **state) {
    (void)state;
    urgent = NULL;
    h2_client_open(&client, &site, BIG_WINDOW);
    client.on_body = ask_urgently;
    struct seen *bulky = h2_client_request(&client, "GET", "/large", "u=5", 0);
    h2_client_run(&client, 2);
    assert_int_equal(urgent->place, 1);
    assert_whole(&site, urgent, "/small");
    assert_whole(&site, bulky, "/large");
    h2_client_close(&client);
}

static struct seen *second;
static size_t second_bytes_at_change;

static void make_second_urgent(struct h2_client *c, struct seen *seen) {
    if (seen == second || second_bytes_at_change != SIZE_MAX || seen->body_size < 200000) return;
    second_bytes_at_change = second->body_size;
    static const uint8_t urgent_value[] = "u=0";
    nghttp2_submit_priority_update(c->session, NGHTTP2_FLAG_NONE, (int32_t)second->id, urgent_value, 3);
}

static void honours_a_priority_update(void **state) {
    (void)state;
    second_bytes_at_change = SIZE_MAX;
    h2_client_open(&client, &site, BIG_WINDOW);
    client.on_body = make_second_urgent;
    struct seen *first = h2_client_request(&client, "GET", "/large", "u=3", 0);
    second = h2_client_request(&client, "GET", "/large2", "u=5", 0);
    h2_client_run(&client, 2);
    assert_int_equal(second_bytes_at_change, 0); // it had to wait until then
    assert_int_equal(second->place, 1);
    assert_int_equal(first->place, 2);
    h2_client_close(&client);
}

static void shares_among_the_incremental(void **state) {
    (void)state;
    h2_client_open(&client, &site, BIG_WINDOW);
    struct seen *one = h2_client_request(&client, "GET", "/large", "i", 0);
    struct seen *two = h2_client_request(&client, "GET", "/large2", "i", 0);
    h2_client_run(&client, 1);
    // One has come whole; the other is no more than a few frames behind.
    assert_true(one->body_size + two->body_size > 2 * (size_t)LARGE_BYTES - 100000);
    h2_client_run(&client, 2);
    h2_client_close(&client);
}

static void counts_uploads(void **state) {
    (void)state;
    h2_client_open(&client, &site, BIG_WINDOW);
    struct seen *seen = h2_client_request(&client, "POST", "/small", NULL, 3000000);
    h2_client_run(&client, 1);
    assert_int_equal(seen->status, 404); // POST was not recorded
    h2_client_close(&client);
}

static void cancel(struct h2_client *c, struct seen *seen) {
    if (seen->reset || seen->body_size < 50000) return;
    seen->reset = true;
    nghttp2_submit_rst_stream(c->session, NGHTTP2_FLAG_NONE, (int32_t)seen->id, NGHTTP2_CANCEL);
}

static void survives_a_cancelled_request(void **state) {
    (void)state;
    h2_client_open(&client, &site, BIG_WINDOW);
    client.on_body = cancel;
    struct seen *cancelled = h2_client_request(&client, "GET", "/large", NULL, 0);
    h2_client_run(&client, 1);
    assert_true(cancelled->reset);
    client.on_body = NULL;
    struct seen *seen = h2_client_request(&client, "GET", "/small", NULL, 0);
    h2_client_run(&client, 2);
    assert_whole(&site, seen, "/small");
    h2_client_close(&client);

    json_t *report = lane_site_report(&site);
    json_t *request = json_array_get(json_object_get(report, "requests"), 0);
    assert_true(json_is_false(json_object_get(request, "complete")));
    assert_true(json_integer_value(json_object_get(request, "body_bytes")) < LARGE_BYTES);
    json_decref(report);
}

static void refuses_a_malformed_request(void **state) {
    (void)state;
    h2_client_open(&client, &site, BIG_WINDOW);
    struct seen *bad = h2_client_request(&client, "GET", "", NULL, 0);
    h2_client_run(&client, 2); // until the server closes: nghttp2 takes this for an error of the connection
    assert_int_equal(bad->status, 0);
    assert_true(client.goaway);
    assert_true(client.closed);
    h2_client_close(&client);
}

// RFC 9113, 8.2.1 and 8.3.1. The connection lives (but for an empty host, of which nghttp2 makes an error of
// the connection).
static void resets_requests_with_forbidden_fields(void **state) {
    (void)state;
    static const char *const forbidden[][2] = {
        {"x-a", "a\r\nb: c"}, {"x-a", "a\nb"}, {"x-a", "\x01"},    {"x-a", " a"},
        {"x-a", "a\t"},       {"x a", "a"},    {"host", "b.test"}, {"host", "a.test:8443"},
    };
    h2_client_open(&client, &site, BIG_WINDOW);
    for (size_t i = 0; i < sizeof forbidden / sizeof *forbidden; i++) {
        client.extra_name = forbidden[i][0];
        client.extra_value = forbidden[i][1];
        struct seen *bad = h2_client_request(&client, "GET", "/small", NULL, 0);
        h2_client_run(&client, i + 1);
        assert_int_equal(bad->status, 0);
        assert_int_equal(bad->reset_error, NGHTTP2_PROTOCOL_ERROR);
    }
    client.extra_name = "host";
    client.extra_value = "A.test:443";
    struct seen *good = h2_client_request(&client, "GET", "/small", NULL, 0);
    h2_client_run(&client, client.finished + 1);
    assert_whole(&site, good, "/small");
    assert_false(client.goaway);
    h2_client_close(&client);
}

static void says_goodbye(void **state) {
    (void)state;
    h2_client_open(&client, &site, BIG_WINDOW);
    h2_client_request(&client, "GET", "/small", NULL, 0);
    h2_client_run(&client, 1);
    stream_set_close(&client.streams);
    lane_site_run(&site); // until the client sees the end
    assert_true(client.goaway);
    assert_true(client.closed);
    stream_set_open(&client.streams, site.loop);
    h2_client_close(&client);
}

// What a client sends, as bytes, to be mutated.
static size_t client_bytes(uint8_t *bytes, size_t capacity) {
    struct h2_client recorder = {.site = &site};
    nghttp2_session_callbacks *callbacks;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_client_new(&recorder.session, callbacks, &recorder);
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_submit_settings(recorder.session, NGHTTP2_FLAG_NONE, NULL, 0);
    h2_client_request(&recorder, "GET", "/small", "u=1", 0);
    h2_client_request(&recorder, "GET", "/large", "u=3, i", 0);
    h2_client_request(&recorder, "POST", "/small", NULL, 700);
    nghttp2_submit_priority_update(recorder.session, NGHTTP2_FLAG_NONE, 3, (const uint8_t *)"u=0", 3);
    nghttp2_submit_rst_stream(recorder.session, NGHTTP2_FLAG_NONE, 3, NGHTTP2_CANCEL);
    size_t size = 0;
    const uint8_t *part;
    nghttp2_ssize n;
    while ((n = nghttp2_session_mem_send2(recorder.session, &part)) > 0 && size + (size_t)n <= capacity) {
        memcpy(bytes + size, part, (size_t)n);
        size += (size_t)n;
    }
    nghttp2_session_del(recorder.session);
    return size;
}

static void stop(void *context, uint64_t now_ns) {
    (void)now_ns;
    loop_stop(context);
}

static void survives_mutated_bytes(void **state) {
    (void)state;
    uint8_t bytes[8192], mutated[8192];
    size_t size = client_bytes(bytes, sizeof bytes);
    assert_true(size > 800);
    srand(1);
    for (int round = 0; round < 400; round++) {
        memcpy(mutated, bytes, size);
        size_t from = round % 8 == 0 ? 0 : 24; // mostly after the preface
        for (int i = rand() % 6; i >= 0; i--)
            mutated[from + (size_t)rand() % (size - from)] = (uint8_t)rand();
        size_t length = round % 3 == 0 ? (size_t)rand() % size : size;
        h2_client_open_raw(&client, &site);
        assert_int_equal(send(client.watch.fd, mutated, length, MSG_NOSIGNAL), length);
        if (round % 2) shutdown(client.watch.fd, SHUT_WR);
        struct loop_timer soon = {.due = stop, .context = site.loop};
        loop_timer_set(site.loop, &soon, 1); // after one turn or two
        loop_run(site.loop);
        loop_timer_set(site.loop, &soon, 1);
        if (!client.closed) loop_run(site.loop);
        loop_timer_clear(site.loop, &soon);
        h2_client_close(&client);
    }
    // And it still serves.
    answers_a_request(state);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(answers_a_request),
        TEST(answers_without_body),
        TEST(sends_large_heads),
        TEST(refuses_a_huge_head_at_once),
        TEST(sends_large_bodies_through_small_windows),
        TEST(answers_many_at_once),
        TEST(lets_the_urgent_overtake),
        TEST(honours_a_priority_update),
        TEST(shares_among_the_incremental),
        TEST(counts_uploads),
        TEST(survives_a_cancelled_request),
        TEST(refuses_a_malformed_request),
        TEST(resets_requests_with_forbidden_fields),
        TEST(says_goodbye),
        TEST(survives_mutated_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
