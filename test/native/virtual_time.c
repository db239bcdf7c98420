// Virtual time: in a program that links this file CLOCK_MONOTONIC stands still while the program computes,
// and moves on when its loop waits, to the time that the loop's timer is set to. So how busy the machine is
// changes nothing. For tests whose both ends run in one loop (base/loop.h): who else would act meanwhile has
// no time to. These functions take the place of libc's, for quiche's Rust, too.
#include "test/native/virtual_time.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static const uint64_t S_NS = 1000000000;
// Of each reading, so that what follows is later.
static const uint64_t STEP_NS = 1000;

static uint64_t now_ns = 1000 * 1000000000ULL;
static int timer_fd = -1;
static uint64_t due_ns; // 0: not armed
static uint64_t late_ns;

static struct timespec timespec_of(uint64_t ns) {
    return (struct timespec){.tv_sec = (time_t)(ns / S_NS), .tv_nsec = (long)(ns % S_NS)};
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    if (clock != CLOCK_MONOTONIC) return (int)syscall(SYS_clock_gettime, clock, time);
    now_ns += STEP_NS;
    *time = timespec_of(now_ns);
    return 0;
}

int timerfd_settime(int fd, int flags, const struct itimerspec *when, struct itimerspec *before) {
    static const struct itimerspec never;
    if (!(flags & TFD_TIMER_ABSTIME) || when->it_interval.tv_sec != 0 || when->it_interval.tv_nsec != 0)
        abort();
    timer_fd = fd;
    due_ns = (uint64_t)when->it_value.tv_sec * S_NS + (uint64_t)when->it_value.tv_nsec;
    return (int)syscall(SYS_timerfd_settime, fd, 0, &never, before);
}

// Its timer runs out only if there is nothing else.
int epoll_wait(int epoll, struct epoll_event *events, int count_max, int timeout_ms) {
    static const struct itimerspec at_once = {.it_value.tv_nsec = 1};
    const int count = epoll_pwait(epoll, events, count_max, 0, NULL);
    if (count != 0 || due_ns == 0 || timeout_ms == 0) return count;
    if (now_ns < due_ns) now_ns = due_ns;
    now_ns += late_ns;
    due_ns = 0;
    if (syscall(SYS_timerfd_settime, timer_fd, 0, &at_once, NULL) < 0) return -1;
    return epoll_pwait(epoll, events, count_max, timeout_ms, NULL);
}

void virtual_time_set_late(uint64_t ns) {
    late_ns = ns;
}
