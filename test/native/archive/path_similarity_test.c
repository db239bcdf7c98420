// The score of paths, by examples of real ones (of any bytes: test/fuzz/matcher.c); and what may answer for
// what (archive/destination.h).
#include "archive/path_similarity.h"

#include "archive/destination.h"
#include "test/native/cmocka_unit.h"

#include <math.h>

static double similarity(const char *a, const char *b) {
    const double score = path_similarity(a, strlen(a), b, strlen(b));
    assert_true(score == path_similarity(b, strlen(b), a, strlen(a)));
    return score;
}

UNIT_TEST(test_scores) {
    static const struct {
        const char *a, *b;
        double score;
    } cases[] = {
        // As the header says.
        {"/_next/static/chunks/a1b2c3.js", "/_next/static/chunks/d4e5f6.js", (1 + 0.95) / 2},
        {"/v1234/app.js", "/v1235/app.js", 0.95},
        {"/js/app.js", "/static/js/app.js", (2.0 / 3 + 1) / 2},
        {"/en/app.js", "/de/app.js", 0.5},
        {"/js/vendor.a1b2c3.js", "/js/main.d4e5f6.js", 0},
        // Names.
        {"/a1b2c3.js", "/d4e5f6.js", 0.95},
        {"/cat.png", "/dog.png", 0},
        {"/fonts/light-webfont.woff2", "/fonts/bold-webfont.woff2", 0},
        {"/icon.woff", "/icon.woff2", 0},
        {"/app.js", "/app.a1b2c3.js", 0.8},
        {"/photo12.jpg", "/photo7.jpg", 0.95},
        {"/photo12.jpg", "/thumb7.jpg", 0.5}, // of its two tokens one
        {"/App.js", "/app.js", 0},
        {"/m=a,b,c", "/m=c,x,a", 6.0 / 8}, // a list, in any order
        {"/aBcDeFgHiJ.js", "/kLmNoPqRsT.js", 0.95},
        {"/HomePage.js", "/CartPage.js", 0},
        {"/1700000000", "/1800000001", 0.9},
        {"/abcdef", "/fedcba", 0}, // words as well as not
        {"/abcdefab.js", "/12345678.js", 0.5},
        {"/abcdefab.js", "/1234567f.js", 0.95},
        {"/-", "/--", 0},
        {"/a", "/a", 1},
        // Directories.
        {"/users/123/profile", "/users/124/profile", (1.9 / 2 + 1) / 2},
        {"/users/bob/", "/users/alice/", 0},
        {"/users/123/", "/users/124", (1 + 0.9) / 2},
        {"/a/b/x.js", "/x.js", 0.5},
        {"/a/b/c/x.js", "/a/c/x.js", (4.0 / 5 + 1) / 2},
        {"//x.js", "/x.js", 0.5}, // an empty directory is one
        {"/", "/x.js", 0},
        {"/", "/", 0},
        {"", "", 0},
        {"x", "/x", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double score = similarity(cases[i].a, cases[i].b);
        if (fabs(score - cases[i].score) > 1e-9) fail_msg("%s %s: %f", cases[i].a, cases[i].b, score);
    }
}

// A search engine's scripts: modules in a list, the build in a hash.
UNIT_TEST(test_lists_of_modules) {
    static const char recorded[] =
        "/xjs/_/js/k=xjs.s.en.6-Yo5ye8MLk.O/m=sx,c,sb,cdos,cr,elog,jsa,r,hsm/rt=j/d=1/rs=ACT90oGD";
    static const char fewer[] =
        "/xjs/_/js/k=xjs.s.en.6-Yo5ye8MLk.O/m=sx,c,sb,cdos,elog,r/rt=j/d=1/rs=ACT90oGD";
    static const char other_build[] =
        "/xjs/_/js/k=xjs.s.en.qW3rT5yU7iO.O/m=sx,c,sb,cdos,elog,r/rt=j/d=1/rs=BXY81pHE";
    static const char image[] = "/xjs/_/img/logo.png";
    const double of_fewer = similarity(recorded, fewer), of_other = similarity(recorded, other_build);
    assert_true(of_fewer > 0.97 && of_other > 0.85 && of_fewer > of_other);
    assert_true(similarity(recorded, image) < PATH_SIMILARITY_LEAST);
}

UNIT_TEST(test_destinations) {
    static const struct {
        const char *dest, *accept;
        enum destination destination;
    } cases[] = {{"script", "*/*", DESTINATION_SCRIPT},
                 {"Image", NULL, DESTINATION_IMAGE},
                 {"document", "text/html", DESTINATION_OTHER},
                 {"iframe", "text/html", DESTINATION_FRAME},
                 {"empty", "*/*", DESTINATION_FETCH},
                 {"report", "*/*", DESTINATION_OTHER},
                 {"", "*/*", DESTINATION_OTHER},
                 {NULL, "text/html,*/*;q=0.8", DESTINATION_PAGE},
                 {NULL, "text/css,*/*;q=0.1", DESTINATION_STYLE},
                 {NULL, "image/avif,*/*", DESTINATION_IMAGE},
                 {NULL, "*/*", DESTINATION_UNKNOWN},
                 {NULL, NULL, DESTINATION_UNKNOWN}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *dest = cases[i].dest, *accept = cases[i].accept;
        const enum destination found =
            destination_of(dest, dest ? strlen(dest) : 0, accept, accept ? strlen(accept) : 0);
        if (found != cases[i].destination) fail_msg("case %zu: %d", i, (int)found);
    }
}

UNIT_TEST(test_what_takes_what) {
    static const struct {
        enum destination asked;
        const char *path;
        enum destination recorded;
        const char *recorded_path, *type;
        uint16_t status;
        bool takes;
    } cases[] = {
        {DESTINATION_SCRIPT, "/a1", DESTINATION_SCRIPT, "/b2", "text/javascript; charset=utf-8", 200, true},
        {DESTINATION_SCRIPT, "/a1", DESTINATION_UNKNOWN, "/b2", "application/x-javascript", 200, true},
        {DESTINATION_SCRIPT, "/a1", DESTINATION_UNKNOWN, "/b2", "image/png", 200, false},
        {DESTINATION_IMAGE, "/a1", DESTINATION_SCRIPT, "/b2", "image/png", 200, false},
        {DESTINATION_IMAGE, "/a1", DESTINATION_IMAGE, "/b2", "text/html", 200, false},
        {DESTINATION_IMAGE, "/a1", DESTINATION_IMAGE, "/b2", "text/html", 302, true},
        {DESTINATION_IMAGE, "/a1", DESTINATION_IMAGE, "/b2", "image/png", 404, false},
        {DESTINATION_IMAGE, "/a1", DESTINATION_IMAGE, "/b2", NULL, 200, true},
        {DESTINATION_FONT, "/a1", DESTINATION_UNKNOWN, "/b2", "application/font-woff2", 200, true},
        {DESTINATION_FETCH, "/a1.json", DESTINATION_UNKNOWN, "/b2.json?x=1.y", "application/json", 200, true},
        {DESTINATION_FETCH, "/a1.json", DESTINATION_UNKNOWN, "/b2.png", "image/png", 200, false},
        {DESTINATION_FETCH, "/a1", DESTINATION_FETCH, "/b2.html", "text/html", 200, true},
        {DESTINATION_FRAME, "/a1", DESTINATION_PAGE, "/b2", "text/html", 200, true},
        {DESTINATION_FRAME, "/a1", DESTINATION_OTHER, "/b2", "text/html", 200, false},
        {DESTINATION_PAGE, "/a1", DESTINATION_PAGE, "/b2", "text/html", 200, false},
        {DESTINATION_OTHER, "/a1", DESTINATION_OTHER, "/b2", "text/html", 200, false},
        {DESTINATION_UNKNOWN, "/a1.js", DESTINATION_SCRIPT, "/b2.js", "text/javascript", 200, true},
        {DESTINATION_UNKNOWN, "/a1.js", DESTINATION_SCRIPT, "/b2.mjs", "text/javascript", 200, false},
        {DESTINATION_UNKNOWN, "/a1", DESTINATION_UNKNOWN, "/b2", "text/html", 200, false},
        {DESTINATION_UNKNOWN, "/a1", DESTINATION_PAGE, "/b2", NULL, 200, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *type = cases[i].type;
        struct header header = {"content-type", type, 12, type ? strlen(type) : 0};
        const struct recorded_exchange exchange = {.path = cases[i].recorded_path,
                                                   .destination = cases[i].recorded,
                                                   .status = cases[i].status,
                                                   .headers = &header,
                                                   .header_count = type != NULL,
                                                   .body_size = 10};
        if (destination_takes(cases[i].asked, cases[i].path, strlen(cases[i].path), &exchange) !=
            cases[i].takes)
            fail_msg("case %zu", i);
    }
}
