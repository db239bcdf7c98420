// The requests that failed when the page was recorded, from the recording's notes: for the replay, which
// makes them fail again. Knows URLs without scheme and port; does not decide how a failure looks on a lane.
//
// The notes have `failed_urls`, and most have `failures`, which says how each of them failed: "name" (the
// host's name was not found), "blocked" (the recording browser did not send it), "aborted" (the page gave it
// up), "connection", or "unknown", which a URL without an entry is too.
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct recorded_failures;

// `notes`: the recording's, as JSON; what is not as expected in it counts for nothing. 0, or -1 when memory
// is short.
int recorded_failures_open(struct recorded_failures **out, const char *notes, size_t size);
void recorded_failures_close(struct recorded_failures *failures);

// All of these take NULL for no failures. `host` is in lower case and has no port, `path` has its query.
//
// True unless the page itself gave the request up: a server would have answered that one.
bool recorded_failures_has(const struct recorded_failures *failures, const char *host, size_t host_size,
                           const char *path, size_t path_size);
// No request to the host came as far as a server: each failed for want of its name, or was blocked.
bool recorded_failures_unnamed(const struct recorded_failures *failures, const char *host);
