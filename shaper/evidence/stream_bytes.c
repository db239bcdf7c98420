#include "shaper/evidence/stream_bytes.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_RANGES = 4096 };

struct stream_range {
    uint64_t start;
    uint64_t end;
};

void stream_bytes_close(struct stream_bytes *stream) {
    free(stream->range);
    *stream = (struct stream_bytes){0};
}

// The full number nearest to `next` that ends in these 32 bits. Numbers begin beyond 2^32, so that none
// before the first is negative.
static uint64_t unwrapped(const struct stream_bytes *stream, uint32_t sequence) {
    return stream->next + (uint64_t)(int64_t)(int32_t)(sequence - (uint32_t)stream->next);
}

// Takes ranges that `next` has reached into it.
static void move_on(struct stream_bytes *stream) {
    uint32_t reached = 0;
    while (reached < stream->count && stream->range[reached].start <= stream->next) {
        if (stream->range[reached].end > stream->next) stream->next = stream->range[reached].end;
        reached++;
    }
    stream->count -= reached;
    if (reached > 0 && stream->count > 0)
        memmove(stream->range, stream->range + reached, stream->count * sizeof *stream->range);
}

static bool make_room(struct stream_bytes *stream) {
    if (stream->count < stream->capacity) return true;
    if (stream->capacity >= MOST_RANGES) return false;
    uint32_t capacity = stream->capacity > 0 ? stream->capacity * 2 : 8;
    struct stream_range *range = realloc(stream->range, capacity * sizeof *range);
    if (!range) return false;
    stream->range = range;
    stream->capacity = capacity;
    return true;
}

static uint64_t overlap(const struct stream_range *range, uint64_t start, uint64_t end) {
    uint64_t from = range->start > start ? range->start : start;
    uint64_t to = range->end < end ? range->end : end;
    return to > from ? to - from : 0;
}

// Puts start..end among the ranges, joined with those that it touches. Returns what was not there.
static uint64_t insert(struct stream_bytes *stream, uint64_t start, uint64_t end) {
    uint64_t fresh = end - start;
    uint32_t low = stream->count; // the newest are the likeliest: from the end
    while (low > 0 && stream->range[low - 1].end >= start)
        low--;
    uint32_t high = low;
    for (; high < stream->count && stream->range[high].start <= end; high++)
        fresh -= overlap(&stream->range[high], start, end);
    if (high > low) {
        struct stream_range *first = &stream->range[low];
        if (start < first->start) first->start = start;
        first->end = stream->range[high - 1].end > end ? stream->range[high - 1].end : end;
        memmove(first + 1, stream->range + high, (stream->count - high) * sizeof *first);
        stream->count -= high - low - 1;
        return fresh;
    }
    memmove(stream->range + low + 1, stream->range + low, (stream->count - low) * sizeof *stream->range);
    stream->range[low] = (struct stream_range){start, end};
    stream->count++;
    return fresh;
}

uint32_t stream_bytes_add(struct stream_bytes *stream, uint32_t sequence, uint32_t size_bytes) {
    if (!stream->begun) {
        stream->begun = true;
        stream->next = (UINT64_C(1) << 32) + sequence;
    }
    uint64_t start = unwrapped(stream, sequence), end = start + size_bytes;
    if (end <= stream->next || size_bytes == 0) return 0;
    if (start < stream->next) start = stream->next;
    if (start > stream->next && !make_room(stream)) {
        if (stream->count > 0)
            stream->next = stream->range[0].start; // as filled
        else
            stream->next = start;
        move_on(stream);
        if (end <= stream->next) return 0;
        if (start < stream->next) start = stream->next;
    }
    if (start == stream->next) {
        uint64_t before = end - start;
        for (uint32_t i = 0; i < stream->count && stream->range[i].start < end; i++)
            before -= overlap(&stream->range[i], start, end);
        stream->next = end;
        move_on(stream);
        return (uint32_t)before;
    }
    return (uint32_t)insert(stream, start, end);
}
