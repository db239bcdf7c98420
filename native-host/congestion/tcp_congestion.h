// The congestion controllers of the kernel's TCP, by name. The kernel's list is the only one: --congestion
// takes each that is in it, and schemas/serving.schema.json has those that plans may name.
#pragma once

#include <stddef.h>

enum { TCP_CONGESTION_NAME = 16 }; // the kernel's limit, with the final zero

// Whether this kernel has it. 0, or -1 with a line in `error` that names those it has.
int tcp_congestion_check(const char *name, char *error, size_t error_size);
// For one socket, as the default of a network namespace cannot be every controller. 0, or -1 with a line in
// `error`.
int tcp_congestion_set(int fd, const char *name, char *error, size_t error_size);
// "" if it is unknown.
void tcp_congestion_get(int fd, char name[TCP_CONGESTION_NAME]);
