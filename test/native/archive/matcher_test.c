// The matcher's promises, one by one (archive/matcher.h), and a large recording against a scan of it. Over
// 500 lines: one short test a promise, all on the same few fixtures.
#include "archive/matcher.h"
#include "test/native/cmocka_unit.h"

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

static int set_up(void **state) {
    *state = calloc(1, sizeof(struct fixture));
    return *state ? 0 : -1;
}

static int tear_down(void **state) {
    matcher_close(((struct fixture *)*state)->matcher);
    free(*state);
    return 0;
}

#define MATCHER_TEST(name) UNIT_TEST_OF(name, struct fixture *f, set_up, tear_down)

static void open_rows(struct fixture *fixture, const struct row *rows, size_t count) {
    open_rows_at(fixture, rows, NULL, count);
}

static const unsigned all_codings = 63;

static struct match_request request_for(const char *method, const char *scheme, const char *host,
                                        const char *path) {
    return (struct match_request){.method = method,
                                  .method_size = strlen(method),
                                  .scheme = scheme,
                                  .host = host,
                                  .host_size = strlen(host),
                                  .path = path,
                                  .path_size = strlen(path),
                                  .wish.accepted = all_codings};
}

// The answer's place in the recording, -1 for none; `match` as given out.
static int64_t ask(struct matcher *matcher, const char *method, const char *scheme, const char *host,
                   const char *path, enum match *match) {
    const struct match_request request = request_for(method, scheme, host, path);
    const struct match_answer answer = matcher_find(matcher, &request);
    assert_true((answer.exchange == NULL) == (answer.match == MATCH_MISSED));
    assert_true((answer.match == MATCH_FUZZY) == (answer.difference != DIFFERENCE_NONE));
    *match = answer.match;
    return answer.exchange ? answer.exchange->seq : -1;
}

#define ASSERT_ANSWER_OF(fixture, method, scheme, host, path, wanted, wanted_match)                          \
    do {                                                                                                     \
        enum match got;                                                                                      \
        assert_int_equal(ask((fixture)->matcher, method, scheme, host, path, &got), wanted);                 \
        assert_int_equal(got, wanted_match);                                                                 \
    } while (0)
// In a MATCHER_TEST.
#define ASSERT_ANSWER(...) ASSERT_ANSWER_OF(f, __VA_ARGS__)

MATCHER_TEST(test_exact_comes_before_fuzzy) {
    static const struct row rows[] = {{"GET", "https", "a.test", "/x?a=1", 200},
                                      {"GET", "https", "a.test", "/x?a=2", 200},
                                      {"GET", "https", "b.test", "/x?a=2", 200},
                                      {"POST", "https", "a.test", "/x?a=2", 200}};
    open_rows(f, rows, 4);
    ASSERT_ANSWER("GET", "https", "a.test", "/x?a=2", 1, MATCH_EXACT);
    ASSERT_ANSWER("POST", "https", "a.test", "/x?a=2", 3, MATCH_EXACT);
    ASSERT_ANSWER("GET", "https", "b.test", "/x?a=2", 2, MATCH_EXACT);
    ASSERT_ANSWER("GET", "https", "a.test", "/y?a=2", -1, MATCH_MISSED);
    ASSERT_ANSWER("GET", "https", "c.test", "/x?a=2", -1, MATCH_MISSED);
    ASSERT_ANSWER("PUT", "https", "a.test", "/x?a=2", -1, MATCH_MISSED);
}

