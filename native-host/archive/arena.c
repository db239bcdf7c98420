#include "archive/arena.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 1 << 18 };

struct arena_block {
    struct arena_block *next;
    size_t used;
    size_t size;
    _Alignas(max_align_t) char bytes[];
};

void *arena_take(struct arena *arena, size_t size) {
    const size_t align = _Alignof(max_align_t);
    size = (size + align - 1) & ~(align - 1);
    if (!arena->blocks || arena->blocks->size - arena->blocks->used < size) {
        size_t block_size = size > BLOCK_BYTES ? size : BLOCK_BYTES;
        struct arena_block *block = malloc(sizeof *block + block_size);
        if (!block) return NULL;
        *block = (struct arena_block){.next = arena->blocks, .size = block_size};
        arena->blocks = block;
    }
    void *bytes = arena->blocks->bytes + arena->blocks->used;
    arena->blocks->used += size;
    return bytes;
}

char *arena_copy(struct arena *arena, const char *text, size_t size) {
    char *copy = arena_take(arena, size + 1);
    if (!copy) return NULL;
    memcpy(copy, text, size);
    copy[size] = '\0';
    return copy;
}

void arena_free(struct arena *arena) {
    while (arena->blocks) {
        struct arena_block *block = arena->blocks;
        arena->blocks = block->next;
        free(block);
    }
}
