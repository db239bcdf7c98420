// The matcher's promises, one by one (archive/matcher.h), and a large recording against a scan of it.
#include "archive/matcher.h"

#include "archive/query.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 16, HOSTS = 20, PATHS = 10, QUERIES = 10 };

struct row {
    const char *method, *scheme, *host, *path;
    uint16_t status;
};

static uint16_t own_port(const char *scheme) {
    return strcmp(scheme, "https") == 0 ? 443 : 80;
}

struct fixture {
    struct recorded_exchange exchanges[ROWS_MAX];
    struct recording recording;
    struct matcher *matcher;
};

// `ports`: of each row; NULL, or 0 for a row: the scheme's own.
static void open_rows_at(struct fixture *fixture, const struct row *rows, const uint16_t *ports,
                         size_t count) {
    *fixture = (struct fixture){.recording = {.exchanges = fixture->exchanges, .exchange_count = count}};
    for (size_t i = 0; i < count; i++)
        fixture->exchanges[i] =
            (struct recorded_exchange){.seq = (int64_t)i,
                                       .method = rows[i].method,
                                       .scheme = rows[i].scheme,
                                       .host = rows[i].host,
                                       .port = ports && ports[i] ? ports[i] : own_port(rows[i].scheme),
                                       .path = rows[i].path,
                                       .status = rows[i].status};
    fixture->matcher = matcher_open(&fixture->recording);
    assert_non_null(fixture->matcher);
}

static void open_rows(struct fixture *fixture, const struct row *rows, size_t count) {
    open_rows_at(fixture, rows, NULL, count);
}

// The answer's place in the recording, -1 for none; `match` as given out.
static int64_t ask(struct matcher *matcher, const char *method, const char *scheme, const char *host,
                   const char *path, enum match *match) {
    struct match_request request = {.method = method,
                                    .method_size = strlen(method),
                                    .scheme = scheme,
                                    .host = host,
                                    .host_size = strlen(host),
                                    .path = path,
                                    .path_size = strlen(path)};
    const struct recorded_exchange *found = matcher_find(matcher, &request, match);
    assert_true((found == NULL) == (*match == MATCH_MISSED));
    return found ? found->seq : -1;
}

#define ASSERT_ANSWER(fixture, method, scheme, host, path, wanted, wanted_match)                             \
    do {                                                                                                     \
        enum match got;                                                                                      \
        assert_int_equal(ask((fixture)->matcher, method, scheme, host, path, &got), wanted);                 \
        assert_int_equal(got, wanted_match);                                                                 \
    } while (0)

static void test_exact_comes_before_fuzzy(void **state) {
    (void)state;
    static const struct row rows[] = {{"GET", "https", "a.test", "/x?a=1", 200},
                                      {"GET", "https", "a.test", "/x?a=2", 200},
                                      {"GET", "https", "b.test", "/x?a=2", 200},
                                      {"POST", "https", "a.test", "/x?a=2", 200}};
    struct fixture f;
    open_rows(&f, rows, 4);
    ASSERT_ANSWER(&f, "GET", "https", "a.test", "/x?a=2", 1, MATCH_EXACT);
    ASSERT_ANSWER(&f, "POST", "https", "a.test", "/x?a=2", 3, MATCH_EXACT);
    ASSERT_ANSWER(&f, "GET", "https", "b.test", "/x?a=2", 2, MATCH_EXACT);
    ASSERT_ANSWER(&f, "GET", "https", "a.test", "/y?a=2", -1, MATCH_MISSED);
    ASSERT_ANSWER(&f, "GET", "https", "c.test", "/x?a=2", -1, MATCH_MISSED);
    ASSERT_ANSWER(&f, "PUT", "https", "a.test", "/x?a=2", -1, MATCH_MISSED);
    matcher_close(f.matcher);
}

