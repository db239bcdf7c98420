#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void buf_free(struct buf *b) {
    free(b->data);
    memset(b, 0, sizeof *b);
}

int buf_reserve(struct buf *b, size_t more) {
    if (b->capacity - b->end >= more) return 0;
    size_t size = buf_size(b);
    if (b->start > 0) { // a buffer never allocated has no start either, so data is not NULL here
        memmove(b->data, b->data + b->start, size);
        b->start = 0;
        b->end = size;
        if (b->capacity - b->end >= more) return 0;
    }
    if (more > SIZE_MAX / 2 - size) return -1;
    size_t capacity = b->capacity ? b->capacity : 256;
    while (capacity < size + more)
        capacity *= 2;
    uint8_t *data = realloc(b->data, capacity);
    if (!data) return -1;
    b->data = data;
    b->capacity = capacity;
    return 0;
}

int buf_add(struct buf *b, const void *bytes, size_t size) {
    if (size == 0) return 0;
    if (buf_reserve(b, size) < 0) return -1;
    memcpy(b->data + b->end, bytes, size);
    b->end += size;
    return 0;
}

int buf_printf(struct buf *b, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (size < 0 || buf_reserve(b, (size_t)size + 1) < 0) return -1;
    va_start(arguments, format);
    vsnprintf((char *)b->data + b->end, (size_t)size + 1, format, arguments);
    va_end(arguments);
    b->end += (size_t)size;
    return 0;
}

void buf_drain(struct buf *b, size_t size) {
    b->start += size;
    if (b->start == b->end) b->start = b->end = 0;
}
