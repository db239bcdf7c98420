// libtrilane_dilated_time.so: preloaded by trilane-dilate, it makes time pass K times slower for a program
// and all that it starts (Gupta et al., "To Infinity and Beyond: Time-Warped Network Emulation", NSDI 2006).
//
// Clocks run K times slower, waits take K times longer, and what the kernel says of times (receive time
// stamps, TCP_INFO) is converted, so that a program sees one consistent time. Every process has the same:
// dilated monotonic time is the kernel's divided by K, dilated wall time lies a constant (TRILANE_WALL_NS)
// above it.
//
// Does not reach timers inside the kernel (TCP's: shaper/tun/lab.c sets what routes can set), nor waits that
// a program asks of the kernel without the C library (futexes by syscall(): they end K times earlier than
// asked, as they may at any time).
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S INT64_C(1000000000)

// The time of a wall clock is far beyond any time since boot: this tells an absolute time's clock.
#define WALL_S 500000000

static int64_t dilation = 1, wall_ns;

// Before the constructor a program's time is the kernel's divided by 1; nothing but the loader runs then.
__attribute__((constructor)) static void read_environment(void) {
    const char *times = getenv("TRILANE_DILATION"), *wall = getenv("TRILANE_WALL_NS");
    long long value = times ? atoll(times) : 1;
    dilation = value >= 1 && value <= 1000 ? value : 1;
    wall_ns = wall ? atoll(wall) : 0;
}

static void *resolve(const char *name) {
    // Condition variables have an older version of another layout beside the one that programs are linked
    // with.
    void *symbol = strncmp(name, "pthread_cond_", 13) == 0 ? dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2") : NULL;
    return symbol ? symbol : dlsym(RTLD_NEXT, name);
}

