// Native messaging's frames: a 4-byte length in the machine's byte order, then that many bytes of JSON.
// Does not look at the JSON and reads no descriptor.
#pragma once

#include "base/buf.h"

#include <stddef.h>
#include <stdint.h>

enum {
    FRAME_LENGTH_SIZE = 4,
    FRAME_IN_MAX = 64 * 1024 * 1024, // what a browser sends at most
    FRAME_TAKEN_MAX =
        8 * 1024 * 1024,         // what is taken of it: parsing costs memory, and large things go in pieces
    FRAME_START = 64,            // what is looked at of one that is not taken
    FRAME_OUT_MAX = 1024 * 1024, // what a browser takes at most
};

enum frame_status {
    FRAME_WHOLE,     // the next message stands at `frame.bytes`
    FRAME_PART,      // more bytes must come
    FRAME_NOT_TAKEN, // above FRAME_TAKEN_MAX: its start stands at `frame.bytes`, its size is the message's
    FRAME_TOO_LARGE, // its length cannot be; what follows cannot be distinguished any more
};

struct frame {
    const char *bytes; // in the buffer: valid until it is changed
    size_t size;
};

// Looks at the start of `in`; a frame is taken away by frame_drain, of one that is not taken what is there of
// it. That returns how many bytes of it are still to come and to be thrown away.
enum frame_status frame_next(struct buf *in, struct frame *frame);
size_t frame_drain(struct buf *in, const struct frame *frame);
// How many bytes are missing of the frame that `in` begins with; 0 where that is not known.
size_t frame_missing(struct buf *in);

// Writes a message to a blocking descriptor. 0, or -1 with errno.
int frame_write(int fd, const char *bytes, size_t size);
