// Memory given back all at once: what a recording's rows, headers and facts point into.
#pragma once

#include <stddef.h>

// A zeroed arena is an empty one.
struct arena {
    struct arena_block *blocks;
};

// `size` bytes, aligned for anything, not cleared. NULL when memory is short.
void *arena_take(struct arena *arena, size_t size);
// A NUL-terminated copy. NULL when memory is short.
char *arena_copy(struct arena *arena, const char *text, size_t size);
void arena_free(struct arena *arena);