static void test_hosts_in_any_form(void **state) {
    (void)state;
    static const struct row rows[] = {{"GET", "https", "a.test", "/", 200},
                                      {"GET", "https", "2001:db8::1", "/", 200}};
    struct fixture f;
    open_rows(&f, rows, 2);
    ASSERT_ANSWER(&f, "GET", "https", "A.Test", "/", 0, MATCH_EXACT);
    ASSERT_ANSWER(&f, "GET", "https", "a.test:443", "/", 0, MATCH_EXACT);
    ASSERT_ANSWER(&f, "GET", "https", "a.test.", "/", 0, MATCH_EXACT);
    ASSERT_ANSWER(&f, "GET", "https", "[2001:DB8::1]:443", "/", 1, MATCH_EXACT);
    ASSERT_ANSWER(&f, "GET", "https", "[2001:db8::1", "/", -1, MATCH_MISSED);
    ASSERT_ANSWER(&f, "GET", "https", "", "/", -1, MATCH_MISSED);
    char endless[1000];
    memset(endless, 'a', sizeof endless - 1);
    endless[sizeof endless - 1] = '\0';
    ASSERT_ANSWER(&f, "GET", "https", endless, "/", -1, MATCH_MISSED);
    matcher_close(f.matcher);
}

static void test_duplicates_in_recorded_order(void **state) {
    (void)state;
    static const struct row rows[] = {{"GET", "https", "a.test", "/poll", 200},
                                      {"GET", "https", "a.test", "/other", 200},
                                      {"GET", "https", "a.test", "/poll", 200},
                                      {"GET", "https", "a.test", "/poll", 200}};
    struct fixture f;
    open_rows(&f, rows, 4);
    ASSERT_ANSWER(&f, "GET", "https", "a.test", "/poll", 0, MATCH_EXACT);
    ASSERT_ANSWER(&f, "HEAD", "https", "a.test", "/poll", 2, MATCH_EXACT); // looks, does not take
    ASSERT_ANSWER(&f, "GET", "https", "a.test", "/poll", 2, MATCH_EXACT);
    ASSERT_ANSWER(&f, "GET", "https", "a.test", "/other", 1, MATCH_EXACT);
    ASSERT_ANSWER(&f, "GET", "https", "a.test", "/poll", 3, MATCH_EXACT);
    ASSERT_ANSWER(&f, "GET", "https", "a.test", "/poll", 3, MATCH_EXACT);
    ASSERT_ANSWER(&f, "HEAD", "https", "a.test", "/poll", 3, MATCH_EXACT);
    matcher_close(f.matcher);
}

static void test_own_scheme_first(void **state) {
    (void)state;
    static const struct row rows[] = {{"GET", "http", "a.test", "/", 301},
                                      {"GET", "https", "a.test", "/", 200},
                                      {"GET", "http", "b.test", "/", 200}};
    struct fixture f;
    open_rows(&f, rows, 3);
    ASSERT_ANSWER(&f, "GET", "https", "a.test", "/", 1, MATCH_EXACT);
    ASSERT_ANSWER(&f, "GET", "http", "a.test", "/", 0, MATCH_EXACT);
    ASSERT_ANSWER(&f, "GET", "https", "b.test", "/", 2, MATCH_FUZZY);
    matcher_close(f.matcher);
}

static void test_own_port_first(void **state) {
    (void)state;
    static const struct row rows[] = {
        {"GET", "https", "a.test", "/", 200},      {"GET", "https", "a.test", "/", 200},
        {"GET", "http", "a.test", "/", 200},       {"GET", "https", "a.test", "/", 200},
        {"GET", "https", "2001:db8::1", "/", 200}, {"GET", "http", "a.test", "/80", 200}};
    static const uint16_t ports[] = {8443, 0, 8080, 8443, 8443, 443};
    struct fixture f;
    open_rows_at(&f, rows, ports, 6);
    ASSERT_ANSWER(&f, "GET", "https", "a.test", "/", 1, MATCH_EXACT);
    ASSERT_ANSWER(&f, "GET", "https", "a.test:443", "/", 1, MATCH_EXACT);
    ASSERT_ANSWER(&f, "GET", "https", "a.test:", "/", 1, MATCH_EXACT);
    ASSERT_ANSWER(&f, "GET", "https", "a.test:8443", "/", 0, MATCH_EXACT);
    ASSERT_ANSWER(&f, "GET", "https", "a.test:8443", "/", 3, MATCH_EXACT); // each port in its own order
    ASSERT_ANSWER(&f, "GET", "http", "a.test:8080", "/", 2, MATCH_EXACT);
    ASSERT_ANSWER(&f, "GET", "http", "a.test", "/", 2, MATCH_FUZZY);    // its scheme on another port
    ASSERT_ANSWER(&f, "GET", "https", "a.test:9", "/", 3, MATCH_FUZZY); // the scheme's first recorded port
    ASSERT_ANSWER(&f, "GET", "https", "[2001:db8::1]:8443", "/", 4, MATCH_EXACT);
    ASSERT_ANSWER(&f, "GET", "https", "[2001:db8::1]", "/", 4, MATCH_FUZZY);
    ASSERT_ANSWER(&f, "GET", "https", "a.test", "/80", 5, MATCH_FUZZY); // the port alone is not enough
    static const char *const no_ports[] = {"a.test:x", "a.test:65979", "a.test:4294967739", "a.test:-443",
                                           "[2001:db8::1]443"};
    for (size_t i = 0; i < sizeof no_ports / sizeof *no_ports; i++) {
        enum match match;
        assert_int_not_equal(ask(f.matcher, "GET", "https", no_ports[i], "/", &match), -1);
        assert_int_equal(match, MATCH_FUZZY);
    }
    matcher_close(f.matcher);
}

