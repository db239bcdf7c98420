// Request smuggling over HTTP/1.1: requests whose end two readers could see in different places (RFC
// 9112, 6.3 and 11.2). Each one is refused with 400 and the connection closed, or read in the one way that
// the RFC has; what is hidden behind it is never answered.
#include "h1_client.h"
#include "test/native/cmocka_unit.h"
#include "test/native/json_values.h"

#define HIDDEN "GET /hidden HTTP/1.1\r\nHost: a.test\r\n\r\n"
#define POST "POST /small HTTP/1.1\r\nHost: a.test\r\n"
#define BYTES(text) text, sizeof(text) - 1

// "/small" is recorded for GET only: a POST to it, and "/hidden", are 404.
struct attempt {
    const char *bytes;
    size_t size;
    size_t answers; // that are to come, apart from a refusal
    bool refused;
};

static const struct attempt attempts[] = {
    // Two lengths.
    {BYTES(POST "Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nG" HIDDEN), 0, true},
    {BYTES(POST "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n" HIDDEN), 0, true},
    {BYTES(POST "Content-Length: 0\r\nContent-Length: 38\r\n\r\n" HIDDEN), 0, true},
    {BYTES(POST "Content-Length: 38\r\nContent-Length: 0\r\n\r\n" HIDDEN), 0, true},
    {BYTES(POST "Content-Length: 0, 38\r\n\r\n" HIDDEN), 0, true},
    {BYTES(POST "Content-Length: 38\r\nContent-Length: 38\r\n\r\n" HIDDEN), 0, true},
    {BYTES(POST "Content-Length: 38, 38\r\n\r\n" HIDDEN), 0, true},
    // Numbers that are none.
    {BYTES(POST "Content-Length: +0\r\n\r\n" HIDDEN), 0, true},
    {BYTES(POST "Content-Length: -1\r\n\r\n" HIDDEN), 0, true},
    {BYTES(POST "Content-Length: 0x26\r\n\r\n" HIDDEN), 0, true},
    {BYTES(POST "Content-Length: 3 8\r\n\r\n" HIDDEN), 0, true},
    {BYTES(POST "Content-Length: 1e1\r\n\r\n" HIDDEN), 0, true},
    {BYTES(POST "Content-Length: \r\n\r\n" HIDDEN), 0, true},
    {BYTES(POST "Content-Length: 18446744073709551616\r\n\r\n" HIDDEN), 0, true},
    // Codings that are not known, or not the last.
    {BYTES(POST "Transfer-Encoding: identity\r\n\r\n" HIDDEN), 0, true},
    {BYTES(POST "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" HIDDEN), 0, true},
    {BYTES(POST "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n" HIDDEN), 0, true},
    {BYTES(POST "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n" HIDDEN), 0,
     true},
    {BYTES(POST "Transfer-Encoding: \"chunked\"\r\n\r\n0\r\n\r\n" HIDDEN), 0, true},
    {BYTES(POST "Transfer-Encoding: chunked\v\r\n\r\n0\r\n\r\n" HIDDEN), 0, true},
    // Names and lines that are none.
    {BYTES(POST "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n" HIDDEN), 0, true},
    {BYTES(POST "Content-Length : 38\r\n\r\n" HIDDEN), 0, true},
    {BYTES(POST "X: y\rContent-Length: 38\r\n\r\n" HIDDEN), 0, true},
    {BYTES(POST "X: y\0z\r\nContent-Length: 0\r\n\r\n"), 0, true},
    {BYTES(POST "Content\0-Length: 38\r\n\r\n" HIDDEN), 0, true},
    {BYTES(" " POST "Content-Length: 0\r\n\r\n" HIDDEN), 0, true},
    {BYTES("GET /small HTTP/1.1\r\n Host: a.test\r\n\r\n"), 0, true},
    {BYTES("GET /small HTTP/1.1 \r\nHost: a.test\r\n\r\n"), 0, true},
    {BYTES("GET /small HTTP/1.1\r\nHost: a.test\r\nHost: b.test\r\n\r\n" HIDDEN), 0, true},
    // Lines that end in LF alone (RFC 9112, 2.2 allows both).
    {BYTES("GET /small HTTP/1.1\nHost: a.test\n\n" HIDDEN), 0, true},
    {BYTES(POST "X: y\nContent-Length: 38\r\n\r\n" HIDDEN), 0, true},
    // Chunks.
    {BYTES(POST "Transfer-Encoding: chunked\r\n\r\n0\n\r\n" HIDDEN), 0, true},
    {BYTES(POST "Transfer-Encoding: chunked\r\n\r\n1\r\na\n0\r\n\r\n" HIDDEN), 0, true},
    {BYTES(POST "Transfer-Encoding: chunked\r\n\r\n0x0\r\n\r\n" HIDDEN), 0, true},
    {BYTES(POST "Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n" HIDDEN), 0, true},
    {BYTES(POST "Transfer-Encoding: chunked\r\n\r\n10000000000000000\r\n\r\n" HIDDEN), 0, true},
    {BYTES(POST "Transfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n0\r\n\r\n" HIDDEN), 0, true},
    {BYTES(POST "Transfer-Encoding: chunked\r\n\r\n1;\nx\r\na\r\n0\r\n\r\n" HIDDEN), 0, true},
    // In one way only: what is hidden is body, and not answered.
    {BYTES(POST "Content-Length: 38\r\n\r\n" HIDDEN), 1, false},
    {BYTES(POST "Transfer-Encoding: chunked\r\n\r\n26\r\n" HIDDEN "\r\n0\r\n\r\n"), 1, false},
    {BYTES(POST "Transfer-Encoding: CHUNKED\r\n\r\n26\r\n" HIDDEN "\r\n0\r\n\r\n"), 1, false},
    {BYTES(POST "Content-Length: 38\r\nConnection: close\r\n\r\n" HIDDEN HIDDEN), 1, false},
    // After CR LF a LF alone ends the head.
    {BYTES(POST "Content-Length: 38\r\n\n" HIDDEN), 1, false},
    // A GET with a body has that body.
    {BYTES("GET /small HTTP/1.1\r\nHost: a.test\r\nContent-Length: 38\r\n\r\n" HIDDEN), 1, false},
    {BYTES("GET /small HTTP/1.1\r\nHost: a.test\r\nUpgrade: h2c\r\nConnection: Upgrade\r\nContent-Length: "
           "38\r\n\r\n" HIDDEN),
     1, false},
    // A folded line belongs to the one before (RFC 9112, 5.2): there is no body to wait for.
    {BYTES(POST "X: y\r\n Content-Length: 38\r\n\r\n"), 1, false},
    // Empty lines before a request are let pass (RFC 9112, 2.2).
    {BYTES("\r\n\r\nGET /small HTTP/1.1\r\nHost: a.test\r\n\r\n"), 1, false},
};

