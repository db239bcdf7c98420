// A site to test a lane against: a small recording made in memory, its certificates in a temporary folder, a
// loop. Also what a test's client notes of a response.
#pragma once

#include "base/loop.h"
#include "replay/exchange/exchange.h"
#include "replay/tls/tls.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

// Paths of https://a.test; the bodies are pseudo-random bytes.
enum { SMALL_BYTES = 1000, LARGE_BYTES = 4 * 1024 * 1024, MANY = 40 };
enum { LONG_HEADER_BYTES = 70000, MANY_HEADERS = 5000 };
// "/small", "/large", "/large2" (as large), "/empty" (204), "/headers" (with fields that h2 and h3 forbid),
// "/long-header", "/many-headers", "/long-empty" (204), "/huge-head" (over
// 16 MiB),
// "/many/0" to "/many/39" (small)
// "/failing" failed when it was recorded

struct lane_site {
    struct loop *loop;
    struct recording recording;
    struct report *report;
    struct exchange_site *site;
    struct certificates *certificates;
    struct tls *tls;
    char home[64];
    char *long_value;
    struct header *many_headers;
    struct loop_timer limit;
};

int lane_site_open(struct lane_site *site);
void lane_site_close(struct lane_site *site);
// Tests of a file that has `static struct lane_site site`, each with the site anew.
#define LANE_SITE_FIXTURE(site)                                                                              \
    static int set_up_site(void **state) {                                                                   \
        return lane_site_open(&site);                                                                        \
    }                                                                                                        \
    static int tear_down_site(void **state) {                                                                \
        lane_site_close(&site);                                                                              \
        return 0;                                                                                            \
    }
#define LANE_SITE_TEST(name) UNIT_TEST_AS(name, void, , set_up_site, tear_down_site)
// The replay report as it would be written now. The caller's.
json_t *lane_site_report(struct lane_site *site);
// Runs the loop until somebody stops it; fails the test after some seconds.
void lane_site_run(struct lane_site *site);
const struct recorded_exchange *lane_site_exchange(const struct lane_site *site, const char *path);

struct seen {
    uint64_t id;
    int status;               // 0: no response yet
    long long content_length; // -1: none
    unsigned hints;           // 103 responses before it
    size_t field_count;       // without the pseudo-headers
    size_t field_bytes;       // of the values
    size_t body_size;
    uint64_t body_hash;
    unsigned place; // the first to finish is 1; 0: not finished
    bool reset;
    uint32_t reset_error; // of HTTP/2
    bool forbidden_field;
};
void seen_field(struct seen *seen, const void *name, size_t name_size, const void *value, size_t value_size);
void seen_body(struct seen *seen, const uint8_t *bytes, size_t size);
void assert_whole(const struct lane_site *site, const struct seen *seen, const char *path);
