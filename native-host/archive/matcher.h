// Which recorded exchange answers a request. It knows nothing of lanes or connections, and the same requests
// in the same order always get the same answers. Does not serve.
//
// 1. Exact: same scheme, port, method, host and path with query. Several answers are given in recorded order,
//    the last one over again.
// 2. Fuzzy, in this order:
//    - the same but for the scheme or the port (a browser that made https of http, say): those of the
//      request's own scheme, else those recorded first;
//    - the same but for the query: of those with the request's own scheme and port, else of all, the recorded
//      query most like the asked one, by (a) most parameters with equal name and value, (b) most parameters
//      with equal name, (c) longest common prefix, (d) recorded first.
//    Duplicates as in 1.
// 3. HEAD that was not recorded is looked up as GET, by 1 and 2, and leaves the order of GET's answers as it
// is.
// 4. Missed.
// Answers with a status below 200 or above 599 (a failed request, a WebSocket's 101) are never given.
#ifndef TRILANE_ARCHIVE_MATCHER_H
#define TRILANE_ARCHIVE_MATCHER_H

#include "archive/recording.h"

#include <stddef.h>

enum match { MATCH_EXACT, MATCH_FUZZY, MATCH_MISSED };

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
};

struct matcher;

// The recording must outlive it. NULL when memory is short.
struct matcher *matcher_open(const struct recording *recording);
void matcher_close(struct matcher *matcher);

// The exchange to answer with, or NULL with MATCH_MISSED.
const struct recorded_exchange *matcher_find(struct matcher *matcher, const struct match_request *request,
                                             enum match *match);

#endif
