// One object after another over one lane: name, connection (before it, for a ticket, another one that is not
// timed), request, response, redirects, and never longer than it may take. Of a name's addresses it takes the
// resolver's first; it tries nothing twice, so that a row is of one attempt.
#pragma once

#include "fetch/options.h"

#include <jansson.h>

struct fetcher;

// `options` must outlive it. 0, or -1 with a line in `error`.
int fetcher_open(struct fetcher **out, const struct fetch_options *options, char *error, size_t error_size);
void fetcher_close(struct fetcher *fetcher);

// The object's record. NULL when memory is short.
json_t *fetcher_fetch(struct fetcher *fetcher, const char *url);
