// How alike two paths are: the score by which a request is given the recorded answer of another path. Pure.
// Does not decode: paths are compared as they stand on the wire, without their queries; capitals count.
//
// A path is segments between "/"s. The last one that is not empty is its name, those before it are its
// directories. A segment is tokens: stretches of ASCII letters and digits, or of other bytes from 0x80 on. A
// token is volatile if it has a digit, or is eight letters or more that are all hexadecimal digits or whose
// case changes at two of five places at least; else it is a word. Volatile tokens look alike if both
// - are digits only,
// - are letters and then digits (v1234, chunk7), with the same letters, or
// - neither: six hexadecimal digits or more, and all others (a1b2c3, YejHOC0hrBY).
//
// Two segments are as alike as twice the points of tokens that pair up over the tokens of both: 1 point for
// the same token, wherever in the segment, 0.9 for volatile ones that look alike. 1 if the segments are the
// same.
//
// The words of two names have to be the same ones, but for those of a list (which stand beside a ","): else
// the paths are not alike at all, as cat.png and dog.png are not. Directories pair up from the front while
// they are the same, from the back likewise, and what is left in order. With D, twice the sum of how alike
// the pairs are over the directories of both, and N for the names, the score is (D + N) / 2, or N if there
// are no directories.
//
//   /_next/static/chunks/a1b2c3.js   /_next/static/chunks/d4e5f6.js   0.98
//   /v1234/app.js                    /v1235/app.js                    0.95
//   /js/app.js                       /static/js/app.js                0.83
//   /en/app.js                       /de/app.js                       0.5
//   /js/vendor.a1b2c3.js             /js/main.d4e5f6.js               0
#pragma once

#include <stddef.h>

// Less is no match.
#define PATH_SIMILARITY_LEAST 0.8

// A hostile path must not cost its square: further directories, and a segment's further tokens, do not count.
enum { PATH_DIRECTORIES_MAX = 32, PATH_TOKENS_MAX = 64 };

// 0 to 1.
double path_similarity(const char *a, size_t a_size, const char *b, size_t b_size);
