// Origins recorded over http://, for lanes that are nothing without TLS: arranges the recording before it is
// served so that each of them is an https:// origin, and that the browser asks for it as such. Bodies stay as
// they are. Does not serve.
//
// - An exchange of http://HOST is one of https://HOST; of http://HOST:PORT, one of https://HOST:PORT.
// - Documents carry `content-security-policy: upgrade-insecure-requests`, by which a browser makes https://
//   of all http:// URLs that a page names, before it asks.
// - Redirects to http:// lead to https://. One that only led from the one to the other is left out:
//   upgraded, it would lead to itself.
#pragma once

#include "archive/arena.h"
#include "archive/recording.h"

#include <stddef.h>

struct clear_origins_counts {
    size_t exchanges; // that were recorded over http://, those left out included
    size_t redirects; // left out
};

// Changes nothing where all is https. `arena` has the fields, as long as the recording is used. 0, or -1 when
// memory is short.
int clear_origins_upgrade(struct recording *recording, struct arena *arena,
                          struct clear_origins_counts *counts);

// How many exchanges were recorded over http://.
size_t clear_origins_count(const struct recording *recording);
