#include "shaper/probe/datagrams.h"

#include "base/clock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

// A sleep ends some 60 us late; what is due sooner is waited for awake.
static const uint64_t sleep_late_ns = 100 * NS_PER_US;

// The first bytes of each datagram.
struct stamp {
    uint64_t number;
    uint64_t count; // of the phase: tells phases apart enough, as they follow one another
};

uint64_t datagrams_now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

static void wait_until(uint64_t due_ns) {
    for (;;) {
        uint64_t now_ns = datagrams_now_ns();
        if (now_ns >= due_ns) return;
        if (due_ns - now_ns < sleep_late_ns) continue;
        uint64_t sleep_ns = due_ns - now_ns - sleep_late_ns / 2;
        struct timespec t = {.tv_sec = (time_t)(sleep_ns / NS_PER_S), .tv_nsec = (long)(sleep_ns % NS_PER_S)};
        nanosleep(&t, NULL);
    }
}

bool datagrams_send(int fd, const struct phase *phase, uint64_t *sent_ns) {
    uint8_t datagram[PHASE_SIZE_MAX] = {0};
    uint64_t due_ns = datagrams_now_ns();
    for (uint32_t i = 0; i < phase->count; i++) {
        if (i > 0 && i >= phase->burst) {
            due_ns += phase->interval_ns;
            if (phase->kind == PHASE_STEADY && due_ns < sent_ns[i - 1] + phase->interval_ns)
                due_ns = sent_ns[i - 1] + phase->interval_ns;
            wait_until(due_ns);
        }
        struct stamp stamp = {.number = i, .count = phase->count};
        memcpy(datagram, &stamp, sizeof stamp);
        sent_ns[i] = datagrams_now_ns();
        while (send(fd, datagram, phase->size_bytes - PHASE_HEADERS, 0) < 0)
            if (errno != EINTR && errno != ENOBUFS && errno != EAGAIN) return false;
    }
    return true;
}

static bool add(struct arrivals *arrivals, const struct arrival *arrival) {
    if (arrivals->count == arrivals->capacity) {
        uint64_t capacity = arrivals->capacity ? arrivals->capacity * 2 : 4096;
        struct arrival *list = realloc(arrivals->list, capacity * sizeof *list);
        if (!list) return false;
        arrivals->list = list;
        arrivals->capacity = capacity;
    }
    arrivals->list[arrivals->count++] = *arrival;
    return true;
}

// One datagram of the phase; 1, 0 for one of something else, or -1 with errno (EAGAIN: none is there).
static int receive_one(struct receiver *receiver, const struct phase *phase, struct arrival *arrival) {
    uint8_t datagram[PHASE_SIZE_MAX];
    struct iovec part = {.iov_base = datagram, .iov_len = sizeof datagram};
    union {
        struct cmsghdr header;
        uint8_t bytes[CMSG_SPACE(sizeof(struct timespec)) + CMSG_SPACE(sizeof(uint32_t))];
    } control;
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    ssize_t size = recvmsg(receiver->fd, &message, MSG_DONTWAIT);
    if (size < 0) return -1;
    arrival->time_ns = 0;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET) continue;
        if (header->cmsg_type == SCM_TIMESTAMPNS) {
            struct timespec t;
            memcpy(&t, CMSG_DATA(header), sizeof t);
            arrival->time_ns = (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
        } else if (header->cmsg_type == SO_RXQ_OVFL) {
            uint32_t total;
            memcpy(&total, CMSG_DATA(header), sizeof total);
            receiver->overrun = total;
        }
    }
    struct stamp stamp;
    if (size != (ssize_t)(phase->size_bytes - PHASE_HEADERS)) return 0;
    memcpy(&stamp, datagram, sizeof stamp);
    if (stamp.count != phase->count || stamp.number >= phase->count || arrival->time_ns == 0) return 0;
    arrival->number = stamp.number;
    return 1;
}

// All that is there now. False with errno.
static bool receive_all(struct receiver *receiver, const struct phase *phase, struct arrivals *arrivals,
                        uint8_t *come, uint64_t *different) {
    struct arrival arrival;
    int result;
    while ((result = receive_one(receiver, phase, &arrival)) >= 0) {
        if (result == 0) continue;
        *different += !come[arrival.number];
        come[arrival.number] = 1;
        if (!add(arrivals, &arrival)) return false;
    }
    return errno == EAGAIN || errno == EINTR;
}

bool datagrams_receive(struct receiver *receiver, const struct phase *phase, int told_fd,
                       struct arrivals *arrivals) {
    // Which have come, so that duplicates do not hide that one is missing.
    uint8_t *come = calloc(phase->count, 1);
    uint64_t different = 0, end_ns = UINT64_MAX, overrun_before = receiver->overrun;
    struct pollfd ready[2] = {{.fd = receiver->fd, .events = POLLIN}, {.fd = told_fd, .events = POLLIN}};
    bool ok = come != NULL;
    while (ok) {
        uint64_t now_ns = clock_now_ns();
        bool all_sent = end_ns < UINT64_MAX;
        if (all_sent && (now_ns >= end_ns || different == phase->count)) break;
        int wait_ms = all_sent ? (int)((end_ns - now_ns) / NS_PER_MS) + 1 : -1;
        int events = poll(ready, all_sent ? 1 : 2, wait_ms);
        if (events < 0 && errno != EINTR) ok = false;
        if (events <= 0) continue;
        if (!all_sent && ready[1].revents) end_ns = clock_now_ns() + phase->drain_ms * NS_PER_MS;
        if (ready[0].revents) ok = receive_all(receiver, phase, arrivals, come, &different);
    }
    arrivals->overrun = receiver->overrun - overrun_before;
    free(come);
    return ok;
}

void datagrams_discard(struct receiver *receiver) {
    uint8_t datagram[PHASE_SIZE_MAX];
    while (recv(receiver->fd, datagram, sizeof datagram, MSG_DONTWAIT) >= 0) {
    }
}

bool datagrams_open(struct receiver *receiver, const char *address, uint16_t port) {
    int on = 1;
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = htons(port)};
    memset(receiver, 0, sizeof *receiver);
    if (inet_pton(AF_INET, address, &name.sin_addr) != 1) {
        errno = EINVAL;
        return false;
    }
    receiver->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    return receiver->fd >= 0 && setsockopt(receiver->fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) == 0 &&
           setsockopt(receiver->fd, SOL_SOCKET, SO_RXQ_OVFL, &on, sizeof on) == 0 &&
           bind(receiver->fd, (struct sockaddr *)&name, sizeof name) == 0;
}

void datagrams_enlarge(int fd) {
    int size = 32 << 20;
    setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size);
}
