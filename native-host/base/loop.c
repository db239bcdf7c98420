#include "base/loop.h"

#include "base/clock.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum { EVENTS_PER_TURN = 64 };

struct loop {
    int epoll;
    int timer_fd;
    uint64_t armed_ns; // what timer_fd is set to; 0: not armed
    bool running;

    struct loop_timer **heap; // binary min-heap by due_ns
    size_t heap_size;
    size_t heap_capacity;

    struct epoll_event events[EVENTS_PER_TURN]; // of this turn
    int event_count;
    uint64_t turn_ns; // when they were there

    void (*turn_end)(void *context);
    void *turn_end_context;

    struct loop_watch signal_watch;
    void (*signalled)(void *context, int signal);
    void *signalled_context;
};

int loop_open(struct loop **out) {
    struct loop *loop = calloc(1, sizeof *loop);
    if (!loop) return -1;
    loop->signal_watch.fd = -1;
    loop->epoll = epoll_create1(EPOLL_CLOEXEC);
    loop->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    // Edge-triggered, so that its expirations need not be read: setting it anew forgets them.
    struct epoll_event timer_event = {.events = EPOLLIN | EPOLLET, .data.ptr = NULL};
    if (loop->epoll < 0 || loop->timer_fd < 0 ||
        epoll_ctl(loop->epoll, EPOLL_CTL_ADD, loop->timer_fd, &timer_event) < 0) {
        int error = errno;
        loop_close(loop);
        errno = error;
        return -1;
    }
    prctl(PR_SET_TIMERSLACK, 1UL); // the default, 50 us, would be the largest error of an emulated link
    *out = loop;
    return 0;
}

void loop_close(struct loop *loop) {
    if (!loop) return;
    if (loop->signal_watch.fd >= 0) close(loop->signal_watch.fd);
    if (loop->timer_fd >= 0) close(loop->timer_fd);
    if (loop->epoll >= 0) close(loop->epoll);
    free(loop->heap);
    free(loop);
}

int loop_add(struct loop *loop, struct loop_watch *watch, uint32_t events) {
    struct epoll_event event = {.events = events, .data.ptr = watch};
    return epoll_ctl(loop->epoll, EPOLL_CTL_ADD, watch->fd, &event);
}

int loop_modify(struct loop *loop, struct loop_watch *watch, uint32_t events) {
    struct epoll_event event = {.events = events, .data.ptr = watch};
    return epoll_ctl(loop->epoll, EPOLL_CTL_MOD, watch->fd, &event);
}

void loop_remove(struct loop *loop, struct loop_watch *watch) {
    epoll_ctl(loop->epoll, EPOLL_CTL_DEL, watch->fd, NULL);
    for (int i = 0; i < loop->event_count; i++)
        if (loop->events[i].data.ptr == watch) loop->events[i].events = 0;
}

static void heap_put(struct loop *loop, size_t place, struct loop_timer *timer) {
    loop->heap[place] = timer;
    timer->place_plus_1 = place + 1;
}

