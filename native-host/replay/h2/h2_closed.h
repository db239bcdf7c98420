// Frames on streams that are over, which nghttp2 ignores and RFC 9113 has errors for (5.1, 5.1.1), and
// PRIORITY frames on none (6.3). Knows which streams there were; does not end the connection.
#pragma once

#include <nghttp2/nghttp2.h>
#include <stddef.h>
#include <stdint.h>

enum { H2_CLOSED_RESETS_MAX = 128, H2_CLOSED_GAPS_MAX = 16 };

// Zeroed: no stream yet.
struct h2_closed {
    int32_t last_id;
    size_t reset_count;                   // since the beginning
    int32_t resets[H2_CLOSED_RESETS_MAX]; // by us, the latest ones: the client may not know yet
    size_t gap_count;
    struct {
        int32_t first_id, last_id;
    } gaps[H2_CLOSED_GAPS_MAX]; // ids that were passed over
};

// We have reset this stream.
void h2_closed_reset(struct h2_closed *closed, int32_t id);
// A frame begins: what h2_heads.h found. The error that it is for the connection, or NGHTTP2_NO_ERROR.
uint32_t h2_closed_frame(struct h2_closed *closed, nghttp2_session *session, const nghttp2_frame_hd *head,
                         int32_t dependency);
