// The filter of system calls by which a process and all that it starts ask before they address a packet or a
// connection to somebody: connect, sendto with an address, sendmsg, sendmmsg. Decides nothing; gate.h does.
//
// The processes of a browser talk to one another by sendmsg all the time, and where its address is, the
// filter cannot see: each of them waits for the gate. io_uring, which does all of these past the filter, is
// as if the kernel had none.
#ifndef TRILANE_GUARD_CONNECT_FILTER_H
#define TRILANE_GUARD_CONNECT_FILTER_H

#include <sys/socket.h>

// For this process, those that it starts, and for ever: they gain no privileges any more (no_new_privs).
// Returns the descriptor at which the questions are answered, or -1 with errno (EBUSY where another one
// answers already). Sending `handover` itself, that very structure, is not asked for: somebody else has to
// get the descriptor before anybody can answer.
int connect_filter_install(const struct msghdr *handover);

#endif
