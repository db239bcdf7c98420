#include "replay/h2/h2_heads.h"

#include <string.h>

enum { PREFACE_BYTES = 24, PRIORITY_BYTES = 5 };

static uint32_t number(const uint8_t *bytes, size_t size) {
    uint32_t value = 0;
    for (size_t i = 0; i < size; i++)
        value = value << 8 | bytes[i];
    return value;
}

static size_t part(size_t size, size_t wanted) {
    return size < wanted ? size : wanted;
}

static bool is_priority(const struct h2_heads *heads) {
    return heads->bytes[3] == NGHTTP2_PRIORITY && number(heads->bytes, 3) == PRIORITY_BYTES;
}

// How many bytes of this head are wanted: a PRIORITY frame's dependency with it.
static size_t wanted(const struct h2_heads *heads) {
    return heads->taken >= H2_HEAD_BYTES && is_priority(heads) ? sizeof heads->bytes : (size_t)H2_HEAD_BYTES;
}

size_t h2_heads_take(struct h2_heads *heads, const uint8_t *bytes, size_t size, bool *found,
                     nghttp2_frame_hd *head, int32_t *dependency) {
    size_t at = part(size, PREFACE_BYTES - heads->preface_taken);
    heads->preface_taken += at;
    const size_t skipped = part(size - at, heads->payload_left);
    heads->payload_left -= skipped;
    at += skipped;
    while (at < size && heads->taken < wanted(heads)) {
        const size_t more = part(size - at, wanted(heads) - heads->taken);
        memcpy(heads->bytes + heads->taken, bytes + at, more);
        heads->taken += more;
        at += more;
    }
    *found = heads->taken >= H2_HEAD_BYTES && heads->taken == wanted(heads);
    if (!*found) return at;
    const uint32_t mask = INT32_MAX;
    *head = (nghttp2_frame_hd){.length = number(heads->bytes, 3),
                               .type = heads->bytes[3],
                               .flags = heads->bytes[4],
                               .stream_id = (int32_t)(number(heads->bytes + 5, 4) & mask)};
    *dependency =
        is_priority(heads) ? (int32_t)(number(heads->bytes + H2_HEAD_BYTES, H2_DEPENDENCY_BYTES) & mask) : -1;
    heads->payload_left = head->length - (heads->taken - H2_HEAD_BYTES);
    heads->taken = 0;
    return at;
}
