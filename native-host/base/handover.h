// Data and descriptors sent to another process over a Unix socket, in one message.
#pragma once

#include <stddef.h>
#include <sys/types.h>

enum { HANDOVER_MAX = 128 };

// At least a byte. 0, or -1 with errno.
int handover_send(int to, const void *data, size_t size, const int *descriptors, size_t count);
// The data's size; 0: none came, as the other side is gone; -1 with errno. `*count` descriptors
// (close-on-exec) came, at most as many as it said before.
ssize_t handover_receive(int from, void *data, size_t size, int *descriptors, size_t *count);
