// The CPU time of a session's processes, as the scheduler counts it. Not of threads that have ended.
#pragma once

#include <stdint.h>
#include <sys/types.h>

uint64_t used_cpu_ns(pid_t session);