static struct lane_site site;
LANE_SITE_FIXTURE(site)

LANE_SITE_TEST(hides_nothing) {
    for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++) {
        const struct attempt *attempt = &attempts[i];
        // At once and a few bytes at a time: where it is cut must not matter.
        for (size_t step_bytes = 1; step_bytes <= attempt->size; step_bytes = step_bytes * 7 + 1) {
            struct h1_client client = {.site = &site,
                                       .input = attempt->bytes,
                                       .input_size = attempt->size,
                                       .step_bytes = step_bytes,
                                       .finish = true};
            h1_client_converse(&client);
            const size_t refusals = h1_client_count(&client, "HTTP/1.1 400 ");
            const size_t answers = h1_client_count(&client, "HTTP/1.1 ") - refusals;
            if (!client.ended || refusals != attempt->refused || answers != attempt->answers)
                fail_msg("%zu, %zu bytes at a time: %zu answers, %zu refusals%s: %.120s", i, step_bytes,
                         answers, refusals, client.ended ? "" : ", still open", attempt->bytes);
            buf_free(&client.answer);
        }
    }
    // None of them reached the recording.
    json_t *report = lane_site_report(&site);
    json_t *request;
    size_t at;
    json_array_foreach(json_object_get(report, "requests"), at, request)
        assert_null(strstr(text(request, "url"), "/hidden"));
    json_decref(report);
}
