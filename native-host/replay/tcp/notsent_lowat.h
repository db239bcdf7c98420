// How much of a TCP connection may wait in the kernel for the window: little, so that what goes next is
// decided late and an urgent response soon has its turn; but enough that the link never waits for us. No more
// than a quarter of the congestion window, as the wait counts in round trips. Does not send.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NOTSENT_LOWAT_MOST_BYTES = 16 * 1024, NOTSENT_LOWAT_LEAST_BYTES = 4 * 1024 };

struct notsent_lowat {
    uint32_t limit_bytes;  // as the socket's TCP_NOTSENT_LOWAT
    bool unbounded;        // the socket's buffer is the bound
    uint64_t unsent_bytes; // that wait, at most: as the kernel last reported, and what it was given since
};

// Of an accepted socket, whose TCP_NOTSENT_LOWAT is NOTSENT_LOWAT_MOST_BYTES.
void notsent_lowat_init(struct notsent_lowat *ahead);
// Bounds no more. Before anything is sent.
void notsent_lowat_unbound(struct notsent_lowat *ahead, int fd);
// Follows the window; to be called now and then.
void notsent_lowat_update(struct notsent_lowat *ahead, int fd);
// The kernel has been given so many more.
void notsent_lowat_sent(struct notsent_lowat *ahead, size_t size);
// False: later, when the socket is writable for epoll, which goes by the same measure. True also where the
// kernel does not tell, as it is no TCP socket.
bool notsent_lowat_has_room(struct notsent_lowat *ahead, int fd);
