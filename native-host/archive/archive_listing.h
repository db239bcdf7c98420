// What the archive holds, as JSON for messages, in pages that stay below the size a browser takes in one
// message. Reads only; makes nothing where there is no archive.
#pragma once

#include "archive/archive_error.h"

#include <jansson.h>
#include <sqlite3.h>
#include <stdint.h>

// {"recordings": [...], "next": name or null}: recordings by name, those after `after` ("" for all). `next`
// is the `after` of the next page.
int archive_list(json_t **out, const char *home, const char *after, struct archive_error *error);
// {"recording": {...}, "exchanges": [...], "next": seq or null}: exchanges from `from_seq` on.
int archive_show(json_t **out, const char *home, const char *name, int64_t from_seq,
                 struct archive_error *error);
// The "recording" of archive_show alone, as it is in the transaction that `db` has open.
int archive_show_recording(json_t **out, sqlite3 *db, const char *home, const char *name,
                           struct archive_error *error);
