// Sending a phase's datagrams and recording those that arrive, each with the kernel's own time of its
// arrival, so that a receiver that is not let run at once does not spoil the measure. Times are
// CLOCK_REALTIME's, in which the kernel stamps. Does not compare.
#pragma once

#include "shaper/probe/phase.h"

uint64_t datagrams_now_ns(void);

// sent_ns[count]: when each was handed to the kernel; of a flood, when the kernel had handed it on. False
// with errno.
bool datagrams_send(int fd, const struct phase *phase, uint64_t *sent_ns);

struct arrival {
    uint64_t number;
    uint64_t time_ns;
};

struct arrivals {
    struct arrival *list; // in the order of arrival; free() it
    uint64_t count;
    uint64_t capacity;
    uint64_t overrun; // arrived, but there was no room for them in the socket: not in the list
};

struct receiver {
    int fd;
    uint64_t overrun; // of all phases so far
};

// A socket bound to the address and port, with as much room as the system lets us have: what a receiver that
// is not let run for longer than that fills it loses is in `overrun`. False with errno.
bool datagrams_open(struct receiver *receiver, const char *address, uint16_t port);

// Records until over_fd is readable, which means that all were sent, and then, unless every number has come
// before, for the phase's drain time. What is not of this phase is left out. False with errno.
bool datagrams_receive(struct receiver *receiver, const struct phase *phase, int over_fd,
                       struct arrivals *arrivals);

// Throws away what an earlier phase left.
void datagrams_discard(struct receiver *receiver);