// The C library's function that stands behind ours: looked up before there are threads, forks and signal
// handlers, or at a call before that. An older C library may lack one that then nobody calls.
#define NEXT(result, name, ...)                                                                              \
    static result (*next_##name)(__VA_ARGS__);                                                               \
    __attribute__((constructor)) static void find_##name(void) {                                             \
        void *symbol = resolve(#name);                                                                       \
        memcpy(&next_##name, &symbol, sizeof symbol);                                                        \
    }                                                                                                        \
    static result (*real_##name(void))(__VA_ARGS__) {                                                        \
        if (!next_##name) find_##name();                                                                     \
        if (!next_##name) abort();                                                                           \
        return next_##name;                                                                                  \
    }

// Some wait for ever by an absurd time: sums and products end at the largest number there is.
static int64_t sum(int64_t a, int64_t b) {
    int64_t result;
    if (!__builtin_add_overflow(a, b, &result)) return result;
    return a < 0 ? INT64_MIN : INT64_MAX;
}

static int64_t product(int64_t a, int64_t b) {
    int64_t result;
    if (!__builtin_mul_overflow(a, b, &result)) return result;
    return (a < 0) != (b < 0) ? INT64_MIN : INT64_MAX;
}

static int64_t ns_of(const struct timespec *t) {
    return sum(product(t->tv_sec, NS_PER_S), t->tv_nsec);
}

static int64_t ns_of_timeval(const struct timeval *t) {
    return sum(product(t->tv_sec, NS_PER_S), product(t->tv_usec, 1000));
}

static struct timespec timespec_of(int64_t ns) {
    if (ns < 0) ns = 0;
    return (struct timespec){.tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S};
}

static int64_t longer(int64_t ns) {
    return product(ns, dilation);
}

static int longer_ms(int ms) {
    return ms <= 0 ? ms : ms > INT_MAX / dilation ? INT_MAX : ms * (int)dilation;
}

static bool is_wall(clockid_t clock) {
    return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI ||
           clock == CLOCK_REALTIME_ALARM;
}

// ---- clocks

NEXT(int, clock_gettime, clockid_t, struct timespec *)

static int64_t kernel_ns(clockid_t clock) {
    struct timespec t = {0};
    real_clock_gettime()(clock, &t);
    return ns_of(&t);
}

// How far the kernel's wall clock is above its monotonic one.
static int64_t kernel_wall_ns(void) {
    return kernel_ns(CLOCK_REALTIME) - kernel_ns(CLOCK_MONOTONIC);
}

int clock_gettime(clockid_t clock, struct timespec *t) {
    if (dilation == 1) return real_clock_gettime()(clock, t);
    clockid_t asked = clock == CLOCK_REALTIME_COARSE ? CLOCK_MONOTONIC_COARSE
                      : is_wall(clock)               ? CLOCK_MONOTONIC
                                                     : clock;
    int result = real_clock_gettime()(asked, t);
    if (result == 0) *t = timespec_of(ns_of(t) / dilation + (is_wall(clock) ? wall_ns : 0));
    return result;
}

int gettimeofday(struct timeval *restrict t, void *restrict zone) {
    struct timespec now;
    if (zone) memset(zone, 0, sizeof(struct timezone));
    if (clock_gettime(CLOCK_REALTIME, &now) < 0) return -1;
    *t = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
    return 0;
}

time_t time(time_t *out) {
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    if (out) *out = now.tv_sec;
    return now.tv_sec;
}

// The kernel's time for a dilated one.
static struct timespec kernel_time(const struct timespec *t, bool wall) {
    int64_t ns = ns_of(t);
    return timespec_of(wall ? sum(longer(sum(ns, -wall_ns)), kernel_wall_ns()) : longer(ns));
}

static struct timespec kernel_deadline(const struct timespec *t) {
    return kernel_time(t, t->tv_sec > WALL_S);
}

// ---- sleeps

NEXT(int, clock_nanosleep, clockid_t, int, const struct timespec *, struct timespec *)

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *t, struct timespec *left) {
    if (t->tv_nsec < 0 || t->tv_nsec >= NS_PER_S || t->tv_sec < 0) return EINVAL;
    if (flags & TIMER_ABSTIME) {
        struct timespec until = kernel_time(t, is_wall(clock));
        return real_clock_nanosleep()(clock, flags, &until, left);
    }
    struct timespec span = timespec_of(longer(ns_of(t)));
    int result = real_clock_nanosleep()(clock, flags, &span, left);
    if (result == EINTR && left) *left = timespec_of(ns_of(left) / dilation);
    return result;
}

int nanosleep(const struct timespec *t, struct timespec *left) {
    int result = clock_nanosleep(CLOCK_MONOTONIC, 0, t, left);
    if (result == 0) return 0;
    errno = result;
    return -1;
}

int usleep(useconds_t us) {
    struct timespec t = {.tv_sec = us / 1000000, .tv_nsec = (long)(us % 1000000) * 1000};
    return nanosleep(&t, NULL);
}

unsigned sleep(unsigned seconds) {
    struct timespec t = {.tv_sec = seconds}, left = {0};
    return nanosleep(&t, &left) == 0 ? 0 : (unsigned)left.tv_sec + (left.tv_nsec > 0);
}

// ---- waits for descriptors

NEXT(int, poll, struct pollfd *, nfds_t, int)
int poll(struct pollfd *fds, nfds_t count, int timeout_ms) {
    return real_poll()(fds, count, longer_ms(timeout_ms));
}

NEXT(int, ppoll, struct pollfd *, nfds_t, const struct timespec *, const sigset_t *)
int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask) {
    struct timespec span = timeout ? timespec_of(longer(ns_of(timeout))) : (struct timespec){0};
    return real_ppoll()(fds, count, timeout ? &span : NULL, mask);
}

NEXT(int, select, int, fd_set *, fd_set *, fd_set *, struct timeval *)
int select(int count, fd_set *restrict in, fd_set *restrict out, fd_set *restrict error,
           struct timeval *restrict timeout) {
    if (!timeout) return real_select()(count, in, out, error, NULL);
    struct timespec span = timespec_of(longer(ns_of_timeval(timeout)));
    struct timeval left = {.tv_sec = span.tv_sec, .tv_usec = span.tv_nsec / 1000};
    int result = real_select()(count, in, out, error, &left);
    span = timespec_of(ns_of_timeval(&left) / dilation);
    *timeout = (struct timeval){.tv_sec = span.tv_sec, .tv_usec = span.tv_nsec / 1000};
    return result;
}

NEXT(int, pselect, int, fd_set *, fd_set *, fd_set *, const struct timespec *, const sigset_t *)
int pselect(int count, fd_set *restrict in, fd_set *restrict out, fd_set *restrict error,
            const struct timespec *restrict timeout, const sigset_t *restrict mask) {
    struct timespec span = timeout ? timespec_of(longer(ns_of(timeout))) : (struct timespec){0};
    return real_pselect()(count, in, out, error, timeout ? &span : NULL, mask);
}

NEXT(int, epoll_wait, int, struct epoll_event *, int, int)
int epoll_wait(int fd, struct epoll_event *events, int room, int timeout_ms) {
    return real_epoll_wait()(fd, events, room, longer_ms(timeout_ms));
}

NEXT(int, epoll_pwait, int, struct epoll_event *, int, int, const sigset_t *)
int epoll_pwait(int fd, struct epoll_event *events, int room, int timeout_ms, const sigset_t *mask) {
    return real_epoll_pwait()(fd, events, room, longer_ms(timeout_ms), mask);
}

NEXT(int, epoll_pwait2, int, struct epoll_event *, int, const struct timespec *, const sigset_t *)
int epoll_pwait2(int fd, struct epoll_event *events, int room, const struct timespec *timeout,
                 const sigset_t *mask) {
    struct timespec span = timeout ? timespec_of(longer(ns_of(timeout))) : (struct timespec){0};
    return real_epoll_pwait2()(fd, events, room, timeout ? &span : NULL, mask);
}

// ---- waits for threads

NEXT(int, pthread_cond_timedwait, pthread_cond_t *, pthread_mutex_t *, const struct timespec *)
int pthread_cond_timedwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
                           const struct timespec *restrict t) {
    struct timespec until = kernel_deadline(t);
    return real_pthread_cond_timedwait()(condition, mutex, &until);
}

NEXT(int, pthread_cond_clockwait, pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *)
int pthread_cond_clockwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
                           clockid_t clock, const struct timespec *restrict t) {
    struct timespec until = kernel_time(t, is_wall(clock));
    return real_pthread_cond_clockwait()(condition, mutex, clock, &until);
}

