// From a request to the response that a lane is told to send: conditions, ranges, HEAD, misses, request
// bodies. No lane, no network.
#include "replay/exchange/exchange.h"

#include "../lane_site.h"
#include "replay/exchange/precondition.h"
#include "replay/report.h"
#include "test/native/cmocka_unit.h"
#include "test/native/json_values.h"

#include <brotli/encode.h>
#include <jansson.h>
#include <openssl/sha2.h>
#include <zlib.h>

static const char ten[] = "0123456789";
#define HEADER(name, value) ((struct header){name, value, sizeof(name) - 1, sizeof(value) - 1})

static struct header cached[] = {HEADER("etag", "\"v1\""),
                                 HEADER("last-modified", "Sat, 01 Nov 2025 10:00:00 GMT"),
                                 HEADER("content-type", "text/css"), HEADER("cache-control", "max-age=60"),
                                 HEADER("content-encoding", "identity")};
static struct header weak[] = {HEADER("etag", "W/\"v1\"")};
static struct header no_ranges[] = {HEADER("accept-ranges", "none")};
static struct header middle[] = {HEADER("content-range", "bytes 100-109/1000"), HEADER("etag", "\"v1\"")};
static struct header whole[] = {HEADER("content-range", "bytes 0-9/10")};
static struct header cut_off[] = {HEADER("content-range", "bytes 0-999/1000")};

static struct header brotli[] = {HEADER("content-encoding", "br"), HEADER("content-type", "text/plain")};
static struct header length_of_get[] = {HEADER("content-length", "987654")};
static struct header lying[] = {HEADER("content-encoding", "gzip")};
static uint8_t brotli_body[64];

static uint8_t posted[RECORDING_HASH_BYTES];

static struct recorded_exchange exchanges[] = {
    {.path = "/plain", .status = 200},
    {.path = "/cached", .status = 200, .headers = cached, .header_count = 5},
    {.path = "/weak", .status = 200, .headers = weak, .header_count = 1},
    {.path = "/no-ranges", .status = 200, .headers = no_ranges, .header_count = 1},
    {.path = "/middle", .status = 206, .headers = middle, .header_count = 2},
    {.path = "/whole", .status = 206, .headers = whole, .header_count = 1},
    {.path = "/cut-off", .status = 206, .headers = cut_off, .header_count = 1},
    {.path = "/gone", .status = 404, .headers = cached, .header_count = 5},
    {.path = "/post?a=1", .status = 201, .method = "POST", .request_body_sha256 = posted},
    {.path = "/no-content", .status = 204},
    {.path = "/head", .status = 200, .method = "HEAD"},
    {.path = "/head-length", .status = 200, .method = "HEAD", .headers = length_of_get, .header_count = 1},
    {.path = "/br", .status = 200, .headers = brotli, .header_count = 2, .body = brotli_body},
    {.path = "/lying", .status = 200, .headers = lying, .header_count = 1},
};
enum { COUNT = sizeof exchanges / sizeof *exchanges };

struct site {
    struct recording recording;
    struct report *report;
    struct exchange_site *site;
    struct exchange_connection *connection;
};

// "0123456789" in brotli; its size.
static size_t make_brotli(void) {
    size_t size = sizeof brotli_body;
    assert_int_equal(
        BrotliEncoderCompress(5, 22, BROTLI_MODE_TEXT, 10, (const uint8_t *)ten, &size, brotli_body), 1);
    return size;
}

static struct site the_site;

static int open_site(void **state) {
    struct site *site = &the_site;
    SHA256((const uint8_t *)"hello", 5, posted);
    for (int i = 0; i < COUNT; i++) {
        struct recorded_exchange *exchange = &exchanges[i];
        exchange->seq = i;
        if (!exchange->method) exchange->method = "GET";
        exchange->scheme = "https";
        exchange->host = "a.test";
        exchange->port = 443;
        if (exchange->body == brotli_body) exchange->body_size = make_brotli();
        if (exchange->body || exchange->status == 204 || strcmp(exchange->method, "HEAD") == 0) continue;
        exchange->body = (const uint8_t *)ten;
        exchange->body_size = 10;
    }
    *site = (struct site){.recording = {.name = "x",
                                        .url = "https://a.test/",
                                        .digest = "0",
                                        .exchanges = exchanges,
                                        .exchange_count = COUNT}};
    site->report = report_open(&site->recording, true, 1);
    site->site = exchange_site_open(&site->recording, site->report);
    site->connection = exchange_connection_open(site->site, LANE_H2, "192.0.2.1", 443, 2);
    return 0;
}

