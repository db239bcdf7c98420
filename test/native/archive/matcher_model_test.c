// The matcher against a model of what matcher.h and query.h promise, written to be read: no tables, each
// request looks at all exchanges. Random recordings of few names, so that all rules meet, and random
// requests.
#include "archive/matcher.h"
#include "test/native/cmocka_unit.h"

enum { EXCHANGES_MAX = 60, REQUESTS = 120, ROUNDS = 400, QUERY_MAX = 6, NONE = -1 };

static uint64_t state = 88172645463325252u;

static unsigned random_below(unsigned limit) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 20) % limit;
}

#define ANY_OF(list) list[random_below(sizeof list / sizeof *list)]

static const char *const methods[] = {"GET", "GET", "GET", "POST", "HEAD"};
static const char *const hosts[] = {"a.test", "b.test"};
static const char *const paths[] = {"/", "/x"};
static const char *const names[] = {"a=", "b=", ""};
static const char *const values[] = {"1",
                                     "2",
                                     "1700000000",
                                     "1700000001",
                                     "0.12345678",
                                     "deadbeef00deadbeef",
                                     "123e4567-e89b-12d3-a456-426614174000",
                                     "aB3dE5gH7jK9mN1p",
                                     "word"};
static const uint16_t ports[] = {443, 443, 443, 80, 8443};
static const uint16_t statuses[] = {200, 200, 200, 200, 404, 301, 304, 206, 0};
static const uint8_t bodies[3][RECORDING_HASH_BYTES] = {{1}, {2}, {3}};
static struct header gzip = {"content-encoding", "gzip", 16, 4}, br = {"content-encoding", "br", 16, 2};
static struct header first_half = {"content-range", "bytes 0-4/10", 13, 12},
                     all = {"content-range", "bytes 0-9/10", 13, 12};

static char *random_path(void) {
    char path[256];
    int size = snprintf(path, sizeof path, "%s", ANY_OF(paths));
    for (unsigned i = random_below(4), n = 0; n < i; n++)
        size += snprintf(path + size, sizeof path - (size_t)size, "%c%s%s", n == 0 ? '?' : '&', ANY_OF(names),
                         ANY_OF(values));
    return strdup(path);
}

static const uint8_t *random_body(void) {
    const unsigned which = random_below(6);
    return which < 3 ? bodies[which] : NULL;
}

static struct recorded_exchange random_exchange(int64_t seq) {
    struct recorded_exchange made = {.seq = seq,
                                     .method = ANY_OF(methods),
                                     .scheme = random_below(3) ? "https" : "http",
                                     .host = ANY_OF(hosts),
                                     .port = ANY_OF(ports),
                                     .path = random_path(),
                                     .status = ANY_OF(statuses),
                                     .body = (const uint8_t *)"0123456789",
                                     .body_size = 10};
    if (strcmp(made.scheme, "http") == 0 && random_below(2)) made.port = 80;
    if (strcmp(made.method, "POST") == 0) made.request_body_sha256 = random_body();
    struct header *const codings[] = {NULL, NULL, &gzip, &br}, *const ranges[] = {&first_half, &all, NULL};
    made.headers = made.status == 206 ? ANY_OF(ranges) : made.status == 200 ? ANY_OF(codings) : NULL;
    made.header_count = made.headers ? 1 : 0;
    if (made.headers == &first_half) made.body_size = 5;
    return made;
}

// --- the model

struct model {
    const struct recorded_exchange *exchanges;
    int count;
    struct variant variants[EXCHANGES_MAX];
    bool given[EXCHANGES_MAX];
};

struct asked {
    struct match_request request;
    const char *method, *host, *path;
    unsigned port;
    bool secure;
};

static unsigned own_port(unsigned port, bool secure) {
    return port == (secure ? 443u : 80u) ? 0 : port;
}

static bool is_secure(const struct recorded_exchange *exchange) {
    return strcmp(exchange->scheme, "https") == 0;
}

static unsigned port_of(const struct recorded_exchange *exchange) {
    return own_port(exchange->port, is_secure(exchange));
}

static bool usable(const struct recorded_exchange *exchange) {
    return exchange->status >= 200 && exchange->status <= 599;
}

