// The walls of a program of ours that is set up and now serves strangers: what it can still do, even if one
// of them takes it over. Raised once, in the process that starts no program any more, after the last one was
// started and before the first thread. Costs nothing later: the kernel knows which calls the filter always
// allows.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

#define WALLS_CAPABILITY(number) (UINT64_C(1) << (number))

// For the list of a program that makes connections.
#define WALLS_NETWORK                                                                                        \
    __NR_socket, __NR_socketpair, __NR_bind, __NR_connect, __NR_listen, __NR_accept, WALLS_MESSAGES
// For one whose sockets are open already.
#define WALLS_MESSAGES                                                                                       \
    __NR_accept4, __NR_getsockname, __NR_getpeername, __NR_getsockopt, __NR_setsockopt, __NR_sendto,         \
        __NR_sendmsg, __NR_sendmmsg, __NR_recvfrom, __NR_recvmsg, __NR_recvmmsg, __NR_shutdown

enum { WALLS_PATHS = 6 };

struct walls {
    uint64_t capabilities; // to keep, a bit each (linux/capability.h)

    // System calls besides those of every program (walls.c): kept beside the program's source. Any other is
    // as if the kernel had none (ENOSYS).
    const unsigned *calls;
    size_t call_count;

    // Besides system folders. NULLs count as none. A file to write means its folder, in which it is made
    // under another name first; so does one to read that is not there yet.
    const char *reads[WALLS_PATHS];
    const char *writes[WALLS_PATHS];
    bool moves_files; // in there, from folder to folder, and makes pipes; kernels before 5.19 cannot wall
                      // that in
    bool any_file;    // all files: it looks into processes, which the wall around files forbids, too
};

// 0, or -1 with errno. A kernel without Landlock has no wall around files, which is no error (`trilane
// doctor` says so).
int walls_raise(const struct walls *walls);

// The same, and a line if it failed.
void walls_raise_or_say(const struct walls *walls);

// Whether this kernel has a wall around files.
bool walls_have_files(void);
