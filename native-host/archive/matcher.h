// Finds the recorded response for a request. Decides by the request alone and by what was given before, never
// by the lane or the clock: the same requests in the same order always get the same answers. Does not serve.
//
// 1. Exact: same method, host, port, path and query, and the same request body (by its SHA-256). The schemes'
//    own ports are one port, and http and https one scheme: of both the request's own goes first. (A recorded
//    redirect from http to the same URL with https is never given to https.)
//    Several answers are given in recorded order, each once, the last one over again. Of these, those go
//    first that fit the request's Accept-Encoding, Range and conditional headers best (archive/variant.h);
//    what would be wrong, a 304 where nothing was conditional, say, is not given at all.
//    (Where one URL has hundreds of variants, all of which were given before, each is looked at.)
// 2. Fuzzy, in this order:
//    - the same but for the request body: in recorded order, those not given yet first;
//    - the same but for the port: on the port that was recorded first;
//    - the same but for the query: the recorded query most like the requested one (archive/query.h). Of
//      several the first recorded that has not been given; if all have, the last. First on the request's
//      own port, then on others.
//    - the same but for the path: the recorded path most like the requested one (archive/path_similarity.h),
//    of
//      those that are for the same destination and of a type for it (archive/destination.h), if it is like
//      enough. Of several the first recorded whose answers have not all been given; if all have, the last.
//      There the query most like the requested one. Each of the host's paths is looked at, so this one takes
//      longer the more there are, and is not for requests without somebody who waits (enum match_effort).
//      Paths can be long: from where those that were compared, and the requested one with each, have
//      MATCH_SIMILAR_BYTES_MAX together, the rest is not looked at. 5000 of 200 bytes each stay below.
// 3. HEAD that was not recorded is looked up as GET, by 1 and 2, and leaves the order of GET's answers as it
//    is.
// 4. Missed.
// Answers with a status below 200 or above 599 (a failed request, a WebSocket's 101) are never given.
#pragma once

#include "archive/recording.h"
#include "archive/variant.h"

#include <stdbool.h>
#include <stddef.h>

enum match { MATCH_EXACT, MATCH_FUZZY, MATCH_MISSED };
// What a fuzzy match leaves out of account.
enum match_difference {
    DIFFERENCE_NONE,
    DIFFERENCE_BODY,
    DIFFERENCE_PORT,
    DIFFERENCE_QUERY,
    DIFFERENCE_PATH
};

enum { MATCH_SIMILAR_BYTES_MAX = 2 << 20 };

// How far from the request its answer may be.
enum match_effort { MATCH_ANYHOW, MATCH_SAME_PATH, MATCH_EXACTLY };

// Strings need not be NUL-terminated and are not kept. `host` may be in any case and carry a port; without
// one, the scheme's own is meant.
struct match_request {
    const char *method;
    size_t method_size;
    const char *scheme; // "http" or "https"
    const char *host;
    size_t host_size;
    const char *path; // with query
    size_t path_size;
    const uint8_t *body_sha256; // RECORDING_HASH_BYTES; NULL: no body, or an empty one
    struct variant_wish wish;
    enum match_effort effort;
    enum destination destination;
    bool look_only; // the order of answers stays as it is
};

struct match_answer {
    enum match match;
    enum match_difference difference;
    double similarity;                        // 0 to 1; of the paths or queries, if they differ; else 1
    const struct recorded_exchange *exchange; // NULL: missed
    const struct variant *variant;            // of the exchange
};

struct matcher;

// The recording must outlive it. NULL when memory is short.
struct matcher *matcher_open(const struct recording *recording);
void matcher_close(struct matcher *matcher);

struct match_answer matcher_find(struct matcher *matcher, const struct match_request *request);
