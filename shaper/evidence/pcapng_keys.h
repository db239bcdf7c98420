// TLS keys on their way into a capture: reads the lines that programs append to a key log (SSLKEYLOGFILE),
// and keeps the capture's Decryption Secrets Block up to date. Runs in the capture's writing thread.
#pragma once

#include "base/buf.h"

#include <stdbool.h>

// The place kept at the capture's beginning: some 1500 connections. Takes no room on the disk until used.
enum { PCAPNG_KEYS_PLACE = 1 << 20 };

struct pcapng_keys {
    const char *path; // of the key log; need not exist yet
    uint64_t place;   // where in the capture; 0: no place, keys stand where they come
    uint64_t read_bytes;
    struct buf lines; // whole lines read so far
    size_t written;   // of them
    bool full_noted;
};

void pcapng_keys_open(struct pcapng_keys *keys, const char *path, uint64_t place);
void pcapng_keys_close(struct pcapng_keys *keys);

// A file_writer_options.between: looks for new lines and writes them to the capture.
void pcapng_keys_between(void *keys, int fd);
