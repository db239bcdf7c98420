// How alike two query strings are: the score of the fuzzy match. Pure. Does not decode: parameters are
// compared as they stand on the wire.
#ifndef TRILANE_ARCHIVE_QUERY_H
#define TRILANE_ARCHIVE_QUERY_H

#include <stdbool.h>
#include <stddef.h>

struct query_likeness {
    size_t equal_parameters; // name and value
    size_t equal_names;      // these and those with another value
    size_t common_prefix_bytes;
};

// Both from their '?' on, or empty.
struct query_likeness query_compare(const char *asked, size_t asked_size, const char *recorded,
                                    size_t recorded_size);

// `a` is strictly better than `b`: the members count in their order.
bool query_is_liker(const struct query_likeness *a, const struct query_likeness *b);

#endif
