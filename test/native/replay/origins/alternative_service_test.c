// Alt-Svc told by every https response, and nothing else changed.
#include "replay/origins/alternative_service.h"
#include "test/native/cmocka_unit.h"

#define HEADER(n, v)                                                                                         \
    ((struct header){.name = n, .value = v, .name_size = sizeof n - 1, .value_size = sizeof v - 1})

static struct header several[] = {HEADER("alt-svc", "clear"), HEADER("vary", "accept"),
                                  HEADER("alt-svc", "h3-29=\":443\"")};

static const struct header *only(const struct recorded_exchange *exchange, const char *name) {
    const struct header *found = NULL;
    for (size_t i = 0; i < exchange->header_count; i++) {
        const struct header *header = &exchange->headers[i];
        assert_int_equal(header->name_size, strlen(header->name));
        assert_int_equal(header->value_size, strlen(header->value));
        if (strcmp(header->name, name) != 0) continue;
        assert_null(found);
        found = header;
    }
    return found;
}

UNIT_TEST(test_offered) {
    struct recorded_exchange exchanges[] = {
        {.scheme = "https", .port = 443, .headers = several, .header_count = 3},
        {.scheme = "http", .port = 80, .headers = several, .header_count = 3},
        {.scheme = "https", .port = 65535},
    };
    struct recording recording = {.exchanges = exchanges, .exchange_count = 3};
    struct arena arena = {0};
    assert_int_equal(alternative_service_offer(&recording, &arena), 0);
    assert_int_equal(exchanges[0].header_count, 2);
    assert_string_equal(only(&exchanges[0], "vary")->value, "accept");
    assert_string_equal(only(&exchanges[0], "alt-svc")->value, "h3=\":443\"; ma=86400");
    assert_ptr_equal(exchanges[1].headers, several);
    assert_int_equal(exchanges[1].header_count, 3);
    assert_string_equal(only(&exchanges[2], "alt-svc")->value, "h3=\":65535\"; ma=86400");
    arena_free(&arena);
}

UNIT_TEST(test_nothing_recorded) {
    struct recording recording = {.exchange_count = 0};
    struct arena arena = {0};
    assert_int_equal(alternative_service_offer(&recording, &arena), 0);
    arena_free(&arena);
}
