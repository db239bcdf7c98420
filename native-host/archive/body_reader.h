// Bodies of the archive read back: a piece at a time, or whole, to see whether they are what their names say.
// Reads only and takes no lock: a body under its name never changes, it only comes and goes.
#pragma once

#include "archive/archive_error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum body_state { BODY_WHOLE, BODY_MISSING, BODY_OF_OTHER_SIZE, BODY_DAMAGED };

// Whether it is 64 lower-case hex digits: what may be looked for under HOME/bodies.
bool body_is_name(const char *sha256);

// Up to `capacity` bytes from byte `from` on. *size: how many there were; *total: the body's own size.
// ARCHIVE_NOT_FOUND where there is no such body. 0, or -1 with *error.
int body_read(const char *home, const char *sha256, uint64_t from, void *bytes, size_t capacity, size_t *size,
              uint64_t *total, struct archive_error *error);

// The size of a body. 0, or -1 with *error, as above.
int body_size(const char *home, const char *sha256, uint64_t *size, struct archive_error *error);

// Reads the body whole. A file that cannot be read is missing.
enum body_state body_check(const char *home, const char *sha256, uint64_t expected_size);
