// A query string taken apart, and how alike two of them are: the score of the fuzzy match. Pure. Does not
// decode: parameters are compared as they stand on the wire.
//
// Parameters stand between "&"s, as NAME=VALUE; one without "=" is a value without a name. A value is
// volatile if it looks like a time stamp, a counter or a random number: six digits or more, digits with a
// fraction of six digits or more, a UUID, 16 hexadecimal digits or more, or 16 or more letters, digits, "-"
// and "_" of which at least two are digits and two are letters. Two queries get, for each parameter that
// pairs up (each pairs with one of the other's at most, in order):
//   8 points  same name, same value
//   6 points  same name, another value, both volatile and of the same looks
//   2 points  same name, another value
// Their similarity is twice these points over 8 for each parameter of both: 1 where all are the same, 0 where
// no name is.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A hostile query must not cost its square: later parameters do not count.
enum { QUERY_PARAMETERS_MAX = 64 };

// Points are added up by parts, so that a part that many queries share is looked at once: for equal names,
// for volatile values of the same looks under equal names, and for equal values more.
enum {
    QUERY_POINTS_FULL = 8,
    QUERY_POINTS_NAME = 2,
    QUERY_POINTS_LOOKS = 4,
    QUERY_POINTS_VALUE = QUERY_POINTS_FULL - QUERY_POINTS_NAME,
    QUERY_POINTS_VOLATILE_VALUE = QUERY_POINTS_FULL - QUERY_POINTS_NAME - QUERY_POINTS_LOOKS
};

// Hashes. Where the same comes twice in one query, the second has another hash than the first.
struct query {
    uint64_t names[QUERY_PARAMETERS_MAX]; // in ascending order
    uint64_t looks[QUERY_PARAMETERS_MAX]; // of names and looks of volatile values, in ascending order
    uint64_t pairs[QUERY_PARAMETERS_MAX]; // of names and values, in the query's order
    bool pair_is_volatile[QUERY_PARAMETERS_MAX];
    size_t count; // of names and of pairs
    size_t looks_count;
};

// From the "?" on, or empty.
void query_parse(struct query *query, const char *text, size_t size);

// 0 to 1, of that many points (what queries share, by the weights above) for queries of so many parameters.
double query_similarity(unsigned points, size_t a_count, size_t b_count);