static int close_site(void **state) {
    exchange_connection_close(the_site.connection, "", 9);
    exchange_site_close(the_site.site);
    report_close(the_site.report);
    return 0;
}
#define SITE_TEST(name) UNIT_TEST_AS(name, void, , open_site, close_site)

static void never(void *context) {
    (void)context;
    fail_msg("nothing was to be waited for");
}

static struct exchange *begin(struct site *site, const char *method, const char *path, const char *name,
                              const char *value) {
    struct header headers[] = {{"user-agent", "x", 10, 1},
                               {name, value, name ? strlen(name) : 0, name ? strlen(value) : 0}};
    const struct exchange_request request = {.method = method,
                                             .method_size = strlen(method),
                                             .scheme = "https",
                                             .authority = "a.test",
                                             .authority_size = 6,
                                             .path = path,
                                             .path_size = strlen(path),
                                             .headers = headers,
                                             .header_count = name ? 2 : 1};
    struct exchange *exchange = exchange_begin(site->connection, &request, 3);
    assert_non_null(exchange);
    return exchange;
}

static const char *header_of(const struct exchange *exchange, const char *name) {
    size_t count;
    const struct header *headers = exchange_headers(exchange, &count);
    const char *found = NULL;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(headers[i].name, name) != 0) continue;
        assert_null(found); // not twice
        found = headers[i].value;
        assert_int_equal(strlen(found), headers[i].value_size);
    }
    return found;
}

// Asks, and checks status and body; `body` NULL: there is none.
static struct exchange *ask(struct site *site, const char *method, const char *path, const char *name,
                            const char *value, int status, const char *body) {
    struct exchange *exchange = begin(site, method, path, name, value);
    assert_true(exchange_may_answer(exchange, 4, never, NULL));
    size_t size;
    const uint8_t *bytes = exchange_peek(exchange, &size);
    if (exchange_status(exchange) != status)
        fail_msg("%s %s, %s: %s: %d wanted, %u found", method, path, name ? name : "", name ? value : "",
                 status, exchange_status(exchange));
    assert_int_equal(size, body ? strlen(body) : 0);
    if (body) assert_memory_equal(bytes, body, size);
    if (body) assert_int_equal(exchange_content_length(exchange), size);
    return exchange;
}

static void expect(struct site *site, const char *path, const char *name, const char *value, int status,
                   const char *body) {
    exchange_end(ask(site, "GET", path, name, value, status, body), true, 5);
}

