// The HTTP/1.1 lane over a socket pair: what a client may do, and what it may not. Thousands of things that
// are neither: test/fuzz/request.c.
#include "../h1_client.h"
#include "../lane_site.h"
#include "base/buf.h"
#include "replay/h1/h1.h"
#include "replay/h1/h1_request.h"
#include "replay/tcp/stream.h"
#include "test/native/cmocka_unit.h"
#include "test/native/json_values.h"

static struct lane_site site;
LANE_SITE_FIXTURE(site)

static void assert_starts(const struct h1_client *client, const char *text) {
    const char *answer = (const char *)client->answer.data + client->answer.start;
    if (strncmp(answer, text, strlen(text)) != 0) fail_msg("got \"%.200s\"", answer);
}

// The answer is one whole response to a GET of `path`.
static void assert_body(struct h1_client *client, const char *path) {
    const struct recorded_exchange *wanted = lane_site_exchange(client->site, path);
    size_t size = buf_size(&client->answer);
    uint8_t *bytes = buf_bytes(&client->answer);
    uint8_t *body = memmem(bytes, size, "\r\n\r\n", 4);
    assert_non_null(body);
    body += 4;
    char length[48];
    snprintf(length, sizeof length, "\r\ncontent-length: %zu\r\n", (size_t)wanted->body_size);
    assert_non_null(memmem(bytes, (size_t)(body - bytes), length, strlen(length)));
    assert_int_equal(size - (size_t)(body - bytes), wanted->body_size);
    assert_memory_equal(body, wanted->body, wanted->body_size);
}

static json_t *only_request(struct lane_site *of, json_t **report) {
    *report = lane_site_report(of);
    json_t *requests = json_object_get(*report, "requests");
    assert_int_equal(json_array_size(requests), 1);
    return json_array_get(requests, 0);
}

LANE_SITE_TEST(test_get) {
    struct h1_client client = h1_client_ask(&site, "GET /large HTTP/1.1\r\nHost: a.test\r\n\r\n");
    assert_starts(&client, "HTTP/1.1 200 OK\r\ncontent-type: application/octet-stream\r\n");
    assert_body(&client, "/large");
    assert_true(client.ended);
    json_t *report;
    json_t *request = only_request(&site, &report);
    assert_int_equal(number(request, "body_bytes"), LARGE_BYTES);
    assert_string_equal(text(request, "url"), "http://a.test/large");
    // The site was recorded over https, and this is in clear: that is no difference.
    assert_string_equal(text(request, "outcome"), "exact");
    assert_true(json_is_true(json_object_get(request, "complete")));
    assert_true(number(request, "request_ns") <= number(request, "first_byte_ns"));
    assert_true(number(request, "first_byte_ns") < number(request, "end_ns"));
    json_decref(report);
    buf_free(&client.answer);
}

// The lane switches to nothing, and the report says who asked it to.
LANE_SITE_TEST(test_websockets_are_told_apart) {
    static const struct {
        const char *input;
        bool is_websocket;
    } requests[] = {
        {"GET /small HTTP/1.1\r\nHost: a.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n", true},
        {"GET /small HTTP/1.1\r\nHost: a.test\r\nConnection: Upgrade\r\nupgrade: WebSocket \r\n\r\n", true},
        {"GET /small HTTP/1.1\r\nHost: a.test\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n", false},
        {"GET /small HTTP/1.1\r\nHost: a.test\r\nSec-Fetch-Dest: websocket\r\n\r\n", false},
    };
    enum { COUNT = sizeof requests / sizeof *requests };
    json_t *report = lane_site_report(&site);
    const size_t before = json_array_size(json_object_get(report, "requests"));
    json_decref(report);
    for (size_t i = 0; i < COUNT; i++) {
        struct h1_client client = h1_client_ask(&site, requests[i].input);
        assert_body(&client, "/small");
        buf_free(&client.answer);
    }
    report = lane_site_report(&site);
    json_t *seen = json_object_get(report, "requests");
    assert_int_equal(json_array_size(seen), before + COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        const json_t *told = json_object_get(json_array_get(seen, before + i), "websocket");
        assert_int_equal(told != NULL, requests[i].is_websocket);
        assert_true(!told || json_is_true(told));
    }
    json_decref(report);
}

LANE_SITE_TEST(test_byte_by_byte) {
    static const char input[] = "GET /small HTTP/1.1\r\nHost:  a.test \r\nAccept: */*\r\n\r\n";
    struct h1_client client = {
        .site = &site, .input = input, .input_size = strlen(input), .step_bytes = 1, .finish = true};
    h1_client_converse(&client);
    assert_starts(&client, "HTTP/1.1 200 OK\r\n");
    assert_body(&client, "/small");
    buf_free(&client.answer);
}

