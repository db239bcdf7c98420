#include "replay/h2/h2_ignored.h"

#include <string.h>

// ---- Heads. Of a payload only a PRIORITY frame's first field is kept.

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

// ---- Streams that are over

void h2_closed_reset(struct h2_closed *closed, int32_t id) {
    closed->resets[closed->reset_count++ % H2_CLOSED_RESETS_MAX] = id;
}

static bool was_reset(const struct h2_closed *closed, int32_t id) {
    for (size_t i = 0; i < closed->reset_count && i < H2_CLOSED_RESETS_MAX; i++)
        if (closed->resets[i] == id) return true;
    return false;
}

static bool was_passed_over(const struct h2_closed *closed, int32_t id) {
    for (size_t i = 0; i < closed->gap_count; i++)
        if (id >= closed->gaps[i].first_id && id <= closed->gaps[i].last_id) return true;
    return false;
}

static void open_stream(struct h2_closed *closed, int32_t id) {
    const int32_t expected_id = closed->last_id == 0 ? 1 : closed->last_id + 2;
    if (id > expected_id && closed->gap_count < H2_CLOSED_GAPS_MAX) {
        closed->gaps[closed->gap_count].first_id = expected_id;
        closed->gaps[closed->gap_count++].last_id = id - 2;
    }
    closed->last_id = id;
}

uint32_t h2_closed_frame(struct h2_closed *closed, nghttp2_session *session, const nghttp2_frame_hd *head,
                         int32_t dependency) {
    const int32_t id = head->stream_id;
    if (head->type == NGHTTP2_PRIORITY)
        return id == 0 || id == dependency ? NGHTTP2_PROTOCOL_ERROR : NGHTTP2_NO_ERROR;
    if ((head->type != NGHTTP2_HEADERS && head->type != NGHTTP2_DATA) || id % 2 == 0)
        return NGHTTP2_NO_ERROR; // or nghttp2 sees to it
    if (id > closed->last_id) {
        if (head->type == NGHTTP2_HEADERS) open_stream(closed, id);
        return NGHTTP2_NO_ERROR;
    }
    if (nghttp2_session_find_stream(session, id) || was_reset(closed, id)) return NGHTTP2_NO_ERROR;
    return was_passed_over(closed, id) ? NGHTTP2_PROTOCOL_ERROR : NGHTTP2_STREAM_CLOSED;
}
