#include "replay/h2/h2_closed.h"

#include <stdbool.h>

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
