// How large TLS records the recorded servers made while a connection was young: a table by the address that a
// server is replayed from. Sends nothing: stream.c does.
#pragma once

#include "archive/recording.h"

#include <stdint.h>

struct record_sizes;

// Borrows the addresses of the recording, as origins_arrange left them. NULL when memory is short.
struct record_sizes *record_sizes_open(const struct recording *recording);
void record_sizes_close(struct record_sizes *sizes);

// In bytes of plaintext; 0: not known. Of several recorded servers at one address the largest.
uint32_t record_sizes_of(const struct record_sizes *sizes, const char *address);
