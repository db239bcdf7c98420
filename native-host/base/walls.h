// The walls of a program of ours that is set up and now serves strangers: what it can no longer do, even if
// one of them takes it over. Raised once, in the process that starts no program any more, after the last one
// was started and before the first thread. Costs nothing later: the kernel knows which calls the filter
// always allows.
#pragma once

#include <stdint.h>

#define WALLS_CAPABILITY(number) (UINT64_C(1) << (number))

// From now on: no capabilities but `kept` (a bit each, linux/capability.h), none to gain (no_new_privs), and
// none of the system calls of walls.c. 0, or -1 with errno.
int walls_raise(uint64_t kept);
