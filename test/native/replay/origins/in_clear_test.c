// Under which names and ports https:// origins are served in clear.
#include "replay/origins/in_clear.h"
#include "test/native/cmocka_unit.h"

static void assert_place(const struct recorded_exchange *exchange, const char *host, unsigned port) {
    assert_string_equal(exchange->scheme, "http");
    assert_string_equal(exchange->host, host);
    assert_int_equal(exchange->port, port);
}

UNIT_TEST(test_arranged) {
    char longest[243], too_long[244]; // of 253 bytes with the suffix, and of one more
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    memset(too_long, 'a', sizeof too_long - 1);
    too_long[sizeof too_long - 1] = '\0';
    struct recorded_exchange exchanges[] = {
        {.scheme = "https", .host = "www.shop.test", .port = 443},
        {.scheme = "https", .host = "www.shop.test", .port = 8443},
        {.scheme = "http", .host = "www.shop.test", .port = 80},
        {.scheme = "https", .host = "192.0.2.1", .port = 443},
        {.scheme = "https", .host = "2001:db8::1", .port = 443},
        {.scheme = "https", .host = longest, .port = 443},
        {.scheme = "https", .host = too_long, .port = 443},
    };
    struct recording recording = {.exchanges = exchanges,
                                  .exchange_count = sizeof exchanges / sizeof *exchanges};
    struct arena arena = {0};
    assert_int_equal(in_clear_arrange(&recording, &arena), 0);
    assert_place(&exchanges[0], "www.shop.test.clear.test", 80);
    assert_place(&exchanges[1], "www.shop.test.clear.test", 8443);
    assert_place(&exchanges[2], "www.shop.test", 80);
    assert_place(&exchanges[3], "192.0.2.1", 80);
    assert_place(&exchanges[4], "2001:db8::1", 80);
    assert_int_equal(strlen(exchanges[5].host), 253);
    assert_place(&exchanges[6], too_long, 80);
    arena_free(&arena);
}

UNIT_TEST(test_nothing_recorded) {
    struct recording recording = {.exchange_count = 0};
    struct arena arena = {0};
    assert_int_equal(in_clear_arrange(&recording, &arena), 0);
    arena_free(&arena);
}
