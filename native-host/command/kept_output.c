// The head fills first; what follows goes round in the tail.
#include "command/kept_output.h"

#include <inttypes.h>
#include <string.h>

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

void kept_output_add(struct kept_output *kept, const char *bytes, size_t size) {
    if (kept->size < KEPT_HALF) {
        size_t part = smaller(size, KEPT_HALF - (size_t)kept->size);
        memcpy(kept->head + kept->size, bytes, part);
        kept->size += part;
        bytes += part;
        size -= part;
    }
    while (size > 0) {
        size_t place = (size_t)((kept->size - KEPT_HALF) % KEPT_HALF);
        size_t part = smaller(size, KEPT_HALF - place);
        memcpy(kept->tail + place, bytes, part);
        kept->size += part;
        bytes += part;
        size -= part;
    }
}

int kept_output_is_cut(const struct kept_output *kept) {
    return kept->size > 2 * (uint64_t)KEPT_HALF;
}

static int put(const char *bytes, size_t size, FILE *file) {
    return fwrite(bytes, 1, size, file) == size ? 0 : -1;
}

int kept_output_write(const struct kept_output *kept, FILE *file) {
    size_t head = (size_t)(kept->size < KEPT_HALF ? kept->size : KEPT_HALF);
    if (put(kept->head, head, file) < 0) return -1;
    uint64_t rest = kept->size - head;
    if (!kept_output_is_cut(kept)) return put(kept->tail, (size_t)rest, file);
    if (fprintf(file, "\n[%" PRIu64 " bytes are missing here]\n", rest - KEPT_HALF) < 0) return -1;
    size_t oldest = (size_t)(rest % KEPT_HALF);
    if (put(kept->tail + oldest, KEPT_HALF - oldest, file) < 0) return -1;
    return put(kept->tail, oldest, file);
}
