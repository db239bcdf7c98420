// What tests run in dilated time: `dilated_program NAME K` makes one kind of wait of 20 ms, or reads one kind
// of time, and compares it with the kernel's own clock, which it asks without the C library. Exit status 0,
// or a line and 1.
#include <errno.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define MS INT64_C(1000000)
#define S INT64_C(1000000000)

static const int64_t wait_ns = 20 * MS;
static const int64_t slack_ns = 500 * MS; // a busy machine's, in dilated time

static int64_t ns_of(struct timespec t) {
    return t.tv_sec * S + t.tv_nsec;
}

static int64_t kernel_ns(clockid_t clock) {
    struct timespec t;
    syscall(SYS_clock_gettime, clock, &t);
    return ns_of(t);
}

static int64_t dilated_ns(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return ns_of(t);
}

static struct timespec in(int64_t ns) {
    return (struct timespec){.tv_sec = ns / S, .tv_nsec = ns % S};
}

static struct timespec until(clockid_t clock) {
    return in(dilated_ns(clock) + wait_ns);
}

static void condition(clockid_t clock, bool told) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t never;
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, clock);
    pthread_cond_init(&never, &attributes);
    struct timespec t = until(clock);
    pthread_mutex_lock(&mutex);
    while ((told ? pthread_cond_clockwait(&never, &mutex, clock, &t)
                 : pthread_cond_timedwait(&never, &mutex, &t)) == 0) {
    }
}

static void timer(bool absolute, bool periodic) {
    int fd = timerfd_create(CLOCK_MONOTONIC, 0);
    struct itimerspec times = {.it_value = absolute ? until(CLOCK_MONOTONIC) : in(wait_ns)};
    if (periodic) times = (struct itimerspec){.it_value = in(wait_ns / 2), .it_interval = in(wait_ns / 2)};
    uint64_t count = 0, all = 0;
    timerfd_settime(fd, absolute ? TFD_TIMER_ABSTIME : 0, &times, NULL);
    while (all < (periodic ? 2 : 1) && read(fd, &count, sizeof count) == sizeof count)
        all += count;
}

static bool wait_by(const char *name) {
    struct timespec span = in(wait_ns), t;
    struct timeval time = {.tv_usec = wait_ns / 1000};
    struct epoll_event event;
    int epoll = epoll_create1(0);
    sem_t never;
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    sem_init(&never, 0, 0);
    pthread_mutex_lock(&mutex);
    if (strcmp(name, "nanosleep") == 0)
        nanosleep(&span, NULL);
    else if (strcmp(name, "clock_nanosleep") == 0)
        t = until(CLOCK_REALTIME), clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL);
    else if (strcmp(name, "usleep") == 0)
        usleep(wait_ns / 1000);
    else if (strcmp(name, "poll") == 0)
        poll(NULL, 0, (int)(wait_ns / MS));
    else if (strcmp(name, "ppoll") == 0)
        ppoll(NULL, 0, &span, NULL);
    else if (strcmp(name, "select") == 0)
        select(0, NULL, NULL, NULL, &time);
    else if (strcmp(name, "pselect") == 0)
        pselect(0, NULL, NULL, NULL, &span, NULL);
    else if (strcmp(name, "epoll_wait") == 0)
        epoll_wait(epoll, &event, 1, (int)(wait_ns / MS));
    else if (strcmp(name, "epoll_pwait") == 0)
        epoll_pwait(epoll, &event, 1, (int)(wait_ns / MS), NULL);
    else if (strcmp(name, "epoll_pwait2") == 0)
        epoll_pwait2(epoll, &event, 1, &span, NULL);
    else if (strcmp(name, "pthread_cond_timedwait") == 0)
        condition(CLOCK_REALTIME, false);
    else if (strcmp(name, "pthread_cond_timedwait-monotonic") == 0)
        condition(CLOCK_MONOTONIC, false);
    else if (strcmp(name, "pthread_cond_clockwait") == 0)
        condition(CLOCK_MONOTONIC, true);
    else if (strcmp(name, "pthread_mutex_timedlock") == 0)
        t = until(CLOCK_REALTIME), pthread_mutex_timedlock(&mutex, &t);
    else if (strcmp(name, "sem_timedwait") == 0)
        t = until(CLOCK_REALTIME), sem_timedwait(&never, &t);
    else if (strcmp(name, "sem_clockwait") == 0)
        t = until(CLOCK_MONOTONIC), sem_clockwait(&never, CLOCK_MONOTONIC, &t);
    else if (strcmp(name, "timerfd") == 0)
        timer(false, false);
    else if (strcmp(name, "timerfd-absolute") == 0)
        timer(true, false);
    else if (strcmp(name, "timerfd-periodic") == 0)
        timer(false, true);
    else
        return false;
    return true;
}