LANE_SITE_TEST(test_pipelined_requests_in_order) {
    struct h1_client client =
        h1_client_ask(&site, "GET /small HTTP/1.1\r\nHost: a.test\r\n\r\n"
                             "HEAD /large HTTP/1.1\r\nHost: a.test\r\n\r\n"
                             "GET /empty HTTP/1.1\r\nHost: a.test\r\n\r\n"
                             "GET /nowhere HTTP/1.1\r\nHost: a.test\r\n\r\n"
                             "GET /small HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n"
                             "GET /small HTTP/1.1\r\nHost: a.test\r\n\r\n");
    assert_starts(&client, "HTTP/1.1 200 OK\r\n");
    size_t size = buf_size(&client.answer);
    const char *at = (const char *)buf_bytes(&client.answer);
    const char *end = at + size;
    static const char *const starts[] = {"HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 204 \r\n",
                                         "HTTP/1.1 404 \r\nx-trilane: missed\r\n", "HTTP/1.1 200 OK\r\n"};
    static const size_t bodies[] = {SMALL_BYTES, 0, 0, 46, SMALL_BYTES};
    for (size_t i = 0; i < 5; i++) {
        assert_true((size_t)(end - at) > strlen(starts[i]));
        assert_memory_equal(at, starts[i], strlen(starts[i]));
        const char *body = memmem(at, (size_t)(end - at), "\r\n\r\n", 4);
        assert_non_null(body);
        bool has_length = memmem(at, (size_t)(body - at), "content-length", 14) != NULL;
        assert_int_equal(has_length, i != 2); // HEAD's too
        assert_int_equal(memmem(at, (size_t)(body + 2 - at), "connection: close\r\n", 19) != NULL, i == 4);
        at = body + 4 + bodies[i];
    }
    assert_ptr_equal(at, end); // what came after "close" is not answered
    buf_free(&client.answer);
}

LANE_SITE_TEST(test_no_framing_from_the_recording) {
    struct h1_client client = h1_client_ask(&site, "GET /headers HTTP/1.1\r\nHost: a.test\r\n\r\n");
    assert_int_equal(h1_client_count(&client, "x-last: 1\r\n"), 1);
    buf_free(&client.answer);
}

LANE_SITE_TEST(test_http_1_0) {
    struct h1_client client = {.site = &site, .step_bytes = SIZE_MAX};
    client.input = "GET /small HTTP/1.0\r\nHost: a.test\r\n\r\n";
    client.input_size = strlen(client.input);
    h1_client_converse(&client); // the server ends it though the client has not
    assert_true(client.ended);
    assert_int_equal(h1_client_count(&client, "connection: close\r\n"), 1);
    assert_body(&client, "/small");
    buf_free(&client.answer);
    client = h1_client_ask(&site, "GET /small HTTP/1.0\r\nHost: a.test\r\nConnection: keep-alive\r\n\r\n");
    assert_int_equal(h1_client_count(&client, "connection: keep-alive\r\n"), 1);
    buf_free(&client.answer);
    client = h1_client_ask(&site, "GET / HTTP/1.0\r\n\r\n"); // no Host: the address stands in
    assert_starts(&client, "HTTP/1.1 404 ");
    buf_free(&client.answer);
}

LANE_SITE_TEST(test_request_bodies_are_counted) {
    struct h1_client client =
        h1_client_ask(&site, "POST /small HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n"
                             "Expect: 100-Continue\r\n\r\n"
                             "5\r\nhello\r\n10;x=y\r\n0123456789abcdef\r\n0\r\nX-Trailer: 1\r\n\r\n");
    assert_starts(&client, "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 ");
    json_t *report;
    json_t *request = only_request(&site, &report);
    assert_int_equal(number(request, "request_body_bytes"), 21);
    json_decref(report);
    buf_free(&client.answer);
}

LANE_SITE_TEST(test_fails_as_recorded) {
    struct h1_client client = h1_client_ask(&site, "GET /small HTTP/1.1\r\nHost: a.test\r\n\r\n"
                                                   "GET /failing HTTP/1.1\r\nHost: a.test\r\n\r\n"
                                                   "GET /small HTTP/1.1\r\nHost: a.test\r\n\r\n");
    assert_true(client.ended);
    assert_int_equal(h1_client_count(&client, "HTTP/1.1 "), 1);
    assert_body(&client, "/small"); // and nothing after it
    buf_free(&client.answer);
    json_t *report = lane_site_report(&site);
    const json_t *request = entry(report, "requests", 1);
    assert_string_equal(text(request, "unrecorded"), "failed");
    assert_true(json_is_null(json_object_get(request, "status")));
    json_decref(report);
}

LANE_SITE_TEST(test_targets) {
    struct h1_client client =
        h1_client_ask(&site, "GET http://a.test:80/small HTTP/1.1\r\nHost: other.test\r\n\r\n");
    assert_starts(&client, "HTTP/1.1 200 OK\r\n");
    buf_free(&client.answer);
    client = h1_client_ask(&site, "OPTIONS * HTTP/1.1\r\nHost: a.test\r\n\r\n");
    assert_starts(&client, "HTTP/1.1 404 ");
    buf_free(&client.answer);
}

