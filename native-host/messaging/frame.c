#include "messaging/frame.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/uio.h>

// The size of the message that `in` begins with. False where its length has not come.
static bool message_size(struct buf *in, size_t *size) {
    uint32_t length;
    if (buf_size(in) < FRAME_LENGTH_SIZE) return false;
    memcpy(&length, buf_bytes(in), sizeof length);
    *size = length;
    return true;
}

enum frame_status frame_next(struct buf *in, struct frame *frame) {
    size_t size;
    if (!message_size(in, &size)) return FRAME_PART;
    if (size > FRAME_IN_MAX) return FRAME_TOO_LARGE;
    bool taken = size <= FRAME_TAKEN_MAX;
    if (buf_size(in) - FRAME_LENGTH_SIZE < (taken ? size : FRAME_START)) return FRAME_PART;
    *frame = (struct frame){.bytes = (const char *)buf_bytes(in) + FRAME_LENGTH_SIZE, .size = size};
    return taken ? FRAME_WHOLE : FRAME_NOT_TAKEN;
}

size_t frame_drain(struct buf *in, const struct frame *frame) {
    size_t size = FRAME_LENGTH_SIZE + frame->size, there = buf_size(in) < size ? buf_size(in) : size;
    buf_drain(in, there);
    return size - there;
}

size_t frame_missing(struct buf *in) {
    size_t size;
    if (!message_size(in, &size) || size > FRAME_TAKEN_MAX || buf_size(in) >= FRAME_LENGTH_SIZE + size)
        return 0;
    return FRAME_LENGTH_SIZE + size - buf_size(in);
}

int frame_write(int fd, const char *bytes, size_t size) {
    uint32_t length = (uint32_t)size;
    struct iovec parts[] = {{.iov_base = &length, .iov_len = sizeof length},
                            {.iov_base = (void *)(uintptr_t)bytes, .iov_len = size}};
    while (parts[0].iov_len + parts[1].iov_len > 0) {
        ssize_t written = writev(fd, parts, 2);
        if (written < 0) {
            if (errno == EINTR) continue;
            return -1;
        }
        for (size_t i = 0; i < 2; i++) {
            size_t part = (size_t)written < parts[i].iov_len ? (size_t)written : parts[i].iov_len;
            parts[i].iov_base = (char *)parts[i].iov_base + part;
            parts[i].iov_len -= part;
            written -= (ssize_t)part;
        }
    }
    return 0;
}