MATCHER_TEST(test_similar_paths) {
    static const struct row rows[] = {{"GET", "https", "a.test", "/js/app.a1b2c3.js", 200},
                                      {"GET", "https", "a.test", "/js/app.a1b2c3d.js?v=1", 200},
                                      {"GET", "https", "a.test", "/js/app.a1b2c3d.js?v=2", 200},
                                      {"GET", "https", "b.test", "/v2/app.js", 200},
                                      {"POST", "https", "a.test", "/v2/app.js", 200},
                                      {"GET", "https", "a.test", "/old/v1/app.js", 404}};
    open_rows(f, rows, 6);
    struct match_request request = request_for("GET", "https", "a.test", "/js/app.ffeedd11.js?v=2");
    request.destination = DESTINATION_SCRIPT;
    struct match_answer answer = matcher_find(f->matcher, &request);
    assert_int_equal(answer.difference, DIFFERENCE_PATH);
    assert_true(answer.similarity > 0.98 && answer.similarity < 1);
    assert_int_equal(answer.exchange->seq, 0); // as like as the other, and recorded before it
    answer = matcher_find(f->matcher, &request);
    assert_int_equal(answer.exchange->seq, 2); // not given yet, with the query most like the asked one
    ASSERT_ANSWER("GET", "https", "a.test", "/js/app.a1b2c3.js", 0, MATCH_EXACT);

    request.effort = MATCH_SAME_PATH;
    assert_int_equal(matcher_find(f->matcher, &request).match, MATCH_MISSED);
    request.effort = MATCH_ANYHOW;
    request.destination = DESTINATION_IMAGE; // no type is known of the recorded ones
    assert_int_equal(matcher_find(f->matcher, &request).match, MATCH_FUZZY);
    request.destination = DESTINATION_OTHER;
    assert_int_equal(matcher_find(f->matcher, &request).match, MATCH_MISSED);

    ASSERT_ANSWER("GET", "https", "a.test", "/v3/app.js", -1, MATCH_MISSED); // of another host, method
    ASSERT_ANSWER("GET", "https", "c.test", "/v3/app.js", -1, MATCH_MISSED);
    ASSERT_ANSWER("GET", "https", "a.test", "/old/v2/app.js", -1, MATCH_MISSED);
    ASSERT_ANSWER("GET", "https", "b.test:8443", "/v3/app.js", 3, MATCH_FUZZY);
    ASSERT_ANSWER("HEAD", "https", "b.test", "/v3/app.js", 3, MATCH_FUZZY);
}

// "/" and that many letters, then `end`. x and y make words: they are no hexadecimal digits.
static char *long_path(char letter, size_t letters, const char *end) {
    char *path = malloc(letters + strlen(end) + 2);
    assert_non_null(path);
    path[0] = '/';
    memset(path + 1, letter, letters);
    strcpy(path + 1 + letters, end);
    return path;
}

// As many long paths as are compared at most, by their bytes: what is like the asked one among them is found,
// and not where it comes later.
UNIT_TEST(test_long_paths_are_compared_up_to_a_bound) {
    enum { COMPARED = 10, LETTERS = MATCH_SIMILAR_BYTES_MAX / COMPARED / 2 - 20 };
    char *asked = long_path('x', LETTERS, ".a1b2c3.js"), *alike = long_path('x', LETTERS, ".d4e5f6.js");
    char *others[COMPARED];
    struct row rows[COMPARED + 1];
    for (size_t i = 0; i < COMPARED; i++) {
        char end[16];
        snprintf(end, sizeof end, ".%zu.a1b2c3.js", i);
        others[i] = long_path('y', LETTERS, end);
    }
    for (size_t place = COMPARED - 1; place <= COMPARED; place++) {
        for (size_t i = 0, other = 0; i <= COMPARED; i++)
            rows[i] = (struct row){"GET", "https", "a.test", i == place ? alike : others[other++], 200};
        struct fixture f;
        open_rows(&f, rows, COMPARED + 1);
        const bool is_compared = place < COMPARED;
        ASSERT_ANSWER_OF(&f, "GET", "https", "a.test", asked, is_compared ? (int64_t)place : -1,
                         is_compared ? MATCH_FUZZY : MATCH_MISSED);
        matcher_close(f.matcher);
    }
    for (size_t i = 0; i < COMPARED; i++)
        free(others[i]);
    free(asked);
    free(alike);
}

MATCHER_TEST(test_effort) {
    static const struct row rows[] = {{"GET", "https", "a.test", "/x?a=1", 200}};
    open_rows(f, rows, 1);
    struct match_request request = request_for("GET", "https", "a.test", "/x?a=2");
    request.effort = MATCH_EXACTLY;
    assert_int_equal(matcher_find(f->matcher, &request).match, MATCH_MISSED);
    request.effort = MATCH_SAME_PATH;
    assert_int_equal(matcher_find(f->matcher, &request).match, MATCH_FUZZY);
}

