// What /proc says of a server: which ports of the network namespace are listened on, and the CPU time of a
// session's processes. Opens no socket.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// Of TCP: a listener. Of UDP: a socket that is bound and not connected.
bool listening_on(const char *protocol, uint16_t port); // "tcp", "udp"

// "80, 8443" of TCP, for people; "no port" if there are none.
void listening_list(char *text, size_t size);

// As the scheduler counts it. Not of threads that have ended.
uint64_t used_cpu_ns(pid_t session);