static bool same_bare_path(const char *a, const char *b) {
    const size_t size = strcspn(a, "?");
    return size == strcspn(b, "?") && strncmp(a, b, size) == 0;
}

static bool same_place(const struct recorded_exchange *exchange, const struct asked *asked) {
    return usable(exchange) && strcmp(exchange->method, asked->method) == 0 &&
           strcmp(exchange->host, asked->host) == 0 && same_bare_path(exchange->path, asked->path);
}

static bool same_hash(const uint8_t *a, const uint8_t *b) {
    return a && b ? memcmp(a, b, RECORDING_HASH_BYTES) == 0 : a == b;
}

// Of all with that port, path and query and that scheme: the one that fits best; of these the first not
// given, else the last.
static int choose_of_scheme(const struct model *model, const struct asked *asked, unsigned port,
                            const char *path, bool secure, bool with_body) {
    int best = NONE;
    enum fit best_fit = FIT_NONE;
    for (int i = 0; i < model->count; i++) {
        const struct recorded_exchange *exchange = &model->exchanges[i];
        if (!same_place(exchange, asked) || port_of(exchange) != port || strcmp(exchange->path, path) != 0 ||
            is_secure(exchange) != secure)
            continue;
        if (with_body && !same_hash(exchange->request_body_sha256, asked->request.body_sha256)) continue;
        const enum fit fit = variant_fit(&model->variants[i], exchange, &asked->request.wish);
        if (fit == FIT_NONE || fit < best_fit) continue;
        if (fit == best_fit && best != NONE && !model->given[best]) continue;
        best = i;
        best_fit = fit;
    }
    return best;
}

static int choose(const struct model *model, const struct asked *asked, unsigned port, const char *path,
                  bool with_body) {
    const int own = choose_of_scheme(model, asked, port, path, asked->secure, with_body);
    return own != NONE ? own : choose_of_scheme(model, asked, port, path, !asked->secure, with_body);
}

struct parts {
    char name[QUERY_MAX][64];
    char value[QUERY_MAX][64];
    bool used[QUERY_MAX];
    int count;
};

static void take_apart(struct parts *parts, const char *path) {
    char copy[256], *rest = copy;
    *parts = (struct parts){.count = 0};
    snprintf(copy, sizeof copy, "%s", strchr(path, '?') ? strchr(path, '?') + 1 : "");
    for (char *one; (one = strsep(&rest, "&"));) {
        if (!*one) continue;
        char *equals = strchr(one, '=');
        snprintf(parts->name[parts->count], 64, "%.*s", equals ? (int)(equals + 1 - one) : 0, one);
        snprintf(parts->value[parts->count++], 64, "%s", equals ? equals + 1 : one);
    }
}

// 0: plain. As the values above are known to look.
static int looks_of(const char *value) {
    if (strncmp(value, "17000", 5) == 0) return 1;
    if (strncmp(value, "0.1", 3) == 0) return 2;
    if (strncmp(value, "dead", 4) == 0) return 3;
    if (strncmp(value, "123e", 4) == 0) return 4;
    return strncmp(value, "aB3d", 4) == 0 ? 5 : 0;
}

// How many pair up in name and, by `level`, 0: in no more, 1: in volatile looks, 2: in value.
static int pairs(struct parts *a, struct parts *b, int level, bool only_volatile) {
    int found = 0;
    memset(a->used, 0, sizeof a->used);
    memset(b->used, 0, sizeof b->used);
    for (int i = 0; i < a->count; i++)
        for (int j = 0; j < b->count && !a->used[i]; j++) {
            if (b->used[j] || strcmp(a->name[i], b->name[j]) != 0) continue;
            if (level == 1 && (!looks_of(a->value[i]) || looks_of(a->value[i]) != looks_of(b->value[j])))
                continue;
            if (level == 2 && strcmp(a->value[i], b->value[j]) != 0) continue;
            if (only_volatile && !looks_of(a->value[i])) continue;
            a->used[i] = b->used[j] = true;
            found++;
        }
    return found;
}