MATCHER_TEST(test_hosts_in_any_form) {
    static const struct row rows[] = {{"GET", "https", "a.test", "/", 200},
                                      {"GET", "https", "2001:db8::1", "/", 200}};
    open_rows(f, rows, 2);
    ASSERT_ANSWER("GET", "https", "A.Test", "/", 0, MATCH_EXACT);
    ASSERT_ANSWER("GET", "https", "a.test:443", "/", 0, MATCH_EXACT);
    ASSERT_ANSWER("GET", "https", "a.test.", "/", 0, MATCH_EXACT);
    ASSERT_ANSWER("GET", "https", "[2001:DB8::1]:443", "/", 1, MATCH_EXACT);
    ASSERT_ANSWER("GET", "https", "[2001:db8::1", "/", -1, MATCH_MISSED);
    ASSERT_ANSWER("GET", "https", "", "/", -1, MATCH_MISSED);
    char endless[1000];
    memset(endless, 'a', sizeof endless - 1);
    endless[sizeof endless - 1] = '\0';
    ASSERT_ANSWER("GET", "https", endless, "/", -1, MATCH_MISSED);
}

MATCHER_TEST(test_duplicates_in_recorded_order) {
    static const struct row rows[] = {{"GET", "https", "a.test", "/poll", 200},
                                      {"GET", "https", "a.test", "/other", 200},
                                      {"GET", "https", "a.test", "/poll", 200},
                                      {"GET", "https", "a.test", "/poll", 200}};
    open_rows(f, rows, 4);
    ASSERT_ANSWER("GET", "https", "a.test", "/poll", 0, MATCH_EXACT);
    ASSERT_ANSWER("HEAD", "https", "a.test", "/poll", 2, MATCH_EXACT); // looks, does not take
    ASSERT_ANSWER("GET", "https", "a.test", "/poll", 2, MATCH_EXACT);
    ASSERT_ANSWER("GET", "https", "a.test", "/other", 1, MATCH_EXACT);
    ASSERT_ANSWER("GET", "https", "a.test", "/poll", 3, MATCH_EXACT);
    ASSERT_ANSWER("GET", "https", "a.test", "/poll", 3, MATCH_EXACT);
    ASSERT_ANSWER("HEAD", "https", "a.test", "/poll", 3, MATCH_EXACT);
}

MATCHER_TEST(test_own_scheme_first) {
    static const struct row rows[] = {{"GET", "http", "a.test", "/", 301},
                                      {"GET", "https", "a.test", "/", 200},
                                      {"GET", "http", "b.test", "/", 200}};
    open_rows(f, rows, 3);
    ASSERT_ANSWER("GET", "https", "a.test", "/", 1, MATCH_EXACT);
    ASSERT_ANSWER("GET", "http", "a.test", "/", 0, MATCH_EXACT);
    ASSERT_ANSWER("GET", "https", "b.test", "/", 2, MATCH_EXACT);
}

MATCHER_TEST(test_no_redirect_to_itself) {
    static const struct row rows[] = {{"GET", "http", "a.test", "/", 301},
                                      {"GET", "http", "a.test", "/x?y", 308},
                                      {"GET", "http", "a.test", "/other", 301}};
    static const char *const locations[] = {"https://a.test/", "https://a.test:443/x?y", "https://a.test/"};
    struct header headers[3];
    open_rows(f, rows, 3);
    matcher_close(f->matcher);
    for (size_t i = 0; i < 3; i++) {
        headers[i] = (struct header){"location", locations[i], 8, strlen(locations[i])};
        f->exchanges[i].headers = &headers[i];
        f->exchanges[i].header_count = 1;
    }
    f->matcher = matcher_open(&f->recording);
    ASSERT_ANSWER("GET", "http", "a.test", "/", 0, MATCH_EXACT);
    ASSERT_ANSWER("GET", "https", "a.test", "/", -1, MATCH_MISSED);
    ASSERT_ANSWER("GET", "https", "a.test", "/x?y", -1, MATCH_MISSED);
    ASSERT_ANSWER("GET", "https", "a.test", "/other", 2, MATCH_EXACT);
}