NEXT(int, pthread_mutex_timedlock, pthread_mutex_t *, const struct timespec *)
int pthread_mutex_timedlock(pthread_mutex_t *restrict mutex, const struct timespec *restrict t) {
    struct timespec until = kernel_deadline(t);
    return real_pthread_mutex_timedlock()(mutex, &until);
}

NEXT(int, sem_timedwait, sem_t *, const struct timespec *)
int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict t) {
    struct timespec until = kernel_deadline(t);
    return real_sem_timedwait()(semaphore, &until);
}

NEXT(int, sem_clockwait, sem_t *, clockid_t, const struct timespec *)
int sem_clockwait(sem_t *restrict semaphore, clockid_t clock, const struct timespec *restrict t) {
    struct timespec until = kernel_time(t, is_wall(clock));
    return real_sem_clockwait()(semaphore, clock, &until);
}

// ---- timers

NEXT(int, timerfd_settime, int, int, const struct itimerspec *, struct itimerspec *)

static bool is_zero(const struct timespec *t) {
    return t->tv_sec == 0 && t->tv_nsec == 0;
}

static void in_dilated_time(struct itimerspec *timer) {
    timer->it_value = timespec_of(ns_of(&timer->it_value) / dilation);
    timer->it_interval = timespec_of(ns_of(&timer->it_interval) / dilation);
}

int timerfd_settime(int fd, int flags, const struct itimerspec *timer, struct itimerspec *before) {
    struct itimerspec kernel = {.it_interval = timespec_of(longer(ns_of(&timer->it_interval)))};
    if (!is_zero(&timer->it_value)) // which disarms
        kernel.it_value = flags & TFD_TIMER_ABSTIME ? kernel_deadline(&timer->it_value)
                                                    : timespec_of(longer(ns_of(&timer->it_value)));
    int result = real_timerfd_settime()(fd, flags, &kernel, before);
    if (result == 0 && before) in_dilated_time(before);
    return result;
}

NEXT(int, timerfd_gettime, int, struct itimerspec *)
int timerfd_gettime(int fd, struct itimerspec *timer) {
    int result = real_timerfd_gettime()(fd, timer);
    if (result == 0) in_dilated_time(timer);
    return result;
}

