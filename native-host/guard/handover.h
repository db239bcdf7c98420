// Descriptors sent to another process over a Unix socket.
#pragma once

#include <stddef.h>

enum { HANDOVER_MAX = 128 };

// In one message. 0, or -1 with errno.
int handover_send(int to, const int *descriptors, size_t count);
// How many came (close-on-exec), at most `max`; 0: none, as the other side is gone.
size_t handover_receive(int from, int *descriptors, size_t max);