static void test_the_query_of_its_own_origin_first(void **state) {
    (void)state;
    static const struct row rows[] = {{"GET", "http", "a.test", "/x?id=3&t=1", 200},
                                      {"GET", "https", "a.test", "/x?id=1&t=2", 200},
                                      {"GET", "https", "a.test", "/x?id=2&t=2", 200}};
    static const uint16_t ports[] = {0, 0, 8443};
    struct fixture f;
    open_rows_at(&f, rows, ports, 3);
    ASSERT_ANSWER(&f, "GET", "https", "a.test", "/x?id=3&t=9", 1, MATCH_FUZZY);
    ASSERT_ANSWER(&f, "GET", "https", "a.test:8443", "/x?id=3&t=9", 2, MATCH_FUZZY);
    ASSERT_ANSWER(&f, "GET", "https", "a.test", "/x?id=3&t=1", 0, MATCH_FUZZY); // the whole query goes before
    ASSERT_ANSWER(&f, "GET", "https", "a.test:9", "/x?id=2&t=9", 2, MATCH_FUZZY);
    matcher_close(f.matcher);
}

static void test_head(void **state) {
    (void)state;
    static const struct row rows[] = {{"GET", "https", "a.test", "/x?a=1", 200},
                                      {"HEAD", "https", "a.test", "/y", 204}};
    struct fixture f;
    open_rows(&f, rows, 2);
    ASSERT_ANSWER(&f, "HEAD", "https", "a.test", "/y", 1, MATCH_EXACT);
    ASSERT_ANSWER(&f, "HEAD", "https", "a.test", "/x?a=1", 0, MATCH_EXACT);
    ASSERT_ANSWER(&f, "HEAD", "https", "a.test", "/x?b=1", 0, MATCH_FUZZY);
    ASSERT_ANSWER(&f, "GET", "https", "a.test", "/y", -1, MATCH_MISSED);
    matcher_close(f.matcher);
}

static void test_the_most_alike_query(void **state) {
    (void)state;
    static const struct row rows[] = {
        {"GET", "https", "a.test", "/x?id=1&t=100", 200}, {"GET", "https", "a.test", "/x?id=2&t=200", 200},
        {"GET", "https", "a.test", "/x?t=300&id=3", 200}, {"GET", "https", "a.test", "/x", 200},
        {"GET", "https", "a.test", "/x?id=3&u=7", 200},   {"GET", "https", "a.test", "/x?id=2&t=200", 200}};
    struct fixture f;
    open_rows(&f, rows, 6);
    ASSERT_ANSWER(&f, "GET", "https", "a.test", "/x?id=3&t=999", 2, MATCH_FUZZY); // same id, and knows t
    ASSERT_ANSWER(&f, "GET", "https", "a.test", "/x?id=1&t=999", 0, MATCH_FUZZY); // same id
    ASSERT_ANSWER(&f, "GET", "https", "a.test", "/x?id=2&t=209", 1, MATCH_FUZZY);
    ASSERT_ANSWER(&f, "GET", "https", "a.test", "/x?id=2&t=209", 5, MATCH_FUZZY); // its duplicate next
    ASSERT_ANSWER(&f, "GET", "https", "a.test", "/x?id=2&t=209", 5, MATCH_FUZZY);
    ASSERT_ANSWER(&f, "GET", "https", "a.test", "/x?id=29&t=9", 5,
                  MATCH_FUZZY); // the same names: the longest prefix
    ASSERT_ANSWER(&f, "GET", "https", "a.test", "/x?id=9&t=9", 0,
                  MATCH_FUZZY);                                            // and prefixes: the first recorded
    ASSERT_ANSWER(&f, "GET", "https", "a.test", "/x?z=1", 0, MATCH_FUZZY); // nothing alike but the "?"
    matcher_close(f.matcher);
}

