// Undoes a content coding: gzip, deflate, br, zstd; and makes gzip. Pure.
#pragma once

#include "archive/variant.h"

#include <stddef.h>
#include <stdint.h>

// A few kilobytes can stand for gigabytes: more than this is not decoded.
enum { DECODED_BYTES_MAX = 64 * 1024 * 1024 };

// The decoded bytes, the caller's to free, and their number; never NULL for an empty result. NULL: the body
// is not of that coding, ends too soon, is too large, or memory is short.
uint8_t *content_decode(enum coding coding, const uint8_t *body, size_t size, size_t *decoded_size);

// Compressed as a server does it as it goes (level 6), the caller's to free. NULL: too large, or memory is
// short.
uint8_t *content_gzip(const uint8_t *body, size_t size, size_t *gzip_size);