// ---- what the kernel says of times

static struct timespec dilated_stamp(int64_t kernel_stamp_ns) {
    return timespec_of((kernel_stamp_ns - kernel_wall_ns()) / dilation + wall_ns);
}

// SCM_TIMESTAMPNS and SCM_TIMESTAMP.
static void convert_stamp(struct cmsghdr *header) {
    if (header->cmsg_level != SOL_SOCKET) return;
    if (header->cmsg_type == SCM_TIMESTAMPNS && header->cmsg_len >= CMSG_LEN(sizeof(struct timespec))) {
        struct timespec stamp;
        memcpy(&stamp, CMSG_DATA(header), sizeof stamp);
        stamp = dilated_stamp(ns_of(&stamp));
        memcpy(CMSG_DATA(header), &stamp, sizeof stamp);
    }
    if (header->cmsg_type == SCM_TIMESTAMP && header->cmsg_len >= CMSG_LEN(sizeof(struct timeval))) {
        struct timeval stamp;
        memcpy(&stamp, CMSG_DATA(header), sizeof stamp);
        struct timespec exact = dilated_stamp(ns_of_timeval(&stamp));
        stamp = (struct timeval){.tv_sec = exact.tv_sec, .tv_usec = exact.tv_nsec / 1000};
        memcpy(CMSG_DATA(header), &stamp, sizeof stamp);
    }
}

static void convert_stamps(struct msghdr *message) {
    if (dilation == 1) return;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header; header = CMSG_NXTHDR(message, header))
        convert_stamp(header);
}

NEXT(ssize_t, recvmsg, int, struct msghdr *, int)
ssize_t recvmsg(int fd, struct msghdr *message, int flags) {
    ssize_t size = real_recvmsg()(fd, message, flags);
    if (size >= 0) convert_stamps(message);
    return size;
}

NEXT(int, recvmmsg, int, struct mmsghdr *, unsigned, int, struct timespec *)
int recvmmsg(int fd, struct mmsghdr *messages, unsigned room, int flags, struct timespec *timeout) {
    struct timespec span = timeout ? timespec_of(longer(ns_of(timeout))) : (struct timespec){0};
    int count = real_recvmmsg()(fd, messages, room, flags, timeout ? &span : NULL);
    if (timeout) *timeout = timespec_of(ns_of(&span) / dilation);
    for (int i = 0; i < count; i++)
        convert_stamps(&messages[i].msg_hdr);
    return count;
}

static void convert_tcp_info(struct tcp_info *info) {
    uint32_t times = (uint32_t)dilation;
    uint32_t *const spans[] = {&info->tcpi_rto,
                               &info->tcpi_ato,
                               &info->tcpi_last_data_sent,
                               &info->tcpi_last_ack_sent,
                               &info->tcpi_last_data_recv,
                               &info->tcpi_last_ack_recv,
                               &info->tcpi_rtt,
                               &info->tcpi_rttvar,
                               &info->tcpi_rcv_rtt,
                               &info->tcpi_min_rtt};
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++)
        if (*spans[i] != UINT32_MAX) *spans[i] /= times; // as min_rtt is before there was one
    info->tcpi_busy_time /= times;
    info->tcpi_rwnd_limited /= times;
    info->tcpi_sndbuf_limited /= times;
    info->tcpi_delivery_rate *= times;
    if (info->tcpi_pacing_rate < UINT64_MAX / times) info->tcpi_pacing_rate *= times;
    if (info->tcpi_max_pacing_rate < UINT64_MAX / times) info->tcpi_max_pacing_rate *= times;
}

NEXT(int, getsockopt, int, int, int, void *, socklen_t *)
int getsockopt(int fd, int level, int option, void *restrict value, socklen_t *restrict size) {
    int result = real_getsockopt()(fd, level, option, value, size);
    if (result < 0 || dilation == 1 || level != IPPROTO_TCP || option != TCP_INFO) return result;
    struct tcp_info info;
    memset(&info, 0, sizeof info);
    memcpy(&info, value, *size < sizeof info ? *size : sizeof info);
    convert_tcp_info(&info);
    memcpy(value, &info, *size < sizeof info ? *size : sizeof info);
    return result;
}
