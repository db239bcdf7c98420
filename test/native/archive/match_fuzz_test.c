// What a request or a recording may hold by nobody's intention: random and mutated queries, recordings and
// bodies, each in an allocation of its own size, so that the address sanitizer sees a byte read too far.
#include "archive/content_coding.h"
#include "archive/matcher.h"
#include "archive/query.h"
#include "test/native/cmocka_unit.h"

#include <brotli/encode.h>
#include <zlib.h>
#include <zstd.h>

enum { ROUNDS = 20000, SIZE_MAX_BYTES = 400 };

// How many hashes two ascending lists have in common.
static size_t query_common(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count) {
    size_t common = 0;
    for (size_t i = 0, j = 0; i < a_count && j < b_count;) {
        common += a[i] == b[j];
        const bool step_a = a[i] <= b[j], step_b = b[j] <= a[i];
        i += step_a;
        j += step_b;
    }
    return common;
}

// What the index (query_index.c) counts up, pair by pair.
static unsigned query_points(const struct query *a, const struct query *b) {
    size_t points = QUERY_POINTS_NAME * query_common(a->names, a->count, b->names, b->count) +
                    QUERY_POINTS_LOOKS * query_common(a->looks, a->looks_count, b->looks, b->looks_count);
    for (size_t i = 0; i < a->count; i++)
        for (size_t j = 0; j < b->count; j++)
            if (a->pairs[i] == b->pairs[j])
                points += a->pair_is_volatile[i] ? QUERY_POINTS_VOLATILE_VALUE : QUERY_POINTS_VALUE;
    return (unsigned)points;
}

static uint64_t state = 2463534242u;

static unsigned random_below(unsigned limit) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(state >> 33) % limit;
}

static const char *const seeds[] = {
    "?a=1&b=2&t=1700000000&r=0.123456789&u=123e4567-e89b-12d3-a456-426614174000",
    "?&&=&=&a&a&a=&=b",
    "bytes=0-499",
    "bytes=-18446744073709551615",
    "bytes 0-499/1234",
    "bytes */*",
    "gzip;q=0.5, br;q=0, *;q=0.1, identity;q=0",
    "GZIP ; q=1 ,,, deflate;Q=0.000"};

// A random stretch of bytes, or one of the seeds with some changed; the caller's to free.
static char *random_text(size_t *size) {
    char *text;
    if (random_below(4) == 0) {
        *size = random_below(SIZE_MAX_BYTES);
        text = malloc(*size + 1);
        for (size_t i = 0; i < *size; i++)
            text[i] = (char)random_below(256);
        return text;
    }
    const char *seed = seeds[random_below(sizeof seeds / sizeof *seeds)];
    *size = strlen(seed) - random_below(3);
    text = malloc(*size);
    memcpy(text, seed, *size);
    for (unsigned i = random_below(4); i > 0; i--)
        text[random_below((unsigned)*size)] = "&=?;,-/*0 \t9aq\0\xff"[random_below(16)];
    return text;
}

UNIT_TEST(test_queries) {
    struct query a, b;
    for (int i = 0; i < ROUNDS; i++) {
        size_t a_size, b_size;
        char *a_text = random_text(&a_size), *b_text = random_text(&b_size);
        query_parse(&a, a_text, a_size);
        query_parse(&b, b_text, b_size);
        assert_true(a.count <= QUERY_PARAMETERS_MAX && a.looks_count <= a.count);
        const double similarity = query_similarity(query_points(&a, &b), a.count, b.count);
        assert_true(similarity >= 0 && similarity <= 1);
        assert_true(similarity ==
                    query_similarity(query_points(&b, &a), b.count, a.count)); // either way round
        assert_true(query_similarity(query_points(&a, &a), a.count, a.count) == 1);
        free(a_text);
        free(b_text);
    }
}

// However many parameters: as the first 64 say.
UNIT_TEST(test_endless_query) {
    enum { MANY = 5000 };
    char *text = malloc(MANY * 8);
    size_t size = 0;
    for (int i = 0; i < MANY; i++)
        size += (size_t)sprintf(text + size, "&a%d=%d", i % 300, i % 7);
    struct query query;
    query_parse(&query, text, size);
    assert_int_equal(query.count, QUERY_PARAMETERS_MAX);
    free(text);
}

