// One thread's event loop: epoll for descriptors, one timerfd for all timers (nanoseconds; epoll's own
// time-out is whole milliseconds), a signalfd. Does not buffer, accept or read: callbacks do.
#pragma once

#include <stddef.h>
#include <stdint.h>

struct loop;

// A descriptor to watch; owned by the caller, at a fixed address while watched.
struct loop_watch {
    int fd;
    void (*ready)(void *context, uint32_t events); // EPOLLIN, EPOLLOUT, ...
    void *context;
};

// A timer; owned by the caller, zeroed before first use, at a fixed address while set.
struct loop_timer {
    void (*due)(void *context, uint64_t now_ns);
    void *context;
    uint64_t due_ns;     // absolute, CLOCK_MONOTONIC
    size_t place_plus_1; // its place in the loop's heap; 0 when not set
};

// 0, or -1 with errno.
int loop_open(struct loop **loop);
void loop_close(struct loop *loop); // closes no watched descriptor

int loop_add(struct loop *loop, struct loop_watch *watch, uint32_t events);
int loop_modify(struct loop *loop, struct loop_watch *watch, uint32_t events);
// Safe from any callback, also for a watch that is still to be called in this turn: it is not called any
// more.
void loop_remove(struct loop *loop, struct loop_watch *watch);

// Sets or moves the timer; a time in the past is due in this or the next turn. 0, or -1 when memory is short.
int loop_timer_set(struct loop *loop, struct loop_timer *timer, uint64_t due_ns);
void loop_timer_clear(struct loop *loop, struct loop_timer *timer);

// Calls `turn_end` once after each turn's callbacks, before the next wait: the place to flush what a turn
// gathered.
void loop_on_turn_end(struct loop *loop, void (*turn_end)(void *context), void *context);

// Takes these signals (0-terminated list) out of normal delivery and into `signalled`. 0, or -1 with errno.
int loop_on_signals(struct loop *loop, const int *signals, void (*signalled)(void *context, int signal),
                    void *context);

// When this turn's events were there: before any callback of the turn. CLOCK_MONOTONIC.
uint64_t loop_turn_ns(const struct loop *loop);

// Runs until loop_stop. 0, or -1 with errno.
int loop_run(struct loop *loop);
void loop_stop(struct loop *loop);
