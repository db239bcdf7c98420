// A file of records of numbers over time: a header, one line of JSON
// {"schema":"trilane/records/1","columns":["time_ns",...]}, and then records, each of one little-endian
// 64-bit number for each column. Only appended to: a reader ignores a last record that was cut off. Written
// in batches, by the caller's thread. Does not know what the columns mean.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define RECORD_UNAVAILABLE UINT64_MAX // in place of a number

struct record_file;

// Makes the file, or empties it, and writes its header. `columns` has `count` names, at least one. 0, or -1
// with errno.
int record_file_open(struct record_file **out, const char *path, const char *const *columns, size_t count);

// One record, of as many numbers as there are columns. 0, or -1 with errno: the file takes no more (a full
// disk), and ends with a whole record.
int record_file_add(struct record_file *file, const uint64_t *values);

// Writes what waits for its batch, so that a process that is killed has lost none of it. 0, or -1 with errno.
int record_file_flush(struct record_file *file);

// Writes what is left, and closes. 0, or -1 with errno: not all of it is in the file. NULL is no file: 0.
int record_file_close(struct record_file *file);
