// How many different bytes of a TCP stream have passed, whatever their order and however often each did: a
// goodput counts a retransmitted byte once. Holds no bytes, only the ranges beyond the first gap.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct stream_bytes {
    bool begun;
    uint64_t next;              // up to here all is there; sequence numbers carried on beyond 32 bits
    struct stream_range *range; // beyond it, apart from each other, in order
    uint32_t count;
    uint32_t capacity;
};

// A zeroed struct is a stream of which nothing has passed.
void stream_bytes_close(struct stream_bytes *stream);

// Returns how many of these bytes have not passed before. More than 4096 gaps at once, or a shortage of
// memory: the oldest gap is taken as filled, so that its bytes are not counted when they come.
uint32_t stream_bytes_add(struct stream_bytes *stream, uint32_t sequence, uint32_t size_bytes);