SITE_TEST(test_conditions) {
    expect(&the_site, "/cached", NULL, NULL, 200, ten);
    expect(&the_site, "/cached", "if-none-match", "\"v1\"", 304, NULL);
    expect(&the_site, "/cached", "if-none-match", "\"v0\", W/\"v1\"", 304, NULL);
    expect(&the_site, "/cached", "if-none-match", "*", 304, NULL);
    expect(&the_site, "/cached", "if-none-match", "\"v2\"", 200, ten);
    expect(&the_site, "/cached", "if-none-match", "v1", 200, ten); // no tag
    expect(&the_site, "/cached", "if-none-match", "\"v1", 200, ten);
    expect(&the_site, "/weak", "if-none-match", "\"v1\"", 304, NULL);
    expect(&the_site, "/plain", "if-none-match", "\"v1\"", 200, ten);
    expect(&the_site, "/cached", "if-modified-since", "Sat, 01 Nov 2025 10:00:00 GMT", 304, NULL);
    expect(&the_site, "/cached", "if-modified-since", "Sat, 01 Nov 2025 09:59:59 GMT", 200, ten);
    expect(&the_site, "/cached", "if-modified-since", "Saturday, 01-Nov-25 10:00:00 GMT", 304, NULL);
    expect(&the_site, "/cached", "if-modified-since", "Sat Nov  1 10:00:01 2025", 304, NULL);
    expect(&the_site, "/cached", "if-modified-since", "yesterday", 200, ten);
    expect(&the_site, "/plain", "if-modified-since", "Sat, 01 Nov 2025 10:00:00 GMT", 200, ten);
    expect(&the_site, "/cached", "if-match", "\"v2\"", 412, NULL);
    expect(&the_site, "/cached", "if-match", "\"v1\"", 200, ten);
    expect(&the_site, "/weak", "if-match", "W/\"v1\"", 412, NULL); // compared strongly
    expect(&the_site, "/cached", "if-unmodified-since", "Sat, 01 Nov 2025 09:00:00 GMT", 412, NULL);
    expect(&the_site, "/cached", "if-unmodified-since", "Sat, 01 Nov 2025 10:00:00 GMT", 200, ten);
    expect(&the_site, "/gone", "if-none-match", "\"v1\"", 404, ten); // conditions are for what is there

    struct exchange *exchange = ask(&the_site, "GET", "/cached", "if-none-match", "\"v1\"", 304, NULL);
    assert_false(exchange_has_content_length(exchange));
    assert_string_equal(header_of(exchange, "etag"), "\"v1\"");
    assert_string_equal(header_of(exchange, "cache-control"), "max-age=60");
    assert_null(header_of(exchange, "content-type"));
    assert_null(header_of(exchange, "content-encoding"));
    exchange_end(exchange, true, 5);
}

static void expect_range(struct site *site, const char *path, const char *range, int status, const char *body,
                         const char *content_range) {
    struct exchange *exchange = ask(site, "GET", path, "range", range, status, body);
    const char *found = header_of(exchange, "content-range");
    if (content_range)
        assert_string_equal(found, content_range);
    else
        assert_null(found);
    exchange_end(exchange, true, 5);
}

SITE_TEST(test_ranges) {
    expect_range(&the_site, "/plain", "bytes=0-3", 206, "0123", "bytes 0-3/10");
    expect_range(&the_site, "/plain", "bytes=8-", 206, "89", "bytes 8-9/10");
    expect_range(&the_site, "/plain", "bytes=8-999", 206, "89", "bytes 8-9/10");
    expect_range(&the_site, "/plain", "bytes=-3", 206, "789", "bytes 7-9/10");
    expect_range(&the_site, "/plain", "bytes=-30", 206, ten, "bytes 0-9/10");
    expect_range(&the_site, "/plain", "BYTES=9-9 ", 206, "9", "bytes 9-9/10");
    expect_range(&the_site, "/plain", "bytes=10-", 416, NULL, "bytes */10");
    expect_range(&the_site, "/plain", "bytes=-0", 416, NULL, "bytes */10");
    // What is not to be honoured is ignored.
    static const char *const ignored[] = {"bytes=3-2",
                                          "bytes=0-1,4-5",
                                          "lines=0-3",
                                          "bytes=",
                                          "bytes=-",
                                          "bytes=a-b",
                                          "bytes=99999999999999999999-",
                                          "bytes 0-3"};
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        expect_range(&the_site, "/plain", ignored[i], 200, ten, NULL);
    expect_range(&the_site, "/no-ranges", "bytes=0-3", 200, ten, NULL);
    expect_range(&the_site, "/middle", "bytes=100-109", 206, ten, "bytes 100-109/1000");
    expect_range(&the_site, "/middle", "bytes=105-200", 206, "56789", "bytes 105-109/1000");
    expect_range(&the_site, "/middle", "bytes=99-200", 404, "trilane: this request is not in the recording\n",
                 NULL);
    expect_range(&the_site, "/middle", "bytes=1000-", 416, "", "bytes */1000");
    expect(&the_site, "/middle", NULL, NULL, 404, "trilane: this request is not in the recording\n");
    expect_range(&the_site, "/whole", "bytes=0-", 206, ten, "bytes 0-9/10");
    expect(&the_site, "/whole", NULL, NULL, 200, ten);
    // A player stopped reading at the tenth byte when this was recorded.
    expect_range(&the_site, "/cut-off", "bytes=0-", 206, ten, "bytes 0-9/1000");
}

