// What requests are answered that the recording has nothing for (replay/exchange/unrecorded.h), and which
// hosts it does not have exist all the same (replay/origins/unrecorded_hosts.h).
#include "replay/exchange/unrecorded.h"

#include "replay/exchange/request_selectors.h"
#include "replay/origins/unrecorded_hosts.h"
#include "test/native/cmocka_unit.h"

enum { FIELDS_MAX = 6 };

static struct header header_of(const char *name, const char *value) {
    return (struct header){
        .name = name, .value = value, .name_size = strlen(name), .value_size = strlen(value)};
}

// `fields`: name, value, ..., NULL.
static void keep(struct request_selectors *selectors, const char *method, const char *authority,
                 const char *path, const char *const *fields) {
    struct header headers[FIELDS_MAX];
    size_t count = 0;
    for (; fields && fields[2 * count]; count++)
        headers[count] = header_of(fields[2 * count], fields[2 * count + 1]);
    const struct exchange_request request = {.method = method,
                                             .method_size = strlen(method),
                                             .scheme = "https",
                                             .authority = authority,
                                             .authority_size = strlen(authority),
                                             .path = path,
                                             .path_size = strlen(path),
                                             .headers = headers,
                                             .header_count = count};
    assert_int_equal(request_selectors_keep(selectors, &request), 0);
    request_selectors_finish(selectors);
}

#define FIELDS(...) ((const char *const[]){__VA_ARGS__, NULL})

UNIT_TEST(test_kinds) {
    const struct recording nothing_failed = {0};
    static const struct {
        const char *method;
        const char *fields[2 * FIELDS_MAX];
        enum unrecorded kind;
    } cases[] = {
        {"POST", {"sec-fetch-dest", "report", "accept", "text/html"}, UNRECORDED_REPORT},
        {"POST", {"content-type", "application/csp-report", "accept", "image/*"}, UNRECORDED_REPORT},
        {"POST", {"content-type", "Application/Reports+JSON ; v=1", "accept", "a/b"}, UNRECORDED_REPORT},
        {"POST", {"content-type", "text/ping", "accept", "a/b"}, UNRECORDED_REPORT},
        {"POST", {"ping-to", "https://a.test/", "accept", "a/b"}, UNRECORDED_REPORT},
        {"POST", {"sec-fetch-dest", "empty", "accept", "*/*"}, UNRECORDED_REPORT},
        {"POST", {"accept", "*/*"}, UNRECORDED_REPORT},
        {"POST", {NULL}, UNRECORDED_REPORT},
        {"OPTIONS", {"access-control-request-method", "GET", "accept", "*/*"}, UNRECORDED_REPORT},
        {"OPTIONS", {"accept", "*/*"}, UNRECORDED_OTHER},
        {"POST", {"sec-fetch-dest", "empty", "accept", "application/json"}, UNRECORDED_OTHER},
        {"POST", {"sec-fetch-dest", "document", "accept", "*/*"}, UNRECORDED_OTHER},
        {"POST", {"accept", "text/html,*/*;q=0.8"}, UNRECORDED_OTHER},
        {"GET", {"sec-fetch-dest", "empty", "accept", "*/*"}, UNRECORDED_OTHER},
        {"GET", {"sec-fetch-dest", "image", "accept", "image/*"}, UNRECORDED_OTHER},
        {"PUT", {"accept", "*/*"}, UNRECORDED_OTHER},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct request_selectors selectors;
        keep(&selectors, cases[i].method, "c.test", "/collect", cases[i].fields);
        if (unrecorded_kind(&selectors, &nothing_failed) != cases[i].kind) fail_msg("case %zu", i);
        request_selectors_free(&selectors);
    }
}

static const char *value_of(const struct header *headers, size_t count, const char *name, size_t *size) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(headers[i].name, name) != 0) continue;
        *size = headers[i].value_size;
        return headers[i].value;
    }
    return NULL;
}

#define ASSERT_VALUE(headers, count, name, wanted)                                                           \
    do {                                                                                                     \
        size_t value_size;                                                                                   \
        const char *value = value_of(headers, count, name, &value_size);                                     \
        assert_non_null(value);                                                                              \
        assert_int_equal(value_size, strlen(wanted));                                                        \
        assert_memory_equal(value, wanted, value_size);                                                      \
    } while (0)

UNIT_TEST(test_cross_origin) {
    struct request_selectors selectors;
    struct header headers[UNRECORDED_HEADERS_MAX];
    size_t size;
    keep(&selectors, "OPTIONS", "c.test", "/collect",
         FIELDS("origin", "https://a.test", "access-control-request-method", "POST",
                "access-control-request-headers", "content-type,x-key"));
    size_t count = unrecorded_headers(UNRECORDED_REPORT, &selectors, headers);
    assert_true(count <= UNRECORDED_HEADERS_MAX);
    ASSERT_VALUE(headers, count, "access-control-allow-origin", "https://a.test");
    ASSERT_VALUE(headers, count, "access-control-allow-credentials", "true");
    ASSERT_VALUE(headers, count, "access-control-allow-methods", "POST");
    ASSERT_VALUE(headers, count, "access-control-allow-headers", "content-type,x-key");
    request_selectors_free(&selectors);

    keep(&selectors, "GET", "c.test", "/api", FIELDS("origin", "https://a.test"));
    count = unrecorded_headers(UNRECORDED_OTHER, &selectors, headers);
    ASSERT_VALUE(headers, count, "access-control-allow-origin", "https://a.test");
    ASSERT_VALUE(headers, count, "x-trilane", "missed");
    assert_null(value_of(headers, count, "access-control-allow-methods", &size));
    request_selectors_free(&selectors);

    keep(&selectors, "GET", "c.test", "/pixel", NULL);
    count = unrecorded_headers(UNRECORDED_OTHER, &selectors, headers);
    assert_null(value_of(headers, count, "access-control-allow-origin", &size));
    request_selectors_free(&selectors);
}

