#include "messaging/frame.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>

enum frame_status frame_next(struct buf *in, struct frame *frame) {
    if (buf_size(in) < FRAME_LENGTH_SIZE) return FRAME_PART;
    uint32_t size;
    memcpy(&size, buf_bytes(in), sizeof size);
    if (size > FRAME_IN_MAX) return FRAME_TOO_LARGE;
    if (buf_size(in) - FRAME_LENGTH_SIZE < size) return FRAME_PART;
    *frame = (struct frame){.bytes = (const char *)buf_bytes(in) + FRAME_LENGTH_SIZE, .size = size};
    return FRAME_WHOLE;
}

void frame_drain(struct buf *in, const struct frame *frame) {
    buf_drain(in, FRAME_LENGTH_SIZE + frame->size);
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
