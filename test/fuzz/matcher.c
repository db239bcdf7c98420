// Requests as the replay looks them up. An answer is of the recording, differs no more than was allowed, and
// looking does not change what is found next.
#include "archive/matcher.h"
#include "archive/path_similarity.h"
#include "target.h"

#include <string.h>

#define ANSWER(m, p, s)                                                                                      \
    { .method = (m), .scheme = "https", .host = "a.test", .port = 443, .path = (p), .status = (s) }
static struct recorded_exchange exchanges[] = {
    ANSWER("GET", "/", 200),           ANSWER("GET", "/a?t=1700000000&u=2", 200),
    ANSWER("GET", "/a?t=1&u=3", 200),  ANSWER("GET", "/js/app.0123abcd.js", 200),
    ANSWER("GET", "/js/app.js", 304),  ANSWER("POST", "/form?&&=", 206),
    ANSWER("GET", "/img/%20%ff", 404),
};
static const struct recording recording = {.exchanges = exchanges,
                                           .exchange_count = sizeof exchanges / sizeof *exchanges};

// The next line of the input, without its end.
static const char *line(const uint8_t **data, size_t *left, size_t *size) {
    const char *text = (const char *)*data;
    const uint8_t *end = *left > 0 ? memchr(*data, '\n', *left) : NULL;
    *size = end ? (size_t)(end - *data) : *left;
    const size_t used = *size + (end != NULL);
    *data += used;
    *left -= used;
    return text;
}

enum { RUNS_OF_A_MATCHER = 100 };

// A byte that says how, a byte that says what for; then lines: method, host, path, Accept-Encoding, Range.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) return 0;
    struct match_request asked = {.scheme = data[0] & 1 ? "https" : "http",
                                  .effort = (enum match_effort)((data[0] >> 1) % 3),
                                  .destination = (enum destination)(data[1] % (DESTINATION_OTHER + 1))};
    asked.wish.is_conditional = data[0] & 8;
    data += 2;
    size -= 2;
    asked.method = line(&data, &size, &asked.method_size);
    asked.host = line(&data, &size, &asked.host_size);
    asked.path = line(&data, &size, &asked.path_size);
    const double own = path_similarity(asked.path, asked.path_size, asked.path, asked.path_size);
    PROMISE(own == 0 || own == 1);
    size_t accepted_size;
    const char *accepted = line(&data, &size, &accepted_size);
    asked.wish.accepted = codings_accepted(accepted, accepted_size);
    asked.wish.is_secure = asked.scheme[4] == 's';
    PROMISE((asked.wish.accepted & ~63u) == 0);
    coding_of(accepted, accepted_size);
    asked.wish.has_range = range_parse(&asked.wish.range, (const char *)data, size);
    struct byte_range bytes;
    uint64_t whole;
    for (uint64_t of = 0; asked.wish.has_range && of < 3; of++)
        PROMISE(!range_resolve(&asked.wish.range, of, &bytes) ||
                (bytes.first <= bytes.last && bytes.last < of));
    PROMISE(!content_range_parse(&bytes, &whole, (const char *)data, size) ||
            (bytes.first <= bytes.last && bytes.last < whole));
    static struct matcher *matcher;
    static unsigned runs;
    if (runs == 0) PROMISE((matcher = matcher_open(&recording)) != NULL);
    for (int again = 0; again < 4; again++) {
        asked.look_only = true;
        const struct match_answer looked = matcher_find(matcher, &asked);
        asked.look_only = false;
        const struct match_answer answer = matcher_find(matcher, &asked);
        PROMISE(looked.exchange == answer.exchange && looked.match == answer.match);
        PROMISE((answer.exchange == NULL) == (answer.match == MATCH_MISSED));
        PROMISE(answer.similarity >= 0 && answer.similarity <= 1);
        if (!answer.exchange) continue;
        PROMISE(answer.exchange >= exchanges && answer.exchange < exchanges + recording.exchange_count);
        PROMISE(asked.effort != MATCH_EXACTLY || answer.match == MATCH_EXACT);
        PROMISE(asked.effort == MATCH_ANYHOW || answer.difference != DIFFERENCE_PATH);
    }
    runs = (runs + 1) % runs_kept(RUNS_OF_A_MATCHER);
    if (runs == 0) matcher_close(matcher);
    return 0;
}