UNIT_TEST(test_random_recordings_and_requests) {
    enum { COUNT = 40 };
    for (int round = 0; round < ROUNDS / 100; round++) {
        struct recorded_exchange exchanges[COUNT];
        struct header headers[COUNT];
        char *texts[COUNT][2];
        for (int i = 0; i < COUNT; i++) {
            size_t size, value_size;
            char *raw = random_text(&size), *value = random_text(&value_size);
            texts[i][0] = strndup(raw, size); // paths in an archive have no NUL
            texts[i][1] = value;
            free(raw);
            static const char *const names[] = {"content-range", "content-encoding", "location", "etag"};
            const char *name = names[random_below(4)];
            headers[i] = (struct header){name, value, strlen(name), value_size};
            exchanges[i] = (struct recorded_exchange){.seq = i,
                                                      .method = random_below(2) ? "GET" : "",
                                                      .scheme = random_below(2) ? "https" : "http",
                                                      .host = random_below(3) ? "a.test" : "::1",
                                                      .port = (uint16_t)random_below(65536),
                                                      .path = texts[i][0],
                                                      .status = (uint16_t)(150 + random_below(500)),
                                                      .headers = &headers[i],
                                                      .header_count = random_below(2),
                                                      .body_size = random_below(100)};
        }
        const struct recording recording = {.exchanges = exchanges, .exchange_count = COUNT};
        struct matcher *matcher = matcher_open(&recording);
        assert_non_null(matcher);
        for (int i = 0; i < 100; i++) {
            size_t path_size, host_size;
            const struct recorded_exchange *like = &exchanges[random_below(COUNT)];
            char *path = random_below(2) ? random_text(&path_size)
                                         : memcpy(malloc(strlen(like->path) + 1), like->path,
                                                  path_size = strlen(like->path));
            char *host = random_text(&host_size);
            const bool known = random_below(3) != 0;
            const struct match_request request = {
                .method = like->method,
                .method_size = strlen(like->method),
                .scheme = like->scheme,
                .host = known ? "a.test" : host,
                .host_size = known ? 6 : host_size,
                .path = path,
                .path_size = path_size,
                .wish = {.accepted = random_below(64),
                         .has_range = random_below(2),
                         .is_conditional = random_below(2),
                         .range = {.first = random_below(200), .last = random_below(2) ? UINT64_MAX : 300}}};
            const struct match_answer answer = matcher_find(matcher, &request);
            if (answer.exchange) {
                assert_true(answer.exchange->status >= 200 && answer.exchange->status <= 599);
                assert_true(answer.similarity >= 0 && answer.similarity <= 1);
            }
            free(path);
            free(host);
        }
        matcher_close(matcher);
        for (int i = 0; i < COUNT; i++) {
            free(texts[i][0]);
            free(texts[i][1]);
        }
    }
}

// What compresses itself back comes back; what is cut or changed comes to an end, without more than it is of.
UNIT_TEST(test_codings) {
    static const enum coding codings[] = {CODING_GZIP, CODING_DEFLATE, CODING_BR, CODING_ZSTD, CODING_OTHER};
    uint8_t plain[5000];
    for (size_t i = 0; i < sizeof plain; i++)
        plain[i] = (uint8_t)(random_below(8) ? 'a' + i % 20 : random_below(256));
    size_t gzip_size, size;
    uint8_t *gzip = content_gzip(plain, sizeof plain, &gzip_size);
    assert_non_null(gzip);
    uint8_t *back = content_decode(CODING_GZIP, gzip, gzip_size, &size);
    assert_non_null(back);
    assert_int_equal(size, sizeof plain);
    assert_memory_equal(back, plain, size);
    free(back);
    for (size_t cut = 0; cut < gzip_size; cut += 1 + gzip_size / 200)
        assert_null(content_decode(CODING_GZIP, gzip, cut, &size));
    for (int i = 0; i < 2000; i++) {
        const size_t part = random_below((unsigned)gzip_size) + 1;
        uint8_t *changed = malloc(part);
        memcpy(changed, gzip, part);
        changed[random_below((unsigned)part)] ^= (uint8_t)(1 + random_below(255));
        for (size_t c = 0; c < sizeof codings / sizeof *codings; c++)
            free(content_decode(codings[c], changed, part, &size));
        free(changed);
    }
    free(gzip);
}

static void assert_decoded(enum coding coding, const uint8_t *coded, size_t coded_size, const uint8_t *plain,
                           size_t plain_size) {
    size_t size;
    uint8_t *back = content_decode(coding, coded, coded_size, &size);
    assert_non_null(back);
    assert_int_equal(size, plain_size);
    assert_memory_equal(back, plain, size);
    free(back);
    assert_null(content_decode(coding, coded, coded_size - 1, &size));
}

UNIT_TEST(test_each_coding) {
    enum { SIZE = 300000 }; // more than the first stretch of output
    uint8_t *plain = malloc(SIZE), *coded = malloc(2 * SIZE);
    for (size_t i = 0; i < SIZE; i++)
        plain[i] = (uint8_t)('a' + random_below(9));
    size_t size = 2 * SIZE;
    assert_int_equal(BrotliEncoderCompress(4, 22, BROTLI_MODE_GENERIC, SIZE, plain, &size, coded), 1);
    assert_decoded(CODING_BR, coded, size, plain, SIZE);
    size = ZSTD_compress(coded, 2 * SIZE, plain, SIZE, 3);
    assert_false(ZSTD_isError(size));
    assert_decoded(CODING_ZSTD, coded, size, plain, SIZE);
    uLongf zlib_size = 2 * SIZE;
    assert_int_equal(compress(coded, &zlib_size, plain, SIZE), Z_OK);
    assert_decoded(CODING_DEFLATE, coded, zlib_size, plain, SIZE);
    assert_decoded(CODING_DEFLATE, coded + 2, zlib_size - 6, plain, SIZE); // without zlib's frame
    free(plain);
    free(coded);
}

// 100 MB of nothing in 100 kB.
UNIT_TEST(test_a_bomb) {
    enum { MEMBER = 1024 * 1024, MEMBERS = 100 };
    uint8_t *zeros = calloc(1, MEMBER);
    size_t member_size, size;
    uint8_t *member = content_gzip(zeros, MEMBER, &member_size), *bomb = malloc(member_size * MEMBERS);
    for (size_t i = 0; i < MEMBERS; i++)
        memcpy(bomb + i * member_size, member, member_size);
    uint8_t *ten = content_decode(CODING_GZIP, bomb, member_size * 10, &size); // members are one body
    assert_non_null(ten);
    assert_int_equal(size, 10 * MEMBER);
    free(ten);
    assert_null(content_decode(CODING_GZIP, bomb, member_size * MEMBERS, &size));
    free(zeros);
    free(member);
    free(bomb);
}
