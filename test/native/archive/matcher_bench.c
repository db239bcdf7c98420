// matcher_bench: how long the matcher takes for a request, by kind of request and size of the recording.
// Prints JSON:
// [{"kind", "exchanges", "open_ns", "batch_ns": [mean time of a request, of each batch]}]. Judges nothing.
#include "archive/matcher.h"
#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES = 200, BATCH = 100, URL_SIZE = 256, HASHES = 97 };

static uint64_t state = 1;

static unsigned random_below(unsigned limit) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(state >> 33) % limit;
}

static uint8_t hashes[HASHES][RECORDING_HASH_BYTES];

// Each writes the path of exchange `i` of the recording, or of a request for it.
typedef void write_path(char path[URL_SIZE], unsigned i, bool asked);

static void site_path(char path[URL_SIZE], unsigned i, bool asked) {
    (void)asked;
    const char *const kinds[] = {"static/js/chunk", "static/css/style", "images/product", "fonts/face"};
    snprintf(path, URL_SIZE, "/assets/%s-%u.%08x.min%s", kinds[i % 4], i, i * 2654435761u,
             i % 3 ? "" : "?v=12.4.1");
}

static void stamped_path(char path[URL_SIZE], unsigned i, bool asked) {
    snprintf(path, URL_SIZE, "/collect/%u?event=view%u&page=%%2Fhome&lang=en&cid=%u.%u&t=17321800%05u&z=%u",
             i % 50, i, i * 7919u, i, asked ? random_below(99999) : i % 99999,
             100000000 + (asked ? random_below(99999999) : i));
}

// All on one path, and no two parameters alike but in two of them.
static void one_path(char path[URL_SIZE], unsigned i, bool asked) {
    snprintf(path, URL_SIZE, "/api?user=%u&shop=%u&half=%u&third=%u&t=17321800%05u", asked ? i + 1000000 : i,
             i % 20, i % 2, i % 3, asked ? random_below(99999) : i % 99999);
}

// As many sets of names as queries.
static void many_names(char path[URL_SIZE], unsigned i, bool asked) {
    snprintf(path, URL_SIZE, "/f?field%u=1&all=%u&t=17321800%05u", asked ? i + 1000000 : i, i, i % 99999);
}

static void same_path(char path[URL_SIZE], unsigned i, bool asked) {
    (void)i, (void)asked;
    snprintf(path, URL_SIZE, "/poll?channel=1");
}

static void missed_path(char path[URL_SIZE], unsigned i, bool asked) {
    snprintf(path, URL_SIZE, asked ? "/not/recorded/%u?a=1" : "/recorded/%u?a=1", i);
}

// All of one host; each asked for in another build.
static void built_path(char path[URL_SIZE], unsigned i, bool asked) {
    snprintf(path, URL_SIZE, "/assets/v%u/js/chunk-%u.%08x.min.js", asked ? 2 : 1, i % 400,
             (asked ? ~i : i) * 2654435761u | 0xa0000000u);
}

static const struct kind {
    const char *name;
    const char *method;
    write_path *path;
    enum match expected;
    bool parts; // each exchange is another part of one body, asked for once, in their order
    enum match_effort effort;
} kinds[] = {
    {"exact", "GET", site_path, MATCH_EXACT, false, MATCH_ANYHOW},
    {"exact, by request body", "POST", same_path, MATCH_EXACT, false, MATCH_ANYHOW},
    {"exact, all one URL", "GET", same_path, MATCH_EXACT, false, MATCH_ANYHOW},
    {"exact, parts of one URL, once, in their order", "GET", same_path, MATCH_EXACT, true, MATCH_ANYHOW},
    {"nearest query, time stamps and random numbers", "GET", stamped_path, MATCH_FUZZY, false, MATCH_ANYHOW},
    {"nearest query, all on one path", "GET", one_path, MATCH_FUZZY, false, MATCH_ANYHOW},
    {"nearest query, all on one path, each with a name of its own", "GET", many_names, MATCH_FUZZY, false,
     MATCH_ANYHOW},
    {"missed, with no look at other paths", "GET", missed_path, MATCH_MISSED, false, MATCH_SAME_PATH},
    {"most similar path, of all of one host", "GET", built_path, MATCH_FUZZY, false, MATCH_ANYHOW},
};