static double likeness_of(const char *asked, const char *recorded) {
    struct parts a, b;
    take_apart(&a, asked);
    take_apart(&b, recorded);
    if (a.count + b.count == 0) return 1;
    const int same_names = pairs(&a, &b, 0, false), same_looks = pairs(&a, &b, 1, false);
    const int same = pairs(&a, &b, 2, false), same_volatile = pairs(&a, &b, 2, true);
    // What is neither the same nor alike has only its name; what is the same and volatile is alike too.
    const int alike = same_looks - same_volatile, named = same_names - same - alike;
    return 2.0 * (8 * same + 6 * alike + 2 * named) / (8.0 * (a.count + b.count));
}

static bool only_for_conditions(const struct recorded_exchange *exchange) {
    return exchange->status == 304 || exchange->status == 206 || exchange->status == 412 ||
           exchange->status == 416;
}

// All exchanges of that port and path with query have been given.
static bool used_up(const struct model *model, const struct asked *asked, unsigned port, const char *path) {
    for (int i = 0; i < model->count; i++)
        if (same_place(&model->exchanges[i], asked) && port_of(&model->exchanges[i]) == port &&
            strcmp(model->exchanges[i].path, path) == 0 && !model->given[i])
            return false;
    return true;
}

static int choose_other_query(const struct model *model, const struct asked *asked, unsigned port,
                              double *similarity) {
    int best = NONE;
    bool best_used_up = false;
    for (int i = 0; i < model->count; i++) {
        const struct recorded_exchange *exchange = &model->exchanges[i];
        if (!same_place(exchange, asked) || port_of(exchange) != port || only_for_conditions(exchange))
            continue;
        bool seen = false; // each query once
        for (int j = 0; j < i; j++)
            seen |= same_place(&model->exchanges[j], asked) && port_of(&model->exchanges[j]) == port &&
                    !only_for_conditions(&model->exchanges[j]) &&
                    strcmp(model->exchanges[j].path, exchange->path) == 0;
        if (seen) continue;
        const double own = likeness_of(asked->path, exchange->path);
        const bool own_used_up = used_up(model, asked, port, exchange->path);
        if (best != NONE && own < *similarity) continue;
        if (best != NONE && own == *similarity && !best_used_up) continue;
        best = i;
        *similarity = own;
        best_used_up = own_used_up;
    }
    if (best == NONE) return NONE;
    const char *path = model->exchanges[best].path;
    const int found = choose(model, asked, port, path, true);
    return found != NONE ? found : choose(model, asked, port, path, false);
}

static int find(const struct model *model, const struct asked *asked, enum match_difference *difference,
                double *similarity) {
    *similarity = 1;
    int found = choose(model, asked, asked->port, asked->path, true);
    *difference = DIFFERENCE_NONE;
    if (found != NONE) return found;
    found = choose(model, asked, asked->port, asked->path, false);
    *difference = DIFFERENCE_BODY;
    if (found != NONE) return found;
    *difference = DIFFERENCE_PORT;
    for (int turn = 0; turn < 2; turn++)
        for (int i = 0; i < model->count;
             i++) { // ports in the order in which the path was first recorded on them
            if (!same_place(&model->exchanges[i], asked)) continue;
            const unsigned port = port_of(&model->exchanges[i]);
            bool own_scheme = false;
            for (int j = 0; j < model->count; j++)
                own_scheme |= same_place(&model->exchanges[j], asked) &&
                              port_of(&model->exchanges[j]) == port &&
                              strcmp(model->exchanges[j].path, asked->path) == 0 &&
                              is_secure(&model->exchanges[j]) == asked->secure;
            if (turn == 0 && !own_scheme) continue;
            found = choose(model, asked, port, asked->path, false);
            if (found != NONE) return found;
        }
    *difference = DIFFERENCE_QUERY;
    found = choose_other_query(model, asked, asked->port, similarity);
    for (int i = 0; i < model->count && found == NONE; i++)
        if (same_place(&model->exchanges[i], asked) && port_of(&model->exchanges[i]) != asked->port)
            found = choose_other_query(model, asked, port_of(&model->exchanges[i]), similarity);
    return found;
}

