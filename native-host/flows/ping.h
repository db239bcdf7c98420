// Round trips beside the flows: the near end sends a small UDP datagram at each interval, the far end returns
// it. What a datagram waits at an end for its program to run is left out: the kernel stamps arrivals, and the
// far end says how long it kept one. Does not judge.
#pragma once

#include "base/loop.h"

#include <stddef.h>
#include <stdint.h>

struct ping;

struct ping_reply {
    uint64_t sent_ns; // CLOCK_MONOTONIC
    uint64_t rtt_ns;
};

// Far: returns what comes. Near: sends to `address` from now on, every `interval_ns`. 0, or -1 with errno.
int ping_answer(struct ping **out, struct loop *loop, uint16_t port);
int ping_send(struct ping **out, struct loop *loop, const char *address, uint16_t port, uint64_t interval_ns);

void ping_stop(struct ping *ping);  // sends no more; NULL: nothing
void ping_close(struct ping *ping); // NULL: nothing

// Of the near end: how many were sent, and the replies, `count` of them, in the order of their coming.
uint64_t ping_sent(const struct ping *ping);
const struct ping_reply *ping_replies(const struct ping *ping, size_t *count);
