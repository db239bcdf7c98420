// What a command printed, as far as it is kept: its beginning and its end, so that a flood costs no memory.
// Reads no descriptor.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { KEPT_HALF = 256 * 1024 };

struct kept_output {
    uint64_t size; // of all that was printed
    char head[KEPT_HALF];
    char tail[KEPT_HALF]; // a ring: of what follows the head the last bytes
};

void kept_output_add(struct kept_output *kept, const char *bytes, size_t size);

// Whether bytes in the middle are missing.
int kept_output_is_cut(const struct kept_output *kept);

// Writes what is kept; where bytes are missing, a line of its own says so. 0, or -1 with errno.
int kept_output_write(const struct kept_output *kept, FILE *file);
