// What response.c makes of what any lane hands it, by calls alone: lengths that are not kept to, heads and
// trailers that a server has no right to, how much of its fields is kept, and that only a whole object has a
// last byte.
#include "fetch/response.h"
#include "test/native/cmocka_unit.h"

static void on_over(void *context) {
    ++*(unsigned *)context;
}

static void field(struct response *response, const char *name, const char *value) {
    response_field(response, name, strlen(name), value, strlen(value));
}

struct said {
    int statuses[3]; // 0: no more
    const char *length, *body, *trailer_length;
    int status_behind; // 0: none
    const char *failure;
};

static const struct said cases[] = {
    {{200}, NULL, "hello", NULL, 0, NULL},
    {{103, 103, 200}, "5", "hello", NULL, 0, NULL},
    {{200}, "5", "hello", NULL, 0, NULL},
    {{204}, "5", NULL, NULL, 0, NULL},
    {{200}, "5", "hello", "99", 0, NULL},
    {{200}, "5", "hel", NULL, 0, "the body ended after 3 of the 5 bytes of content-length"},
    {{200}, "5", NULL, NULL, 0, "the body ended after 0 of the 5 bytes of content-length"},
    {{200}, "5", "hello!", NULL, 0, "the body continues behind the 5 bytes of content-length"},
    {{200}, "0", "h", NULL, 0, "the body continues behind the 0 bytes of content-length"},
    {{200}, "9223372036854775808", NULL, NULL, 0, "content-length \"9223372036854775808\" is no length"},
    {{200}, "-1", NULL, NULL, 0, "content-length \"-1\" is no length"},
    {{200}, "5", "hello", NULL, 404, "it has a second status behind its head"},
    {{200, 200}, NULL, NULL, NULL, 0, "it has a second status behind its head"},
    {{103}, NULL, "hello", NULL, 0, "a body came before its status"},
    {{0}, NULL, "hello", NULL, 0, "a body came before its status"},
    {{103}, NULL, NULL, NULL, 0, "it ended before its status"},
    {{101}, NULL, NULL, NULL, 0, "status 101 is no answer to this request"},
};

UNIT_TEST(only_what_is_whole_has_a_last_byte) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct said *said = &cases[i];
        struct response response;
        unsigned overs = 0;
        response_begin(&response, 1000, on_over, &overs);
        for (size_t k = 0; k < 3 && said->statuses[k] > 0; k++) {
            response_head(&response, said->statuses[k], "3");
            if (said->length) field(&response, "Content-Length", said->length);
            response_head_end(&response);
        }
        if (said->body) response_body(&response, said->body, strlen(said->body));
        if (said->trailer_length) field(&response, "content-length", said->trailer_length);
        if (said->status_behind > 0) response_head(&response, said->status_behind, "3");
        response_end(&response);
        if (overs != 1) fail_msg("case %zu is over %u times", i, overs);
        if (strcmp(response.reason, said->failure ? said->failure : "") != 0)
            fail_msg("case %zu: %s", i, response.reason);
        assert_int_equal(response.has_failed, said->failure != NULL);
        if ((response.last_byte_ns > 0) == response.has_failed)
            fail_msg("case %zu: its last byte came at %llu", i, (unsigned long long)response.last_byte_ns);
        response_free(&response);
    }
}

UNIT_TEST(trailers_are_not_kept) {
    struct response response;
    unsigned overs = 0;
    response_begin(&response, 1000, on_over, &overs);
    response_head(&response, 302, "2");
    response_head_end(&response);
    field(&response, "location", "/elsewhere");
    field(&response, "alt-svc", "h3=\":443\"");
    response_end(&response);
    assert_null(response.location);
    assert_null(response.alt_svc);
    response_free(&response);
}

UNIT_TEST(interim_heads_are_counted) {
    struct response response;
    unsigned overs = 0;
    int heads = 0;
    response_begin(&response, 1000, on_over, &overs);
    for (; heads < 1000 && overs == 0; heads++)
        response_head(&response, 103, "3");
    assert_int_equal(heads, 101);
    assert_string_equal(response.reason, "it has more than 100 interim responses (1xx)");
    response_free(&response);
}

// Of trailers and interim heads, too.
UNIT_TEST(fields_are_counted_together) {
    struct response response;
    unsigned overs = 0;
    char *value = calloc(1, 100001);
    assert_non_null(value);
    memset(value, 'x', 100000);
    response_begin(&response, 1000, on_over, &overs);
    response_head(&response, 103, "3");
    field(&response, "link", value);
    response_head(&response, 200, "3");
    field(&response, "alt-svc", value);
    assert_int_equal(strlen(response.alt_svc), RESPONSE_FIELD_KEPT);
    response_head_end(&response);
    response_body(&response, "hello", 5);
    assert_int_equal(overs, 0);
    field(&response, "link", value);
    assert_int_equal(overs, 1);
    assert_string_equal(response.reason, "its fields have more than 262144 bytes");
    response_free(&response);
    free(value);
}
