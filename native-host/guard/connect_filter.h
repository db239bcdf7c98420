// The filter of system calls by which a process and all that it starts ask before they address a packet or a
// connection to somebody: connect, sendto with an address, sendmsg, sendmmsg. Decides nothing; gate.h does.
// The processes of a browser talk to one another by sendmsg all the time, and where its address is, the
// filter cannot see: each of them waits for the gate.
//
// Ways past these calls are closed, all by what stands in registers, which no other thread can change:
// sockets of other families and protocols than a browser's, routes that a socket or io_uring would take by
// itself, descriptors shared by processes, and other processes' memory.
#pragma once

// For this process, those that it starts, and for ever: they gain no privileges any more (no_new_privs).
// Returns the descriptor at which the questions are answered (close-on-exec), or -1 with errno (EBUSY where
// another one answers already).
int connect_filter_install(void);
