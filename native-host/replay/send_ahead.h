// How much of a TCP connection may wait in the kernel for the window: little, so that what goes next is
// decided late and an urgent response soon has its turn; but enough that the link never waits for us. No more
// than a quarter of the congestion window, as the wait counts in round trips. Does not send.
#ifndef TRILANE_REPLAY_SEND_AHEAD_H
#define TRILANE_REPLAY_SEND_AHEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SEND_AHEAD_MOST_BYTES = 16 * 1024, SEND_AHEAD_LEAST_BYTES = 4 * 1024 };

struct send_ahead {
    uint32_t limit_bytes;  // as the socket's TCP_NOTSENT_LOWAT
    bool unbounded;        // the socket's buffer is the bound
    uint64_t unsent_bytes; // that wait, at most: as the kernel last told, and what it was given since
};

// Of an accepted socket, whose TCP_NOTSENT_LOWAT is SEND_AHEAD_MOST_BYTES.
void send_ahead_init(struct send_ahead *ahead);
// Bounds no more. Before anything is sent.
void send_ahead_unbound(struct send_ahead *ahead, int fd);
// Follows the window; to be called now and then.
void send_ahead_update(struct send_ahead *ahead, int fd);
// The kernel has been given so many more.
void send_ahead_sent(struct send_ahead *ahead, size_t size);
// False: later, when the socket is writable for epoll, which goes by the same measure. True also where the
// kernel does not tell, as it is no TCP socket.
bool send_ahead_has_room(struct send_ahead *ahead, int fd);

#endif
