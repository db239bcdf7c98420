// http:// origins made https:// ones: what is asked for under which URL afterwards, and what a browser is
// told.
#include "replay/origins/clear_origins.h"
#include "test/native/cmocka_unit.h"

#define HEADER(name, value) ((struct header){name, value, sizeof name - 1, sizeof value - 1})

static struct header html[] = {HEADER("content-type", "Text/HTML; charset=utf-8"), HEADER("x-a", "1")};
static struct header not_html[] = {HEADER("content-type", "text/html5")};

static const struct header *find(const struct recorded_exchange *exchange, const char *name) {
    for (size_t i = 0; i < exchange->header_count; i++)
        if (strcmp(exchange->headers[i].name, name) == 0) return &exchange->headers[i];
    return NULL;
}

static struct recorded_exchange exchange_of(const char *scheme, const char *host, uint16_t port,
                                            const char *path) {
    return (struct recorded_exchange){
        .scheme = scheme, .host = host, .port = port, .path = path, .status = 200, .address = "192.0.2.1"};
}

UNIT_TEST(test_scheme_port_and_policy) {
    struct recorded_exchange exchanges[] = {
        exchange_of("http", "a.test", 80, "/"), exchange_of("https", "b.test", 443, "/frame"),
        exchange_of("http", "c.test", 8080, "/x"), exchange_of("https", "d.test", 443, "/none")};
    exchanges[0].headers = exchanges[1].headers = html;
    exchanges[0].header_count = exchanges[1].header_count = 2;
    exchanges[2].headers = not_html;
    exchanges[2].header_count = 1;
    struct recording recording = {.exchanges = exchanges, .exchange_count = 4};
    struct arena arena = {0};
    struct clear_origins_counts counts;
    assert_int_equal(clear_origins_upgrade(&recording, &arena, &counts), 0);
    assert_int_equal(counts.exchanges, 2);
    assert_int_equal(counts.redirects, 0);
    assert_int_equal(recording.exchange_count, 4);
    static const uint16_t ports[] = {443, 443, 8080, 443};
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(exchanges[i].scheme, "https");
        assert_int_equal(exchanges[i].port, ports[i]);
        const struct header *policy = find(&exchanges[i], "content-security-policy");
        assert_int_equal(policy != NULL, i < 2); // also the frame of another origin: it may name http:// too
        if (policy) assert_string_equal(policy->value, "upgrade-insecure-requests");
    }
    assert_int_equal(exchanges[0].header_count, 3);
    assert_string_equal(exchanges[0].headers[1].name, "x-a");
    arena_free(&arena);
}

UNIT_TEST(test_all_https_stays) {
    struct recorded_exchange exchange = exchange_of("https", "a.test", 443, "/");
    exchange.headers = html;
    exchange.header_count = 2;
    struct recording recording = {.exchanges = &exchange, .exchange_count = 1};
    struct arena arena = {0};
    struct clear_origins_counts counts;
    assert_int_equal(clear_origins_upgrade(&recording, &arena, &counts), 0);
    assert_int_equal(counts.exchanges, 0);
    assert_ptr_equal(exchange.headers, html);
    assert_int_equal(exchange.header_count, 2);
    arena_free(&arena);
}

static const struct redirect {
    const char *scheme, *host;
    uint16_t port;
    const char *path, *location;
    uint16_t status;
    const char *upgraded; // NULL: left out
} redirects[] = {
    {"http", "a.test", 80, "/", "https://a.test/", 301, NULL},
    {"http", "a.test", 80, "/", "https://A.test", 301, NULL},
    {"http", "a.test", 80, "/", "https://a.test:443/#top", 308, NULL},
    {"http", "a.test", 80, "/x?y", "https://a.test/x?y", 302, NULL},
    {"http", "2001:db8::1", 80, "/", "https://[2001:db8::1]/", 302, NULL},
    {"http", "a.test", 80, "/x?y", "https://a.test/x", 302, "https://a.test/x"},
    {"http", "a.test", 80, "/", "http://www.a.test/", 301, "https://www.a.test/"},
    {"http", "a.test", 80, "/", "HTTP://www.a.test:80", 301, "https://www.a.test"},
    {"http", "a.test", 80, "/", "http://www.a.test:8080/y", 307, "https://www.a.test:8080/y"},
    {"http", "a.test", 8080, "/", "https://a.test/", 301, "https://a.test/"},
    {"http", "a.test", 80, "/", "/next", 301, "/next"},
    {"http", "a.test", 80, "/", "http://", 301, "https://"},
    {"http", "a.test", 80, "/", "http://:80", 301, "https://:80"},
    {"http", "a.test", 80, "/", "http://www.a.test:80?q#http://x/", 302, "https://www.a.test?q#http://x/"},
    {"http", "a.test", 80, "/", "http:/x", 302, "http:/x"},
    {"http", "a.test", 80, "/", "", 302, ""},
    {"http", "a.test", 80, "/", "https://a.test.evil/", 301, "https://a.test.evil/"},
    {"https", "a.test", 443, "/", "http://a.test/", 302, NULL},               // back again
    {"https", "a.test", 443, "/", "https://a.test/", 302, "https://a.test/"}, // with a cookie, say
    {"http", "a.test", 80, "/", "https://a.test/", 200, "https://a.test/"},   // no redirect
};

UNIT_TEST(test_redirects) {
    for (size_t i = 0; i < sizeof redirects / sizeof *redirects; i++) {
        const struct redirect *r = &redirects[i];
        struct header location = {"location", r->location, 8, strlen(r->location)};
        struct recorded_exchange exchanges[] = {exchange_of(r->scheme, r->host, r->port, r->path),
                                                exchange_of("http", "last.test", 80, "/last")};
        exchanges[0].status = r->status;
        exchanges[0].headers = &location;
        exchanges[0].header_count = 1;
        struct recording recording = {.exchanges = exchanges, .exchange_count = 2};
        struct arena arena = {0};
        struct clear_origins_counts counts;
        assert_int_equal(clear_origins_upgrade(&recording, &arena, &counts), 0);
        assert_int_equal(counts.redirects, r->upgraded == NULL);
        assert_int_equal(recording.exchange_count, r->upgraded ? 2 : 1);
        assert_string_equal(recording.exchanges[recording.exchange_count - 1].path, "/last");
        if (r->upgraded) {
            assert_string_equal(location.value, r->upgraded);
            assert_int_equal(location.value_size, strlen(r->upgraded));
        }
        arena_free(&arena);
    }
}
