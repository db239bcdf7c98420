// The filter of system calls by which a process and all that it starts ask before they address a packet or a
// connection to somebody: connect, sendto with an address, sendmmsg. Decides nothing; gate.h does.
//
// Not asked for is sendmsg, by which the processes of a browser talk to one another all the time: Chromium
// sends no datagram with it. io_uring, which does all of these past the filter, is as if the kernel had none.
#ifndef TRILANE_GUARD_CONNECT_FILTER_H
#define TRILANE_GUARD_CONNECT_FILTER_H

// For this process, those that it starts, and for ever: they gain no privileges any more (no_new_privs).
// Returns the descriptor at which the questions are answered, or -1 with errno (EBUSY where another one
// answers already).
int connect_filter_install(void);

#endif