static int fail(const char *what, int64_t found, int64_t asked) {
    printf("%s: %lld, not %lld\n", what, (long long)found, (long long)asked);
    return 1;
}

static int check_wait(const char *name, int64_t times) {
    int64_t kernel_before = kernel_ns(CLOCK_MONOTONIC), before = dilated_ns(CLOCK_MONOTONIC);
    if (!wait_by(name)) return fail(name, 0, 1);
    int64_t waited = dilated_ns(CLOCK_MONOTONIC) - before;
    int64_t kernel_waited = kernel_ns(CLOCK_MONOTONIC) - kernel_before;
    // The kernel's timers of some waits, and the wall clock's, are exact to a microsecond.
    if (waited < wait_ns - MS / 100 || waited > wait_ns + slack_ns) return fail("waited", waited, wait_ns);
    return kernel_waited < times * (wait_ns - MS / 100)
               ? fail("the kernel waited", kernel_waited, times * wait_ns)
               : 0;
}

static void do_nothing(int number) {
    (void)number;
}

// An absurd time is for ever: only a signal ends the wait.
static int check_for_ever(void) {
    static const struct timespec absurd[] = {{.tv_sec = INT64_MAX, .tv_nsec = S - 1},
                                             {.tv_sec = INT64_MAX / 2},
                                             {.tv_sec = INT64_MAX / S, .tv_nsec = INT64_MAX % S}};
    const struct sigaction action = {.sa_handler = do_nothing};
    sem_t never;
    sem_init(&never, 0, 0);
    sigaction(SIGALRM, &action, NULL);
    ualarm(50000, 50000);
    for (size_t i = 0; i < sizeof absurd / sizeof *absurd; i++) {
        if (sem_timedwait(&never, &absurd[i]) == 0 || errno != EINTR) return fail("wall", errno, EINTR);
        if (sem_clockwait(&never, CLOCK_MONOTONIC, &absurd[i]) == 0 || errno != EINTR)
            return fail("monotonic", errno, EINTR);
        if (ppoll(NULL, 0, &absurd[i], NULL) == 0 || errno != EINTR) return fail("span", errno, EINTR);
    }
    return 0;
}

static int check_clocks(int64_t times) {
    int64_t low = kernel_ns(CLOCK_MONOTONIC) / times, now = dilated_ns(CLOCK_MONOTONIC);
    if (now < low || now > kernel_ns(CLOCK_MONOTONIC) / times) return fail("monotonic", now, low);
    struct timeval of_day;
    int64_t wall = dilated_ns(CLOCK_REALTIME);
    gettimeofday(&of_day, NULL);
    int64_t day_ns = of_day.tv_sec * S + of_day.tv_usec * 1000;
    if (day_ns < wall - 1000 || day_ns > wall + slack_ns) return fail("gettimeofday", day_ns, wall);
    if (time(NULL) < wall / S || time(NULL) > (wall + slack_ns) / S + 1)
        return fail("time", time(NULL), wall / S);
    // It began as the kernel's, a moment ago.
    int64_t ahead = kernel_ns(CLOCK_REALTIME) - wall;
    if (ahead < 0 || ahead > 60 * S) return fail("wall", wall, kernel_ns(CLOCK_REALTIME));
    int64_t used = kernel_ns(CLOCK_PROCESS_CPUTIME_ID) / times, told = dilated_ns(CLOCK_PROCESS_CPUTIME_ID);
    return told < used || told > kernel_ns(CLOCK_PROCESS_CPUTIME_ID) / times ? fail("CPU time", told, used)
                                                                             : 0;
}