static const char *host_of(unsigned i, const struct kind *kind) {
    static const char *const hosts[] = {"www.example.com", "cdn.example.net", "static.example.org",
                                        "api.example.com", "fonts.example.net"};
    return kind->path == site_path ? hosts[i % 5] : hosts[0];
}

static void measure(const struct kind *kind, unsigned count, bool first) {
    char(*paths)[URL_SIZE] = calloc(count, sizeof *paths);
    char(*asked)[URL_SIZE] = calloc(BATCH, sizeof *asked);
    struct recorded_exchange *exchanges = calloc(count, sizeof *exchanges);
    if (!paths || !asked || !exchanges) exit(1);
    struct header *ranges = calloc(count, sizeof *ranges);
    char(*range_texts)[64] = calloc(count, sizeof *range_texts);
    if (!ranges || !range_texts) exit(1);
    const bool posts = strcmp(kind->method, "POST") == 0;
    for (unsigned i = 0; i < count; i++) {
        kind->path(paths[i], i, false);
        exchanges[i] = (struct recorded_exchange){.seq = i,
                                                  .method = kind->method,
                                                  .scheme = "https",
                                                  .host = host_of(i, kind),
                                                  .port = 443,
                                                  .path = paths[i],
                                                  .status = 200,
                                                  .request_body_sha256 = posts ? hashes[i % HASHES] : NULL};
        if (!kind->parts) continue;
        const int size = sprintf(range_texts[i], "bytes %u-%u/%u", i * 100, i * 100 + 99, count * 100);
        ranges[i] = (struct header){"content-range", range_texts[i], 13, (size_t)size};
        exchanges[i].status = 206;
        exchanges[i].headers = &ranges[i];
        exchanges[i].header_count = 1;
        exchanges[i].body_size = 100;
    }
    const struct recording recording = {.exchanges = exchanges, .exchange_count = count};
    const uint64_t before_ns = clock_now_ns();
    struct matcher *matcher = matcher_open(&recording);
    const uint64_t open_ns = clock_now_ns() - before_ns;
    if (!matcher) exit(1);
    printf("%s\n{\"kind\": \"%s\", \"exchanges\": %u, \"open_ns\": %llu, \"batch_ns\": [", first ? "" : ",",
           kind->name, count, (unsigned long long)open_ns);
    const unsigned batches = kind->parts && count / BATCH < BATCHES ? count / BATCH : BATCHES;
    for (unsigned batch = 0; batch < batches; batch++) {
        struct match_request requests[BATCH];
        for (unsigned i = 0; i < BATCH; i++) {
            const unsigned which = kind->parts ? batch * BATCH + i : random_below(count);
            kind->path(asked[i], which, true);
            requests[i] =
                (struct match_request){.method = kind->method,
                                       .method_size = strlen(kind->method),
                                       .scheme = "https",
                                       .host = host_of(which, kind),
                                       .host_size = strlen(host_of(which, kind)),
                                       .path = asked[i],
                                       .path_size = strlen(asked[i]),
                                       .body_sha256 = posts ? hashes[which % HASHES] : NULL,
                                       .effort = kind->effort,
                                       .destination = DESTINATION_SCRIPT,
                                       .wish = {.has_range = kind->parts,
                                                .range = {.first = which * 100, .last = which * 100 + 99}}};
        }
        const char accepted[] = "gzip, deflate, br, zstd"; // read for each request, as it is when serving
        const uint64_t start_ns = clock_now_ns();
        for (unsigned i = 0; i < BATCH; i++) {
            requests[i].wish.accepted = codings_accepted(accepted, sizeof accepted - 1);
            if (matcher_find(matcher, &requests[i]).match != kind->expected) {
                fprintf(stderr, "matcher_bench: %s: %s was not matched as meant\n", kind->name, asked[i]);
                exit(1);
            }
        }
        printf("%s%.1f", batch ? ", " : "", (double)(clock_now_ns() - start_ns) / BATCH);
    }
    printf("]}");
    matcher_close(matcher);
    free(paths);
    free(asked);
    free(exchanges);
    free(ranges);
    free(range_texts);
}

int main(void) {
    static const unsigned sizes[] = {600, 6000};
    for (unsigned i = 0; i < HASHES; i++)
        memset(hashes[i], (int)i + 1, RECORDING_HASH_BYTES);
    printf("[");
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            measure(&kinds[k], sizes[s], s + k == 0);
    printf("\n]\n");
    return 0;
}
