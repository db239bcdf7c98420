// The CPU time of a session's processes, as the scheduler counts it. Not of threads that have ended.
#ifndef TRILANE_ORIGIN_SERVER_USED_CPU_H
#define TRILANE_ORIGIN_SERVER_USED_CPU_H

#include <stdint.h>
#include <sys/types.h>

uint64_t used_cpu_ns(pid_t session);

#endif
