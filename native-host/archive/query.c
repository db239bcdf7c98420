#include "archive/query.h"

#include <string.h>

// Beyond that many parameters only the common prefix tells queries apart: a hostile query must not cost its
// square.
enum { PARAMETERS_MAX = 64 };

struct parameter {
    const char *text;
    size_t size;
    size_t name_size;
    bool used; // already paired with one of the other query
};

static size_t split(const char *query, size_t size, struct parameter parameters[PARAMETERS_MAX]) {
    size_t count = 0;
    const char *end = query + size;
    if (size > 0 && *query == '?') query++;
    while (query < end && count < PARAMETERS_MAX) {
        const char *stop = memchr(query, '&', (size_t)(end - query));
        if (!stop) stop = end;
        if (stop > query) {
            struct parameter *parameter = &parameters[count++];
            const char *equals = memchr(query, '=', (size_t)(stop - query));
            *parameter = (struct parameter){.text = query,
                                            .size = (size_t)(stop - query),
                                            .name_size = (size_t)((equals ? equals : stop) - query)};
        }
        if (stop == end) break;
        query = stop + 1;
    }
    return count;
}

// Pairs each parameter with one of the other query at most.
static size_t pair_up(struct parameter *a, size_t a_count, struct parameter *b, size_t b_count,
                      bool with_value) {
    size_t pairs = 0;
    for (size_t i = 0; i < a_count; i++) {
        for (size_t j = 0; j < b_count && !a[i].used; j++) {
            size_t size = with_value ? a[i].size : a[i].name_size;
            if (b[j].used || (with_value ? b[j].size : b[j].name_size) != size) continue;
            if (memcmp(a[i].text, b[j].text, size) != 0) continue;
            a[i].used = b[j].used = true;
            pairs++;
        }
    }
    return pairs;
}

struct query_likeness query_compare(const char *asked, size_t asked_size, const char *recorded,
                                    size_t recorded_size) {
    struct parameter a[PARAMETERS_MAX];
    struct parameter b[PARAMETERS_MAX];
    size_t a_count = split(asked, asked_size, a);
    size_t b_count = split(recorded, recorded_size, b);
    struct query_likeness likeness = {.equal_parameters = pair_up(a, a_count, b, b_count, true)};
    likeness.equal_names = likeness.equal_parameters + pair_up(a, a_count, b, b_count, false);
    size_t shorter = asked_size < recorded_size ? asked_size : recorded_size;
    while (likeness.common_prefix_bytes < shorter &&
           asked[likeness.common_prefix_bytes] == recorded[likeness.common_prefix_bytes])
        likeness.common_prefix_bytes++;
    return likeness;
}

bool query_is_liker(const struct query_likeness *a, const struct query_likeness *b) {
    if (a->equal_parameters != b->equal_parameters) return a->equal_parameters > b->equal_parameters;
    if (a->equal_names != b->equal_names) return a->equal_names > b->equal_names;
    return a->common_prefix_bytes > b->common_prefix_bytes;
}
