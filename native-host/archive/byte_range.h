// Byte ranges as Range and Content-Range write them (RFC 9110, 14). Pure. Of several ranges in one request
// none is understood: a server may ignore them and send all.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// As requested: "bytes=FIRST-LAST", "bytes=FIRST-" (last: UINT64_MAX) or "bytes=-SUFFIX" (the last bytes).
struct range_request {
    bool is_suffix;
    uint64_t first; // of a suffix: how many
    uint64_t last;
};
// False: no range that is to be honoured.
bool range_parse(struct range_request *range, const char *text, size_t size);

// Both ends included.
struct byte_range {
    uint64_t first;
    uint64_t last;
};
// What of `size` bytes is requested. False: nothing of them (416).
bool range_resolve(const struct range_request *range, uint64_t size, struct byte_range *out);

// "bytes FIRST-LAST/SIZE"; a size of "*" is UINT64_MAX. False where it is anything else.
bool content_range_parse(struct byte_range *range, uint64_t *whole_size, const char *text, size_t size);
