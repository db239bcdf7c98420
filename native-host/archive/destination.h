// What a request is for, as the Fetch standard has its destinations, and whether a recorded response is of a
// type for that: so that no picture is given for a script. Pure.
#pragma once

#include "archive/recording.h"

#include <stdbool.h>
#include <stddef.h>

// By Sec-Fetch-Dest; where it was not sent (to http://, by older browsers), by Accept as far as that goes:
// scripts, fonts and what scripts fetch have the same. NULL: not sent.
enum destination destination_of(const char *sec_fetch_dest, size_t dest_size, const char *accept,
                                size_t accept_size);

// Whether the recorded response may answer a request for another path, which the caller finds alike: it was
// for the same destination, as far as that is known, and its type is one for the destination. Where the
// destination is not known, both paths must have the same extension, or none. Never true for what is
// navigated to at the top, for errors, and for the browser's reports.
bool destination_takes(enum destination destination, const char *path, size_t path_size,
                       const struct recorded_exchange *exchange);
