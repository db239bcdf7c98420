// A file of numbers, one a line or separated by white space: what a loss or a jitter does to each packet, as
// it was measured. Read once; wraps. Does not know what the numbers mean.
#pragma once

#include <stddef.h>
#include <stdint.h>

struct number_file;

// NULL after an error, with its line (which names file, line and remedy) in `error`: not a regular file, no
// number, or something that is no decimal number from 0 to `max`. White space is spaces, tabs, line feeds and
// carriage returns; a number has at most 63 bytes, perhaps a sign, a point and an exponent. The examples are
// schemas/examples/number-files.json.
struct number_file *number_file_open(const char *path, double max, char *error, size_t error_size);
// The same for another owner; each closes it, and only one thread at a time owns or closes.
struct number_file *number_file_share(struct number_file *file);
void number_file_close(struct number_file *file); // NULL: nothing

uint64_t number_file_count(const struct number_file *file); // at least 1
double number_file_at(const struct number_file *file,
                      uint64_t n); // the n-th, from 0; again from the start after the last