MATCHER_TEST(test_own_port_first) {
    static const struct row rows[] = {
        {"GET", "https", "a.test", "/", 200},      {"GET", "https", "a.test", "/", 200},
        {"GET", "http", "a.test", "/", 200},       {"GET", "https", "a.test", "/", 200},
        {"GET", "https", "2001:db8::1", "/", 200}, {"GET", "http", "a.test", "/80", 200}};
    static const uint16_t ports[] = {8443, 0, 8080, 8443, 8443, 443};
    open_rows_at(f, rows, ports, 6);
    ASSERT_ANSWER("GET", "https", "a.test", "/", 1, MATCH_EXACT);
    ASSERT_ANSWER("GET", "https", "a.test:443", "/", 1, MATCH_EXACT);
    ASSERT_ANSWER("GET", "https", "a.test:", "/", 1, MATCH_EXACT);
    ASSERT_ANSWER("GET", "https", "a.test:8443", "/", 0, MATCH_EXACT);
    ASSERT_ANSWER("GET", "https", "a.test:8443", "/", 3, MATCH_EXACT); // each port in its own order
    ASSERT_ANSWER("GET", "http", "a.test:8080", "/", 2, MATCH_EXACT);
    ASSERT_ANSWER("GET", "http", "a.test", "/", 1, MATCH_EXACT);
    ASSERT_ANSWER("GET", "https", "a.test:9", "/", 3, MATCH_FUZZY); // the first recorded port
    ASSERT_ANSWER("GET", "https", "[2001:db8::1]:8443", "/", 4, MATCH_EXACT);
    ASSERT_ANSWER("GET", "https", "[2001:db8::1]", "/", 4, MATCH_FUZZY);
    ASSERT_ANSWER("GET", "https", "a.test", "/80", 5, MATCH_FUZZY); // the port alone is not enough
    static const char *const no_ports[] = {"a.test:x", "a.test:65979", "a.test:4294967739", "a.test:-443",
                                           "[2001:db8::1]443"};
    for (size_t i = 0; i < sizeof no_ports / sizeof *no_ports; i++) {
        enum match match;
        assert_int_not_equal(ask(f->matcher, "GET", "https", no_ports[i], "/", &match), -1);
        assert_int_equal(match, MATCH_FUZZY);
    }
}

MATCHER_TEST(test_the_query_of_its_own_port_first) {
    static const struct row rows[] = {{"GET", "http", "a.test", "/x?id=3&t=1", 200},
                                      {"GET", "https", "a.test", "/x?id=1&t=2", 200},
                                      {"GET", "https", "a.test", "/x?id=2&t=2", 200}};
    static const uint16_t ports[] = {0, 0, 8443};
    open_rows_at(f, rows, ports, 3);
    ASSERT_ANSWER("GET", "https", "a.test", "/x?id=3&t=9", 0, MATCH_FUZZY); // http and https are one
    ASSERT_ANSWER("GET", "https", "a.test", "/x?id=1&t=9", 1, MATCH_FUZZY);
    ASSERT_ANSWER("GET", "https", "a.test:8443", "/x?id=3&t=9", 2, MATCH_FUZZY);
    ASSERT_ANSWER("GET", "https", "a.test", "/x?id=3&t=1", 0, MATCH_EXACT);
    ASSERT_ANSWER("GET", "https", "a.test", "/x?id=2&t=2", 2, MATCH_FUZZY); // the whole query goes before
    ASSERT_ANSWER("GET", "https", "a.test:9", "/x?id=2&t=9", 1, MATCH_FUZZY);
}

MATCHER_TEST(test_head) {
    static const struct row rows[] = {{"GET", "https", "a.test", "/x?a=1", 200},
                                      {"HEAD", "https", "a.test", "/y", 204}};
    open_rows(f, rows, 2);
    ASSERT_ANSWER("HEAD", "https", "a.test", "/y", 1, MATCH_EXACT);
    ASSERT_ANSWER("HEAD", "https", "a.test", "/x?a=1", 0, MATCH_EXACT);
    ASSERT_ANSWER("HEAD", "https", "a.test", "/x?b=1", 0, MATCH_FUZZY);
    ASSERT_ANSWER("GET", "https", "a.test", "/y", -1, MATCH_MISSED);
}