static int answer(struct model *model, struct asked *asked, enum match_difference *difference,
                  double *similarity) {
    int found = find(model, asked, difference, similarity);
    bool look_only = asked->request.look_only;
    if (found == NONE && strcmp(asked->method, "HEAD") == 0) {
        asked->method = "GET";
        look_only = true;
        found = find(model, asked, difference, similarity);
    }
    if (found != NONE && !look_only) model->given[found] = true;
    return found;
}

// --- both

static void compare(struct model *model, struct matcher *matcher, const char *path, int round) {
    static const unsigned accepted[] = {63, 63, CODING_GZIP | CODING_IDENTITY, CODING_IDENTITY};
    static const struct {
        const char *text;
        unsigned port;
    } asked_ports[] = {{"", 443}, {"", 443}, {"", 443}, {":443", 443}, {":8443", 8443}, {":9", 9}};
    const char *host = ANY_OF(hosts);
    const bool secure = random_below(3) != 0;
    const unsigned which = random_below(sizeof asked_ports / sizeof *asked_ports);
    char authority[32];
    snprintf(authority, sizeof authority, "%s%s", host, asked_ports[which].text);
    struct asked asked = {.method = ANY_OF(methods), .host = host, .path = path, .secure = secure};
    const bool default_port = !*asked_ports[which].text;
    asked.port = default_port ? 0 : own_port(asked_ports[which].port, secure);
    asked.request = (struct match_request){.method = asked.method,
                                           .method_size = strlen(asked.method),
                                           .scheme = secure ? "https" : "http",
                                           .host = authority,
                                           .host_size = strlen(authority),
                                           .path = path,
                                           .path_size = strlen(path),
                                           .body_sha256 = random_body(),
                                           .wish = {.accepted = ANY_OF(accepted),
                                                    .is_secure = secure,
                                                    .is_conditional = random_below(4) == 0,
                                                    .has_range = random_below(4) == 0,
                                                    .range = {.first = random_below(12), .last = UINT64_MAX}},
                                           .look_only = random_below(8) == 0};
    if (strcmp(asked.method, "POST") != 0) asked.request.body_sha256 = NULL;
    const struct match_answer got = matcher_find(matcher, &asked.request);
    enum match_difference difference;
    double similarity;
    const int wanted = answer(model, &asked, &difference, &similarity);
    if ((got.exchange ? got.exchange->seq : NONE) != wanted)
        fail_msg("round %d: %s %s%s: exchange %d wanted, %d found", round, asked.method, authority, path,
                 wanted, got.exchange ? (int)got.exchange->seq : NONE);
    if (wanted == NONE) {
        assert_int_equal(got.match, MATCH_MISSED);
        return;
    }
    assert_int_equal(got.difference, difference);
    assert_int_equal(got.match, difference == DIFFERENCE_NONE ? MATCH_EXACT : MATCH_FUZZY);
    assert_true(got.similarity > similarity - 1e-9 && got.similarity < similarity + 1e-9);
    assert_true(got.variant->coding == model->variants[wanted].coding);
}

UNIT_TEST(test_as_the_model) {
    const int rounds = (int)unit_times(ROUNDS);
    for (int round = 0; round < rounds; round++) {
        struct recorded_exchange exchanges[EXCHANGES_MAX];
        struct recording recording = {.exchanges = exchanges,
                                      .exchange_count = random_below(EXCHANGES_MAX) + 1};
        struct model model = {.exchanges = exchanges, .count = (int)recording.exchange_count};
        for (int i = 0; i < model.count; i++) {
            exchanges[i] = random_exchange(i);
            variant_read(&model.variants[i], &exchanges[i]);
        }
        struct matcher *matcher = matcher_open(&recording);
        assert_non_null(matcher);
        for (int i = 0; i < REQUESTS; i++) {
            const bool recorded_one = random_below(2);
            char *path =
                recorded_one ? strdup(exchanges[random_below((unsigned)model.count)].path) : random_path();
            compare(&model, matcher, path, round);
            free(path);
        }
        matcher_close(matcher);
        for (int i = 0; i < model.count; i++)
            free((void *)(uintptr_t)exchanges[i].path);
    }
}