LANE_SITE_TEST(test_upgrades_are_not_taken) {
    struct h1_client client =
        h1_client_ask(&site, "GET /small HTTP/1.1\r\nHost: a.test\r\nConnection: Upgrade\r\n"
                             "Upgrade: websocket\r\n\r\n"
                             "GET /empty HTTP/1.1\r\nHost: a.test\r\n\r\n");
    assert_starts(&client, "HTTP/1.1 200 OK\r\n");
    const char *second = "HTTP/1.1 204 \r\n";
    assert_non_null(memmem(buf_bytes(&client.answer), buf_size(&client.answer), second, strlen(second)));
    buf_free(&client.answer);
}

LANE_SITE_TEST(test_malformed_requests) {
    static const char *const malformed[] = {
        "\x16\x03\x01\x02",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a.test\r\nHost: b.test\r\n\r\n",
        "GET small HTTP/1.1\r\nHost: a.test\r\n\r\n",
        "GET http:// HTTP/1.1\r\nHost: a.test\r\n\r\n",
        "GET http://a.test?q HTTP/1.1\r\nHost: a.test\r\n\r\n",
        "GET / HTTP/2.0\r\nHost: a.test\r\n\r\n",
        "CONNECT a.test:443 HTTP/1.1\r\nHost: a.test\r\n\r\n",
        "BREW / HTTP/1.1\r\nHost: a.test\r\n\r\n",
        "GET / HTTP/1.1\r\nHost a.test\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a.test\r\nContent-Length: x\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "GET / HTTP/1.1\r\nHost: a.test\r\nX: a\rb\r\n\r\n",
    };
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++) {
        struct h1_client client = {.site = &site,
                                   .input = malformed[i],
                                   .input_size = strlen(malformed[i]),
                                   .step_bytes = SIZE_MAX}; // the server ends it, not we
        h1_client_converse(&client);
        if (!client.ended) fail_msg("%zu: still open", i);
        if (h1_client_count(&client, "HTTP/1.1 400 Bad Request\r\n") != 1)
            fail_msg("%zu: %.100s", i, client.answer.data);
        buf_free(&client.answer);
    }
    json_t *report = lane_site_report(&site);
    assert_int_equal(number(json_object_get(report, "counts"), "aborted"), 1); // the bad chunk
    json_decref(report);
}

LANE_SITE_TEST(test_heads_that_are_too_large) {
    char *input = malloc(4 * H1_HEAD_BYTES_MAX);
    int n = sprintf(input, "GET / HTTP/1.1\r\nHost: a.test\r\nX: ");
    memset(input + n, 'x', 2 * H1_HEAD_BYTES_MAX);
    struct h1_client client = {.site = &site,
                               .input = input,
                               .input_size = (size_t)n + 2 * H1_HEAD_BYTES_MAX,
                               .step_bytes = SIZE_MAX};
    h1_client_converse(&client);
    assert_starts(&client, "HTTP/1.1 431 ");
    buf_free(&client.answer);

    n = sprintf(input, "GET / HTTP/1.1\r\nHost: a.test\r\n");
    for (int i = 0; i < H1_HEADERS_MAX; i++)
        n += sprintf(input + n, "X%d: %d\r\n", i, i);
    strcpy(input + n, "\r\n");
    client = h1_client_ask(&site, input);
    assert_starts(&client, "HTTP/1.1 431 ");
    buf_free(&client.answer);
    free(input);
}

// A client that takes nothing holds the body up in the recording, not in our memory, and what it did not get
// is told.
LANE_SITE_TEST(test_backpressure) {
    static const char input[] = "GET /large HTTP/1.1\r\nHost: a.test\r\n\r\n";
    struct h1_client client = {
        .site = &site, .input = input, .input_size = strlen(input), .step_bytes = SIZE_MAX, .stop_after = 1};
    h1_client_converse(&client);
    assert_false(client.ended);
    json_t *report;
    json_t *request = only_request(&site, &report);
    assert_in_range(number(request, "body_bytes"), 1, LARGE_BYTES - 1);
    assert_true(json_is_false(json_object_get(request, "complete")));
    assert_int_equal(number(json_object_get(report, "counts"), "aborted"), 1);
    json_t *connection = entry(report, "connections", 0);
    assert_string_equal(text(connection, "close_reason"), "the replay ended");
    json_decref(report);
    buf_free(&client.answer);
}

LANE_SITE_TEST(test_client_vanishes) {
    struct h1_client client =
        h1_client_ask(&site, "POST /small HTTP/1.1\r\nHost: a.test\r\nContent-Length: 100\r\n\r\nabc");
    assert_true(client.ended);
    assert_int_equal(buf_size(&client.answer), 0);
    json_t *report = lane_site_report(&site);
    json_t *connection = entry(report, "connections", 0);
    assert_string_equal(text(connection, "close_reason"), "the peer closed within a request");
    json_decref(report);
    buf_free(&client.answer);
}