MATCHER_TEST(test_the_most_alike_query) {
    static const struct row rows[] = {
        {"GET", "https", "a.test", "/x?id=1&t=100", 200}, {"GET", "https", "a.test", "/x?id=2&t=200", 200},
        {"GET", "https", "a.test", "/x?t=300&id=3", 200}, {"GET", "https", "a.test", "/x", 200},
        {"GET", "https", "a.test", "/x?id=3&u=7", 200},   {"GET", "https", "a.test", "/x?id=2&t=200", 200}};
    open_rows(f, rows, 6);
    ASSERT_ANSWER("GET", "https", "a.test", "/x?id=3&t=999", 2, MATCH_FUZZY); // same id, and knows t
    ASSERT_ANSWER("GET", "https", "a.test", "/x?id=1&t=999", 0, MATCH_FUZZY); // same id
    ASSERT_ANSWER("GET", "https", "a.test", "/x?id=2&t=209", 1, MATCH_FUZZY);
    ASSERT_ANSWER("GET", "https", "a.test", "/x?id=2&t=209", 5, MATCH_FUZZY); // its duplicate next
    ASSERT_ANSWER("GET", "https", "a.test", "/x?id=2&t=209", 5, MATCH_FUZZY);
    // The same names and nothing else: the last, since all three have been given.
    ASSERT_ANSWER("GET", "https", "a.test", "/x?id=9&t=9", 2, MATCH_FUZZY);
    // Nothing alike: the first that was not given, then the next, then the last.
    ASSERT_ANSWER("GET", "https", "a.test", "/x?z=1", 3, MATCH_FUZZY);
    ASSERT_ANSWER("GET", "https", "a.test", "/x?z=1", 4, MATCH_FUZZY);
    ASSERT_ANSWER("GET", "https", "a.test", "/x?z=1", 4, MATCH_FUZZY);
}

MATCHER_TEST(test_failed_answers_are_not_given) {
    static const struct row rows[] = {{"GET", "https", "a.test", "/", 0},
                                      {"GET", "https", "a.test", "/ws", 101},
                                      {"GET", "https", "a.test", "/", 200},
                                      {"GET", "https", "a.test", "/big", 999}};
    open_rows(f, rows, 4);
    ASSERT_ANSWER("GET", "https", "a.test", "/", 2, MATCH_EXACT);
    ASSERT_ANSWER("GET", "https", "a.test", "/ws", -1, MATCH_MISSED);
    ASSERT_ANSWER("GET", "https", "a.test", "/big", -1, MATCH_MISSED);
}

