// Finds the heads of frames in what a client sends, beside nghttp2, which reports nothing of frames that it
// ignores. Does not judge them, nor keep anything of a payload but a PRIORITY frame's first field.
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
