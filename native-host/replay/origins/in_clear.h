// The lane without TLS: arranges the recording before it is served so that each https:// origin is one of
// http:// on a host of its own, HOST.clear.test (a name that is in no DNS, RFC 6761); port 443
// becomes 80. What asks for https:// as http:// has to ask for that host: browsers do not go to http:// for a
// host of which they know that it is reached over TLS only (HSTS). Does not serve.
#pragma once

#include "archive/arena.h"
#include "archive/recording.h"

#include <stddef.h>

// Hosts that are addresses keep them, and those whose name would become longer than DNS has them. `arena` has
// the names, as long as the recording is used. 0, or -1 when memory is short.
int in_clear_arrange(struct recording *recording, struct arena *arena);

// How much of a host's name is left without the suffix above; all of a name that does not have it.
size_t in_clear_bare_size(const char *host, size_t size);