UNIT_TEST(test_every_exchange_of_a_large_recording) {
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

MATCHER_TEST(test_time_stamps_and_random_numbers) {
    static const struct row rows[] = {
        {"GET", "https", "a.test", "/hit?ev=start&t=1732180000123", 200},
        {"GET", "https", "a.test", "/hit?ev=click&t=1732180004567", 200},
        {"GET", "https", "a.test", "/hit?ev=click&t=1732180005678", 200},
        {"GET", "https", "a.test", "/pixel?1732180000", 200},
        {"GET", "https", "a.test", "/pixel?1732180001", 200},
        {"GET", "https", "a.test", "/ad?pos=top&cb=0.8395716374", 200},
        {"GET", "https", "a.test", "/ad?pos=top&cb=stable", 200},
        {"GET", "https", "a.test", "/s?sid=9f86d081884c7d659a2feaa0c55ad015&p=1", 200},
        {"GET", "https", "a.test", "/s?sid=none&p=1", 200}};
    open_rows(f, rows, 9);
    ASSERT_ANSWER("GET", "https", "a.test", "/hit?ev=click&t=1763720000001", 1, MATCH_FUZZY);
    ASSERT_ANSWER("GET", "https", "a.test", "/hit?ev=click&t=1763720000002", 2, MATCH_FUZZY);
    ASSERT_ANSWER("GET", "https", "a.test", "/hit?ev=start&t=1763720000003", 0, MATCH_FUZZY);
    ASSERT_ANSWER("GET", "https", "a.test", "/pixel?1763720000", 3, MATCH_FUZZY); // in recorded order
    ASSERT_ANSWER("GET", "https", "a.test", "/pixel?1763720009", 4, MATCH_FUZZY);
    ASSERT_ANSWER("GET", "https", "a.test", "/ad?pos=top&cb=0.1234567891", 5, MATCH_FUZZY);
    ASSERT_ANSWER("GET", "https", "a.test", "/ad?pos=top&cb=0.1234567891", 5, MATCH_FUZZY);
    ASSERT_ANSWER("GET", "https", "a.test", "/s?sid=60303ae22b998861bce3b28f33eec1be&p=1", 7, MATCH_FUZZY);
}

// --- request bodies

static const uint8_t body_a[RECORDING_HASH_BYTES] = {1}, body_b[RECORDING_HASH_BYTES] = {2},
                     body_c[RECORDING_HASH_BYTES] = {3};

static struct match_answer post(struct matcher *matcher, const char *path, const uint8_t *body) {
    struct match_request request = request_for("POST", "https", "a.test", path);
    request.body_sha256 = body;
    return matcher_find(matcher, &request);
}

#define ASSERT_POST(path, body, seq_wanted, difference_wanted)                                               \
    do {                                                                                                     \
        const struct match_answer answer_ = post(f->matcher, path, body);                                    \
        assert_non_null(answer_.exchange);                                                                   \
        assert_int_equal(answer_.exchange->seq, seq_wanted);                                                 \
        assert_int_equal(answer_.difference, difference_wanted);                                             \
        assert_int_equal(answer_.match, answer_.difference == DIFFERENCE_NONE ? MATCH_EXACT : MATCH_FUZZY);  \
    } while (0)

MATCHER_TEST(test_request_bodies) {
    static const struct row rows[] = {
        {"POST", "https", "a.test", "/q", 200},    {"POST", "https", "a.test", "/q", 200},
        {"POST", "https", "a.test", "/q", 200},    {"POST", "https", "a.test", "/q", 200},
        {"POST", "https", "a.test", "/none", 200}, {"POST", "https", "a.test", "/q?other", 200}};
    open_rows(f, rows, 6);
    matcher_close(f->matcher);
    f->exchanges[0].request_body_sha256 = f->exchanges[2].request_body_sha256 = body_a;
    f->exchanges[1].request_body_sha256 = f->exchanges[5].request_body_sha256 = body_b;
    f->matcher = matcher_open(&f->recording);
    ASSERT_POST("/q", body_b, 1, DIFFERENCE_NONE);
    ASSERT_POST("/q", NULL, 3, DIFFERENCE_NONE);
    ASSERT_POST("/q", body_a, 0, DIFFERENCE_NONE);
    ASSERT_POST("/q", body_c, 2, DIFFERENCE_BODY); // the first that was not given yet
    ASSERT_POST("/q", body_c, 3, DIFFERENCE_BODY); // all were: the last
    ASSERT_POST("/q", body_a, 2, DIFFERENCE_NONE); // what a fuzzy request took is still an exact one's
    ASSERT_POST("/q", body_a, 2, DIFFERENCE_NONE);
    ASSERT_POST("/none", body_a, 4, DIFFERENCE_BODY);
    ASSERT_POST("/none", NULL, 4, DIFFERENCE_NONE);
    ASSERT_POST("/q?more", body_b, 5, DIFFERENCE_QUERY);
}

// --- codings, ranges, conditions

static struct recorded_exchange recorded(int64_t seq, uint16_t status, struct header *header,
                                         size_t body_size) {
    return (struct recorded_exchange){.seq = seq,
                                      .method = "GET",
                                      .scheme = "https",
                                      .host = "a.test",
                                      .port = 443,
                                      .path = "/v",
                                      .status = status,
                                      .headers = header,
                                      .header_count = header ? 1 : 0,
                                      .body = (const uint8_t *)"0123456789",
                                      .body_size = body_size};
}

static int64_t wish_for(struct matcher *matcher, const char *accept, const char *range, bool conditional) {
    struct match_request request = request_for("GET", "https", "a.test", "/v");
    request.look_only = true;
    request.wish.accepted = codings_accepted(accept, accept ? strlen(accept) : 0);
    request.wish.is_conditional = conditional;
    request.wish.has_range = range && range_parse(&request.wish.range, range, strlen(range));
    const struct match_answer answer = matcher_find(matcher, &request);
    return answer.exchange ? answer.exchange->seq : -1;
}

UNIT_TEST(test_the_variant_that_fits) {
    struct header br = {"content-encoding", "br", 16, 2}, gzip = {"content-encoding", "gzip", 16, 4};
    struct header first = {"content-range", "bytes 0-3/10", 13, 12},
                  second = {"content-range", "bytes 4-9/10", 13, 12};
    struct recorded_exchange exchanges[] = {recorded(0, 304, NULL, 0), recorded(1, 200, &br, 10),
                                            recorded(2, 200, &gzip, 10), recorded(3, 206, &first, 4),
                                            recorded(4, 206, &second, 6)};
    struct recording recording = {.exchanges = exchanges, .exchange_count = 5};
    struct matcher *matcher = matcher_open(&recording);
    assert_int_equal(wish_for(matcher, "gzip, br", NULL, false), 1);
    assert_int_equal(wish_for(matcher, "gzip", NULL, false), 2);
    assert_int_equal(wish_for(matcher, "gzip, br;q=0", NULL, false), 2);
    assert_int_equal(wish_for(matcher, "identity", NULL, false), 1); // neither fits: the first, to be decoded
    assert_int_equal(wish_for(matcher, NULL, NULL, false), 1);
    assert_int_equal(wish_for(matcher, "*", "bytes=0-3", false), 3);
    assert_int_equal(wish_for(matcher, "*", "bytes=4-", false), 4);
    assert_int_equal(wish_for(matcher, "*", "bytes=-6", false), 4);
    assert_int_equal(wish_for(matcher, "*", NULL, true), 1); // a 200 can say so too
    matcher_close(matcher);

    recording.exchange_count = 1; // only the 304
    matcher = matcher_open(&recording);
    assert_int_equal(wish_for(matcher, "*", NULL, true), 0);
    assert_int_equal(wish_for(matcher, "*", NULL, false), -1);
    matcher_close(matcher);

    recording.exchanges = exchanges + 3;
    matcher = matcher_open(&recording); // only a part
    assert_int_equal(wish_for(matcher, "*", NULL, false), -1);
    assert_int_equal(wish_for(matcher, "*", "bytes=2-8", false), 3); // as far as it goes
    assert_int_equal(wish_for(matcher, "*", "bytes=4-8", false), -1);
    matcher_close(matcher);
}

UNIT_TEST(test_codings) {
    static const struct {
        const char *header;
        unsigned accepted;
    } cases[] = {{"gzip", CODING_GZIP | CODING_IDENTITY},
                 {"x-gzip;q=0.5 , BR", CODING_GZIP | CODING_BR | CODING_IDENTITY},
                 {"", CODING_IDENTITY},
                 {"br; q=0.000, *", 63 & ~CODING_BR},
                 {"identity;q=0, zstd", CODING_ZSTD},
                 {"*;q=0, gzip", CODING_GZIP},
                 {"gzip;q=0.001", CODING_GZIP | CODING_IDENTITY},
                 {",,;q,=;;q=", CODING_IDENTITY},
                 {"unheard-of", CODING_IDENTITY}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(codings_accepted(cases[i].header, strlen(cases[i].header)), cases[i].accepted);
    assert_int_equal(codings_accepted(NULL, 0), 63);
    assert_int_equal(coding_of(" gzip ", 6), CODING_GZIP);
    assert_int_equal(coding_of("gzip, br", 8), CODING_OTHER);
    assert_int_equal(coding_of("", 0), CODING_IDENTITY);
}
