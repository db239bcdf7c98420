// What the two ends of a probe say to each other beside the link, which may lose and delay: over a socket
// pair that the far end made and the shaper hands on. Does not know what is said.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// All of it; false where the other end has gone (errno 0) or on an error.
bool control_write(int fd, const void *bytes, size_t size);
bool control_read(int fd, void *bytes, size_t size);
