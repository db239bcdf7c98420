// A file that a thread of its own writes, from a bounded buffer: whoever adds to it never waits for a disk.
// What does not fit in the buffer, because the disk is slower than the link, is left out whole and counted; a
// file that cannot be written any more (a full disk) ends with a whole record, with one line on stderr, and
// the link continues. Does not know what records are.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

struct file_writer;

struct file_writer_options {
    const char *name; // for lines on stderr: "log"
    const char *path; // made or emptied; kept by pointer
    size_t capacity_bytes;
    // Called by the writing thread between records, at least every 50 ms or so and once at the end, but not
    // before what was added before file_writer_start is written: may write to fd by itself. NULL: not called.
    void (*between)(void *context, int fd);
    void *context;
};

// Opens the file; what is added waits for file_writer_start. 0, or -1 with errno.
int file_writer_open(struct file_writer **out, const struct file_writer_options *options);

// Whether one can go back in it: a file, and not a pipe.
bool file_writer_is_regular(const struct file_writer *writer);

// Starts the thread. After the last fork: a thread's locks do not survive one. 0, or -1 with errno.
int file_writer_start(struct file_writer *writer);

// Adds a record made of parts, whole or not at all. From one thread only.
void file_writer_add(struct file_writer *writer, const struct iovec *parts, int count);

// Records left out so far because the buffer was full. The caller notes it in the file.
uint64_t file_writer_left_out(const struct file_writer *writer);

// Writes what is left, waiting for at most some seconds, and closes. 0, or -1 where the file is not whole: a
// line on stderr has said why. NULL is no writer: 0.
int file_writer_close(struct file_writer *writer);
