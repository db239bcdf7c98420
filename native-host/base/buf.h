// A growable byte buffer that is filled at its end and drained at its front.
// Does not share or count references: one owner, `buf_free` at the end.
#pragma once

#include <stddef.h>
#include <stdint.h>

struct buf {
    uint8_t *data; // capacity bytes
    size_t start;  // first byte not drained yet
    size_t end;    // one past the last byte
    size_t capacity;
};

// A zeroed struct buf is an empty buffer.
void buf_free(struct buf *b);

static inline size_t buf_size(const struct buf *b) {
    return b->end - b->start;
}
static inline uint8_t *buf_bytes(struct buf *b) {
    return b->data + b->start;
}

// All return 0, or -1 when memory is short (the buffer then stays as it was).
int buf_reserve(struct buf *b, size_t more); // room for `more` bytes at data + end
int buf_add(struct buf *b, const void *bytes, size_t size);
__attribute__((format(printf, 2, 3))) int buf_printf(struct buf *b, const char *format, ...);

void buf_drain(struct buf *b, size_t size); // size <= buf_size(b)
