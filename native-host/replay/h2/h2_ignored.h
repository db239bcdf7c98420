// Frames that nghttp2 ignores and RFC 9113 has errors for: on streams that are over (5.1, 5.1.1), and
// PRIORITY frames on none (6.3). Finds their heads in what a client sends, beside nghttp2, which does not
// report them, and knows which streams there were. Does not end the connection.
#pragma once

#include <nghttp2/nghttp2.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { H2_HEAD_BYTES = 9, H2_DEPENDENCY_BYTES = 4 };

// Zeroed: at the beginning of a connection, before its preface.
struct h2_heads {
    size_t preface_taken;
    size_t payload_left; // of the frame at hand
    size_t taken;
    uint8_t bytes[H2_HEAD_BYTES + H2_DEPENDENCY_BYTES];
};

// Takes bytes up to the end of the next head, or all of them, and returns how many. *found: `head` is filled,
// and for a PRIORITY frame of the right length `dependency` with the stream that it depends on (else -1).
size_t h2_heads_take(struct h2_heads *heads, const uint8_t *bytes, size_t size, bool *found,
                     nghttp2_frame_hd *head, int32_t *dependency);

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
// A frame begins: what h2_heads_take found. The error that it is for the connection, or NGHTTP2_NO_ERROR.
uint32_t h2_closed_frame(struct h2_closed *closed, nghttp2_session *session, const nghttp2_frame_hd *head,
                         int32_t dependency);