SITE_TEST(test_if_range) {
    static const struct {
        const char *condition;
        int status;
    } cases[] = {{"\"v1\"", 206},
                 {"\"v2\"", 200},
                 {"W/\"v1\"", 200},
                 {"Sat, 01 Nov 2025 10:00:00 GMT", 206},
                 {"Sat, 01 Nov 2025 10:00:01 GMT", 200},
                 {"", 200}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct header headers[] = {HEADER("range", "bytes=0-3"),
                                         {"if-range", cases[i].condition, 8, strlen(cases[i].condition)}};
        const struct exchange_request request = {"GET", 3, "https", "a.test", 6, "/cached", 7, headers, 2};
        struct exchange *exchange = exchange_begin(the_site.connection, &request, 3);
        assert_true(exchange_may_answer(exchange, 4, never, NULL));
        assert_int_equal(exchange_status(exchange), cases[i].status);
        exchange_end(exchange, true, 5);
    }
}

SITE_TEST(test_head) {
    struct exchange *exchange = ask(&the_site, "HEAD", "/cached", NULL, NULL, 200, NULL);
    assert_true(exchange_has_content_length(exchange)); // of the GET
    assert_int_equal(exchange_content_length(exchange), 10);
    assert_string_equal(header_of(exchange, "content-type"), "text/css");
    exchange_end(exchange, true, 5);
    exchange = ask(&the_site, "HEAD", "/head", NULL, NULL, 200, NULL);
    assert_false(exchange_has_content_length(exchange)); // nobody knows
    exchange_end(exchange, true, 5);
    exchange = ask(&the_site, "HEAD", "/head-length", NULL, NULL, 200, NULL);
    assert_false(exchange_has_content_length(exchange)); // it is among the recorded headers, once
    assert_string_equal(header_of(exchange, "content-length"), "987654");
    exchange_end(exchange, true, 5);
    exchange = ask(&the_site, "HEAD", "/plain", "range", "bytes=0-3", 200, NULL); // ranges are GET's
    assert_int_equal(exchange_content_length(exchange), 10);
    exchange_end(exchange, true, 5);
    exchange = ask(&the_site, "GET", "/no-content", NULL, NULL, 204, NULL);
    assert_false(exchange_has_content_length(exchange));
    exchange_end(exchange, true, 5);
}

static json_t *report_of(struct site *site) {
    struct lane_site reported = {.report = site->report, .home = "/tmp/trilane-test-XXXXXX"};
    char path[96];
    assert_non_null(mkdtemp(reported.home));
    json_t *report = lane_site_report(&reported);
    snprintf(path, sizeof path, "%s/report.json", reported.home);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(reported.home), 0);
    return report;
}

SITE_TEST(test_codings_that_are_not_accepted) {
    const char *as_recorded = (const char *)brotli_body;
    static const char *const accepting[] = {"br", "gzip, br;q=0.1", "*"};
    for (size_t i = 0; i < 3; i++) {
        struct exchange *exchange = begin(&the_site, "GET", "/br", "accept-encoding", accepting[i]);
        assert_true(exchange_may_answer(exchange, 4, never, NULL));
        size_t size;
        assert_ptr_equal(exchange_peek(exchange, &size), as_recorded);
        assert_string_equal(header_of(exchange, "content-encoding"), "br");
        exchange_end(exchange, true, 5);
    }
    struct exchange *exchange = ask(&the_site, "GET", "/br", "accept-encoding", "identity", 200, ten);
    assert_null(header_of(exchange, "content-encoding"));
    assert_string_equal(header_of(exchange, "content-type"), "text/plain");
    exchange_end(exchange, true, 5);
    for (int prepared = 0; prepared < 2; prepared++) { // made when asked for, and made before
        exchange = begin(&the_site, "GET", "/br", "accept-encoding", "gzip, deflate");
        assert_true(exchange_may_answer(exchange, 4, never, NULL));
        assert_string_equal(header_of(exchange, "content-encoding"), "gzip");
        size_t size;
        const uint8_t *body = exchange_peek(exchange, &size);
        uint8_t plain[16];
        z_stream stream = {.next_in = (uint8_t *)(uintptr_t)body,
                           .avail_in = (uInt)size,
                           .next_out = plain,
                           .avail_out = sizeof plain};
        assert_int_equal(inflateInit2(&stream, 31), Z_OK);
        assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
        assert_int_equal(stream.total_out, 10);
        assert_memory_equal(plain, ten, 10);
        inflateEnd(&stream);
        exchange_end(exchange, true, 5);
        exchange_site_prepare_clear(the_site.site);
    }
    expect(&the_site, "/lying", "accept-encoding", "br", 200, ten); // no gzip at all: as it was recorded
    json_t *report = report_of(&the_site);
    assert_int_equal(number(json_object_get(report, "counts"), "recoded"), 3);
    json_decref(report);
}