static int check_stamp(int option, int type, bool several) {
    int fds[2] = {socket(AF_INET, SOCK_DGRAM, 0), socket(AF_INET, SOCK_DGRAM, 0)}, on = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    if (bind(fds[0], (struct sockaddr *)&address, sizeof address) < 0) return 1;
    getsockname(fds[0], (struct sockaddr *)&address, &size);
    setsockopt(fds[0], SOL_SOCKET, option, &on, sizeof on);
    int64_t before = dilated_ns(CLOCK_REALTIME);
    sendto(fds[1], "x", 1, 0, (struct sockaddr *)&address, size);
    char byte;
    union {
        struct cmsghdr header;
        char bytes[256];
    } control;
    struct iovec part = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    struct mmsghdr messages = {.msg_hdr = message};
    if (several ? recvmmsg(fds[0], &messages, 1, 0, NULL) != 1 : recvmsg(fds[0], &message, 0) != 1)
        return fail("received", errno, 0);
    if (several) message = messages.msg_hdr;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (!header || header->cmsg_type != type) return fail("stamp", 0, type);
    int64_t stamp, micro = 1000;
    if (type == SCM_TIMESTAMPNS) {
        struct timespec t;
        memcpy(&t, CMSG_DATA(header), sizeof t);
        stamp = ns_of(t);
    } else {
        struct timeval t;
        memcpy(&t, CMSG_DATA(header), sizeof t);
        stamp = t.tv_sec * S + t.tv_usec * 1000;
    }
    int64_t after = dilated_ns(CLOCK_REALTIME);
    return stamp < before - 2 * micro || stamp > after + 2 * micro ? fail("stamp", stamp, before) : 0;
}

static int check_tcp_info(int64_t times) {
    int listening = socket(AF_INET, SOCK_STREAM, 0), fd = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    if (bind(listening, (struct sockaddr *)&address, sizeof address) < 0) return 1;
    getsockname(listening, (struct sockaddr *)&address, &size);
    listen(listening, 1);
    if (connect(fd, (struct sockaddr *)&address, size) < 0) return fail("connect", errno, 0);
    struct tcp_info kernel = {0}, dilated = {0};
    socklen_t kernel_size = sizeof kernel, dilated_size = sizeof dilated;
    syscall(SYS_getsockopt, fd, IPPROTO_TCP, TCP_INFO, &kernel, &kernel_size);
    getsockopt(fd, IPPROTO_TCP, TCP_INFO, &dilated, &dilated_size);
    if (kernel.tcpi_rto == 0 || dilated.tcpi_rto != kernel.tcpi_rto / (uint32_t)times)
        return fail("rto", dilated.tcpi_rto, kernel.tcpi_rto / times);
    return dilated.tcpi_rtt != kernel.tcpi_rtt / (uint32_t)times
               ? fail("rtt", dilated.tcpi_rtt, kernel.tcpi_rtt)
               : 0;
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    int64_t times = atoll(argv[2]);
    if (strcmp(argv[1], "clocks") == 0) return check_clocks(times);
    if (strcmp(argv[1], "stamp-ns") == 0) return check_stamp(SO_TIMESTAMPNS, SCM_TIMESTAMPNS, false);
    if (strcmp(argv[1], "stamps") == 0) return check_stamp(SO_TIMESTAMPNS, SCM_TIMESTAMPNS, true);
    if (strcmp(argv[1], "stamp") == 0) return check_stamp(SO_TIMESTAMP, SCM_TIMESTAMP, false);
    if (strcmp(argv[1], "for-ever") == 0) return check_for_ever();
    if (strcmp(argv[1], "tcp-info") == 0) return check_tcp_info(times);
    return check_wait(argv[1], times);
}