static const char notes[] =
    "{\"failed_urls\": [\"https://down.test/x?a=1#part\", \"https://gone.test/\", \"https://mixed.test/a\","
    "                   \"https://mixed.test/b\", \"https://left.test/beacon\", \"http://[2001:db8::1]:81\","
    "                   \"about:blank\", 7, \"https:///\"],"
    " \"failures\": {\"https://gone.test/\": \"name\", \"https://mixed.test/a\": \"blocked\","
    "                \"https://mixed.test/b\": \"connection\", \"https://left.test/beacon\": \"aborted\"}}";

UNIT_TEST(test_what_failed_fails) {
    static const struct {
        const char *authority, *path;
        bool fails;
    } cases[] = {{"down.test", "/x?a=1", true},
                 {"Down.test:443", "/x?a=1", true},
                 {"down.test.clear.test", "/x?a=1", true},
                 {"down.test", "/x?a=2", false},
                 {"down.test", "/x", false},
                 {"own.test", "/x?a=1", false},
                 {"down.testx", "/x?a=1", false},
                 {"gone.test", "/", true},
                 {"mixed.test", "/b", true},
                 {"left.test", "/beacon", false}, // the page gave it up, the server would have answered
                 {"[2001:db8::1]:81", "/", true},
                 {"", "/", false}};
    struct recording recording = {0};
    assert_int_equal(recorded_failures_open(&recording.failures, notes, sizeof notes - 1), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct request_selectors selectors;
        keep(&selectors, "GET", cases[i].authority, cases[i].path, NULL);
        if ((unrecorded_kind(&selectors, &recording) == UNRECORDED_FAILED) != cases[i].fails)
            fail_msg("case %zu", i);
        request_selectors_free(&selectors);
    }
    assert_true(recorded_failures_unnamed(recording.failures, "gone.test"));
    assert_false(recorded_failures_unnamed(recording.failures, "mixed.test")); // one came to a server
    assert_false(recorded_failures_unnamed(recording.failures, "down.test"));
    assert_false(recorded_failures_unnamed(recording.failures, "left.test"));
    assert_false(recorded_failures_unnamed(recording.failures, "other.test"));
    recorded_failures_close(recording.failures);
}

UNIT_TEST(test_damaged_notes) {
    static const char *const texts[] = {"",
                                        "[]",
                                        "{}",
                                        "{\"failed_urls\": 3}",
                                        "{\"failed_urls\": [{}]}",
                                        "{\"failed_urls\": [\"https://a.test/\"], \"failures\": []}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct recorded_failures *failures = NULL;
        assert_int_equal(recorded_failures_open(&failures, texts[i], strlen(texts[i])), 0);
        assert_int_equal(recorded_failures_has(failures, "a.test", 6, "/", 1), i == 5);
        recorded_failures_close(failures);
    }
    assert_false(recorded_failures_has(NULL, "a.test", 6, "/", 1));
    assert_false(recorded_failures_unnamed(NULL, "a.test"));
}

UNIT_TEST(test_hosts) {
    static const struct {
        const char *name;
        bool exists, exists_beside_google;
    } cases[] = {{"fonts.example.com", true, true},
                 {"fonts.example.com.clear.test", true, true},
                 {"a_b.test", true, true},
                 {"xn--bcher-kva.example", true, true},
                 {"wpad", false, false},
                 {"localhost", false, false},
                 {"a.localhost", false, false},
                 {"printer.local", false, false},
                 {"printer.local.clear.test", false, false},
                 {"mylocal", false, false},
                 {"notlocal.example", true, true},
                 {"x.onion", false, false},
                 {"1.0.0.127.in-addr.arpa", false, false},
                 {"192.0.2.1", false, false},
                 {"_dmarc.example.com", false, false},
                 {"a._tcp.example.com", false, false},
                 {"a..b", false, false},
                 {".a.b", false, false},
                 {"a.b.", false, false},
                 {"a\\032b.test", false, false},
                 {"", false, false},
                 {".", false, false},
                 {".clear.test", false, false},
                 {"update.googleapis.com", false, false},
                 {"clients2.google.com", false, false},
                 {"accounts.google.com", false, true},
                 {"gone.test", false, false},
                 {"gone.test.clear.test", false, false},
                 {"down.test", true, true}};
    struct recorded_exchange exchanges[] = {{.host = "a.test"}, {.host = "www.google.com.clear.test"}};
    struct recording recording = {.exchanges = exchanges, .exchange_count = 1};
    assert_int_equal(recorded_failures_open(&recording.failures, notes, sizeof notes - 1), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        recording.exchange_count = 1;
        if (unrecorded_host_exists(cases[i].name, &recording) != cases[i].exists)
            fail_msg("\"%s\"", cases[i].name);
        recording.exchange_count = 2;
        if (unrecorded_host_exists(cases[i].name, &recording) != cases[i].exists_beside_google)
            fail_msg("\"%s\" beside google.com", cases[i].name);
    }
    recorded_failures_close(recording.failures);
}

UNIT_TEST(test_addresses) {
    uint8_t first[4], again[4], other[4];
    unrecorded_host_address("fonts.example.com", first);
    unrecorded_host_address("fonts.example.com", again);
    unrecorded_host_address("font.example.com", other);
    assert_memory_equal(first, again, 4);
    assert_memory_not_equal(first, other, 4);
    for (char name[] = "a.test"; name[0] <= 'z'; name[0]++) {
        unrecorded_host_address(name, first);
        assert_int_equal(first[0], 198);
        assert_int_equal(first[1], 19);
        assert_true(first[2] >= 192);
    }
}