SITE_TEST(test_request_bodies_and_the_report) {
    struct exchange *exchange = begin(&the_site, "POST", "/post?a=1", NULL, NULL);
    exchange_request_body(exchange, "hel", 3);
    exchange_request_body(exchange, "", 0);
    exchange_request_body(exchange, "lo", 2);
    assert_true(exchange_may_answer(exchange, 4, never, NULL));
    assert_int_equal(exchange_status(exchange), 201);
    exchange_end(exchange, true, 5);
    exchange = begin(&the_site, "POST", "/post?a=1", NULL, NULL);
    exchange_request_body(exchange, "other", 5);
    assert_true(exchange_may_answer(exchange, 4, never, NULL));
    exchange_end(exchange, true, 5);
    exchange = begin(&the_site, "POST", "/post?a=2", NULL, NULL);
    assert_true(exchange_may_answer(exchange, 4, never, NULL));
    exchange_end(exchange, true, 5);
    expect(&the_site, "/nothing", NULL, NULL, 404, "trilane: this request is not in the recording\n");
    exchange_end(begin(&the_site, "GET", "/plain", NULL, NULL), false, 5); // cut off before its end

    json_t *report = report_of(&the_site), *requests = json_object_get(report, "requests");
    static const struct {
        const char *outcome, *difference;
        int seq;
    } wanted[] = {{"exact", NULL, 8},
                  {"fuzzy", "body", 8},
                  {"fuzzy", "query", 8},
                  {"missed", NULL, -1},
                  {"exact", NULL, 0}};
    assert_int_equal(json_array_size(requests), 5);
    for (size_t i = 0; i < 5; i++) {
        json_t *request = json_array_get(requests, i), *instead = json_object_get(request, "instead");
        assert_string_equal(text(request, "outcome"), wanted[i].outcome);
        json_t *seq = json_object_get(request, "seq");
        assert_int_equal(json_is_null(seq) ? -1 : json_integer_value(seq), wanted[i].seq);
        if (!wanted[i].difference) {
            assert_true(json_is_null(instead));
            continue;
        }
        assert_string_equal(text(instead, "difference"), wanted[i].difference);
        assert_string_equal(text(instead, "url"), "https://a.test/post?a=1");
    }
    const double similarity =
        json_real_value(json_object_get(json_object_get(json_array_get(requests, 2), "instead"), "likeness"));
    assert_true(similarity == 0.25); // one name in common
    json_t *counts = json_object_get(report, "counts");
    assert_int_equal(number(counts, "exact"), 2);
    assert_int_equal(number(counts, "fuzzy"), 2);
    assert_int_equal(number(counts, "missed"), 1);
    json_decref(report);
}

UNIT_TEST(test_http_dates) {
    static const struct {
        const char *text;
        long long seconds;
    } cases[] = {{"Sun, 06 Nov 1994 08:49:37 GMT", 784111777},
                 {"Sunday, 06-Nov-94 08:49:37 GMT", 784111777},
                 {"Sun Nov  6 08:49:37 1994", 784111777},
                 {"Thu, 01 Jan 1970 00:00:00 GMT", 0},
                 {"", -1},
                 {"Sun, 06 Nov 1994 08:49:37", -1},
                 {"Sun, 06 Nov 1994 08:49:37 GMT x", -1},
                 {"1994-11-06T08:49:37Z", -1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(http_date_parse(cases[i].text, strlen(cases[i].text)), cases[i].seconds);
}
