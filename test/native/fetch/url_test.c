// Whom a URL says to ask, and for what; what a Location means at a URL; and why others are none of ours.
#include "fetch/url.h"
#include "test/native/cmocka_unit.h"

UNIT_TEST(urls_are_read) {
    static const struct {
        const char *text, *host, *authority, *target;
        unsigned port;
        bool is_address;
    } good[] = {
        {"https://shop.example", "shop.example", "shop.example", "/", 443, false},
        {"HTTPS://Shop.Example:443/A?b#c", "shop.example", "shop.example", "/A?b", 443, false},
        {"https://shop.example:8443?x=1", "shop.example", "shop.example:8443", "/?x=1", 8443, false},
        {"https://shop.example:/", "shop.example", "shop.example", "/", 443, false},
        {"https://192.0.2.7:1/", "192.0.2.7", "192.0.2.7:1", "/", 1, true},
        {"https://[2001:DB8::1]/", "2001:db8::1", "[2001:db8::1]", "/", 443, true},
        {"https://[::1]:65535/a", "::1", "[::1]:65535", "/a", 65535, true},
        {"https://a_b.example./", "a_b.example.", "a_b.example.", "/", 443, false},
        {"https://x/\xc3\xa9", "x", "x", "/%C3%A9", 443, false},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct url url;
        const char *why;
        if (url_parse(&url, good[i].text, &why) < 0) fail_msg("%s: %s", good[i].text, why);
        assert_string_equal(url.host, good[i].host);
        assert_string_equal(url.authority, good[i].authority);
        assert_string_equal(url.target, good[i].target);
        assert_int_equal(url.port, good[i].port);
        assert_int_equal(url.is_address, good[i].is_address);
        url_free(&url);
    }
}

UNIT_TEST(others_are_refused) {
    static const char *const bad[] = {
        "",
        "shop.example",
        "http://shop.example/",
        "https://",
        "https:///a",
        "https://:443/",
        "https://shop.example:0/",
        "https://shop.example:65536/",
        "https://shop.example:4x3/",
        "https://shop.example:-1/",
        "https://user@shop.example/",
        "https://[::1/",
        "https://[::1]x/",
        "https://[shop.example]/",
        "https://::1/",
        "https://.example/",
        "https://a..b/",
        "https://a b/",
        "https://x/a b",
        "https://x/\r\nHost: y",
        "https://\xc3\xa9.example/",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct url url;
        const char *why = NULL;
        if (url_parse(&url, bad[i], &why) == 0) fail_msg("%s was taken", bad[i]);
        assert_non_null(why);
    }
}

UNIT_TEST(locations_are_resolved) {
    static const struct {
        const char *location, *means;
    } cases[] = {
        {"https://other.example/x", "https://other.example/x"},
        {"http://other.example/", "http://other.example/"},
        {"//other.example/x", "https://other.example/x"},
        {"/x?y#z", "https://shop.example:8443/x?y#z"},
        {"x", "https://shop.example:8443/a/b/x"},
        {"./x", "https://shop.example:8443/a/b/x"},
        {"../x", "https://shop.example:8443/a/x"},
        {"../../../x/.", "https://shop.example:8443/x/"},
        {"/a/./b/../c/..", "https://shop.example:8443/a/"},
        {"?q=../x", "https://shop.example:8443/a/b/c?q=../x"},
        {"#f", "https://shop.example:8443/a/b/c#f"},
        {"x:y", "x:y"},
        {"./x:y", "https://shop.example:8443/a/b/x:y"},
    };
    struct url base;
    const char *why;
    assert_int_equal(url_parse(&base, "https://shop.example:8443/a/b/c?d=/e", &why), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *means = url_resolve(&base, cases[i].location);
        assert_non_null(means);
        assert_string_equal(means, cases[i].means);
        free(means);
    }
    url_free(&base);
}