static void test_failed_answers_are_not_given(void **state) {
    (void)state;
    static const struct row rows[] = {{"GET", "https", "a.test", "/", 0},
                                      {"GET", "https", "a.test", "/ws", 101},
                                      {"GET", "https", "a.test", "/", 200},
                                      {"GET", "https", "a.test", "/big", 999}};
    struct fixture f;
    open_rows(&f, rows, 4);
    ASSERT_ANSWER(&f, "GET", "https", "a.test", "/", 2, MATCH_EXACT);
    ASSERT_ANSWER(&f, "GET", "https", "a.test", "/ws", -1, MATCH_MISSED);
    ASSERT_ANSWER(&f, "GET", "https", "a.test", "/big", -1, MATCH_MISSED);
    matcher_close(f.matcher);
}

static void test_every_exchange_of_a_large_recording(void **state) {
    (void)state;
    size_t count = HOSTS * PATHS * QUERIES;
    struct recorded_exchange *exchanges = calloc(count, sizeof *exchanges);
    char(*hosts)[16] = calloc(count, sizeof *hosts);
    char(*paths)[32] = calloc(count, sizeof *paths);
    assert_true(exchanges && hosts && paths);
    for (size_t i = 0; i < count; i++) {
        snprintf(hosts[i], sizeof hosts[i], "h%zu.test", i % HOSTS);
        snprintf(paths[i], sizeof paths[i], "/p%zu?q=%zu", i / HOSTS % PATHS, i / HOSTS / PATHS);
        exchanges[i] = (struct recorded_exchange){.seq = (int64_t)i,
                                                  .method = "GET",
                                                  .scheme = "https",
                                                  .host = hosts[i],
                                                  .port = 443,
                                                  .path = paths[i],
                                                  .status = 200};
    }
    struct recording recording = {.exchanges = exchanges, .exchange_count = count};
    struct matcher *matcher = matcher_open(&recording);
    enum match match;
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(ask(matcher, "GET", "https", hosts[i], paths[i], &match), i);
        assert_int_equal(match, MATCH_EXACT);
    }
    matcher_close(matcher);
    free(exchanges);
    free(hosts);
    free(paths);
}

static struct query_likeness compare(const char *a, const char *b) {
    return query_compare(a, strlen(a), b, strlen(b));
}

static void test_likeness(void **state) {
    (void)state;
    struct query_likeness likeness = compare("?a=1&b=2&c", "?c&b=3&a=1");
    assert_int_equal(likeness.equal_parameters, 2);
    assert_int_equal(likeness.equal_names, 3);
    assert_int_equal(likeness.common_prefix_bytes, 1);
    likeness = compare("?a=1&a=1&a=1", "?a=1&a=2"); // each pairs once
    assert_int_equal(likeness.equal_parameters, 1);
    assert_int_equal(likeness.equal_names, 2);
    likeness = compare("", "?a=1");
    assert_int_equal(likeness.equal_names, 0);
    likeness = compare("?&&&=&", "?=");
    assert_int_equal(likeness.equal_parameters, 1);
    struct query_likeness more = compare("?a=1&b=2", "?a=1&b=3");
    struct query_likeness less = compare("?a=1&b=2", "?a=2&b=3");
    assert_true(query_is_liker(&more, &less));
    assert_false(query_is_liker(&less, &more));
    assert_false(query_is_liker(&more, &more));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact_comes_before_fuzzy),
        cmocka_unit_test(test_hosts_in_any_form),
        cmocka_unit_test(test_duplicates_in_recorded_order),
        cmocka_unit_test(test_own_scheme_first),
        cmocka_unit_test(test_own_port_first),
        cmocka_unit_test(test_the_query_of_its_own_origin_first),
        cmocka_unit_test(test_head),
        cmocka_unit_test(test_the_most_alike_query),
        cmocka_unit_test(test_failed_answers_are_not_given),
        cmocka_unit_test(test_every_exchange_of_a_large_recording),
        cmocka_unit_test(test_likeness),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
