// Whether a recording in the archive is still what was written: its digest over the rows, and each body
// against its name and size. Reads only. What the bodies mean is not looked at.
#pragma once

#include "archive/archive_error.h"

#include <jansson.h>
#include <stdint.h>

// Checks exchanges from `from_seq` on, for about as long as a message may take, and the digest where that is
// 0. *out: {"recording": as archive_show has it, "digest_matches": true, false, or null where it was not
// looked at; "checked": how many were checked; "problems": [{"seq", "part": "request" or "response",
// "sha256", "problem": "missing", "size" or "content"}], "next": seq or null}. 0, or -1 with *error.
int archive_verify(json_t **out, const char *home, const char *name, int64_t from_seq,
                   struct archive_error *error);