static void heap_up(struct loop *loop, size_t place) {
    struct loop_timer *timer = loop->heap[place];
    while (place > 0 && loop->heap[(place - 1) / 2]->due_ns > timer->due_ns) {
        heap_put(loop, place, loop->heap[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    heap_put(loop, place, timer);
}

static void heap_down(struct loop *loop, size_t place) {
    struct loop_timer *timer = loop->heap[place];
    for (;;) {
        size_t child = 2 * place + 1;
        if (child >= loop->heap_size) break;
        if (child + 1 < loop->heap_size && loop->heap[child + 1]->due_ns < loop->heap[child]->due_ns) child++;
        if (loop->heap[child]->due_ns >= timer->due_ns) break;
        heap_put(loop, place, loop->heap[child]);
        place = child;
    }
    heap_put(loop, place, timer);
}

int loop_timer_set(struct loop *loop, struct loop_timer *timer, uint64_t due_ns) {
    if (timer->place_plus_1 > 0) {
        uint64_t before_ns = timer->due_ns;
        timer->due_ns = due_ns;
        if (due_ns < before_ns)
            heap_up(loop, timer->place_plus_1 - 1);
        else
            heap_down(loop, timer->place_plus_1 - 1);
        return 0;
    }
    if (loop->heap_size == loop->heap_capacity) {
        size_t capacity = loop->heap_capacity ? loop->heap_capacity * 2 : 64;
        struct loop_timer **heap = realloc(loop->heap, capacity * sizeof *heap);
        if (!heap) return -1;
        loop->heap = heap;
        loop->heap_capacity = capacity;
    }
    timer->due_ns = due_ns;
    loop->heap[loop->heap_size] = timer;
    heap_up(loop, loop->heap_size++);
    return 0;
}

void loop_timer_clear(struct loop *loop, struct loop_timer *timer) {
    if (timer->place_plus_1 == 0) return;
    size_t place = timer->place_plus_1 - 1;
    timer->place_plus_1 = 0;
    struct loop_timer *last = loop->heap[--loop->heap_size];
    if (last == timer) return;
    heap_put(loop, place, last);
    heap_up(loop, place);
    heap_down(loop, last->place_plus_1 - 1);
}

void loop_on_turn_end(struct loop *loop, void (*turn_end)(void *context), void *context) {
    loop->turn_end = turn_end;
    loop->turn_end_context = context;
}

static void read_signals(void *context, uint32_t events) {
    struct loop *loop = context;
    (void)events;
    struct signalfd_siginfo info;
    while (read(loop->signal_watch.fd, &info, sizeof info) == sizeof info)
        loop->signalled(loop->signalled_context, (int)info.ssi_signo);
}

int loop_on_signals(struct loop *loop, const int *signals, void (*signalled)(void *context, int signal),
                    void *context) {
    sigset_t set;
    sigemptyset(&set);
    for (; *signals; signals++)
        sigaddset(&set, *signals);
    if (sigprocmask(SIG_BLOCK, &set, NULL) < 0) return -1;
    int fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    if (fd < 0) return -1;
    loop->signalled = signalled;
    loop->signalled_context = context;
    loop->signal_watch = (struct loop_watch){.fd = fd, .ready = read_signals, .context = loop};
    return loop_add(loop, &loop->signal_watch, EPOLLIN);
}

// Runs the timers that were due when the turn's descriptors had been served; later ones wait for the next
// turn, so that timers do not starve descriptors.
static void run_timers(struct loop *loop) {
    uint64_t now_ns = clock_now_ns();
    while (loop->heap_size > 0 && loop->heap[0]->due_ns <= now_ns) {
        struct loop_timer *timer = loop->heap[0];
        loop_timer_clear(loop, timer);
        timer->due(timer->context, now_ns);
        if (!loop->running) return;
    }
}

static int arm(struct loop *loop) {
    uint64_t due_ns = loop->heap_size > 0 ? loop->heap[0]->due_ns : 0;
    if (loop->heap_size > 0 && due_ns == 0) due_ns = 1; // 0 would disarm
    if (due_ns == loop->armed_ns) return 0;
    loop->armed_ns = due_ns;
    struct itimerspec when = {
        .it_value = {.tv_sec = (time_t)(due_ns / NS_PER_S), .tv_nsec = (long)(due_ns % NS_PER_S)}};
    return timerfd_settime(loop->timer_fd, TFD_TIMER_ABSTIME, &when, NULL);
}

int loop_run(struct loop *loop) {
    loop->running = true;
    loop->armed_ns = 0; // a run that was stopped may have left the timer's edge unseen
    while (loop->running) {
        if (arm(loop) < 0) return -1;
        int count = epoll_wait(loop->epoll, loop->events, EVENTS_PER_TURN, -1);
        if (count < 0 && errno != EINTR) return -1;
        loop->turn_ns = clock_now_ns();
        loop->event_count = count > 0 ? count : 0;
        for (int i = 0; i < loop->event_count && loop->running; i++) {
            struct loop_watch *watch = loop->events[i].data.ptr;
            if (!watch)
                loop->armed_ns = 0;
            else if (loop->events[i].events)
                watch->ready(watch->context, loop->events[i].events);
        }
        loop->event_count = 0;
        if (loop->running) run_timers(loop);
        if (loop->turn_end) loop->turn_end(loop->turn_end_context);
    }
    return 0;
}

uint64_t loop_turn_ns(const struct loop *loop) {
    return loop->turn_ns;
}

void loop_stop(struct loop *loop) {
    loop->running = false;
}
