#include "replay/tls/record_sizes.h"

#include <stdlib.h>
#include <string.h>

struct record_size {
    const char *address;
    uint32_t bytes;
};

struct record_sizes {
    size_t count;
    struct record_size list[]; // by address, and within one the largest first
};

static int compare(const void *a, const void *b) {
    const struct record_size *left = a;
    const struct record_size *right = b;
    int order = strcmp(left->address, right->address);
    return order != 0 ? order : (left->bytes < right->bytes) - (left->bytes > right->bytes);
}

static int compare_address(const void *address, const void *size) {
    return strcmp(address, ((const struct record_size *)size)->address);
}

struct record_sizes *record_sizes_open(const struct recording *recording) {
    struct record_sizes *sizes = calloc(1, sizeof *sizes + recording->exchange_count * sizeof sizes->list[0]);
    if (!sizes) return NULL;
    for (size_t i = 0; i < recording->exchange_count; i++) {
        const struct recorded_exchange *exchange = &recording->exchanges[i];
        if (exchange->record_bytes > 0)
            sizes->list[sizes->count++] = (struct record_size){exchange->address, exchange->record_bytes};
    }
    qsort(sizes->list, sizes->count, sizeof sizes->list[0], compare);
    size_t kept = 0;
    for (size_t i = 0; i < sizes->count; i++)
        if (kept == 0 || strcmp(sizes->list[kept - 1].address, sizes->list[i].address) != 0)
            sizes->list[kept++] = sizes->list[i];
    sizes->count = kept;
    return sizes;
}

void record_sizes_close(struct record_sizes *sizes) {
    free(sizes);
}

uint32_t record_sizes_of(const struct record_sizes *sizes, const char *address) {
    const struct record_size *found =
        bsearch(address, sizes->list, sizes->count, sizeof sizes->list[0], compare_address);
    return found ? found->bytes : 0;
}
