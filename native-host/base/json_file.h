// A JSON document written whole or not at all, or into a device, a pipe or an open descriptor. Does not read.
#pragma once

#include <jansson.h>

// How the temporary file's name ends, which somebody who is killed in between leaves.
#define json_file_aside_end ".tmp"

// Writes `document` to a temporary file beside `path` and renames it there; into a device, a pipe or
// /dev/fd/N as it comes. 0, or -1 with errno and nothing
// left.
int json_file_write(const char *path, const json_t *document);

// Whether json_file_write could make its file now, so that a mistyped folder shows before the work and not
// after it. Leaves nothing. 0, or -1 with errno.
int json_file_try(const char *path);
