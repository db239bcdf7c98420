#include "shaper/probe/datagrams.h"

#include "base/clock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

enum { BATCH = 32 };

// A sleep ends some 60 us late; what is due sooner is waited for awake.
static const uint64_t sleep_late_ns = 100 * NS_PER_US;

// The first bytes of each datagram.
struct stamp {
    uint64_t number;
    uint64_t count; // of the phase: enough to distinguish phases, as they follow one another
};

uint64_t datagrams_now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

// Steady packets are waited for awake for the last of the time; a flood makes up for a sleep that ended late,
// and leaves the processor to the link.
static void wait_until(uint64_t due_ns, enum phase_kind kind) {
    for (;;) {
        uint64_t now_ns = datagrams_now_ns();
        if (now_ns >= due_ns) return;
        uint64_t sleep_ns = due_ns - now_ns;
        if (kind == PHASE_STEADY) {
            if (sleep_ns < sleep_late_ns) continue;
            sleep_ns -= sleep_late_ns / 2;
        }
        struct timespec t = {.tv_sec = (time_t)(sleep_ns / NS_PER_S), .tv_nsec = (long)(sleep_ns % NS_PER_S)};
        nanosleep(&t, NULL);
    }
}

// When a packet is due that was not sent at once with the burst.
static uint64_t next_due_ns(const struct phase *phase, uint64_t due_ns, uint64_t last_ns) {
    due_ns += phase->interval_ns;
    bool too_soon = phase->kind == PHASE_STEADY && due_ns < last_ns + phase->interval_ns;
    return too_soon ? last_ns + phase->interval_ns : due_ns;
}

struct batch {
    uint8_t datagrams[BATCH][PHASE_SIZE_MAX];
    struct iovec parts[BATCH];
    struct mmsghdr messages[BATCH];
};

static void prepare(struct batch *batch, const struct phase *phase) {
    memset(batch, 0, sizeof *batch);
    for (int i = 0; i < BATCH; i++) {
        batch->parts[i] =
            (struct iovec){.iov_base = batch->datagrams[i], .iov_len = phase->size_bytes - PHASE_HEADERS};
        batch->messages[i].msg_hdr = (struct msghdr){.msg_iov = &batch->parts[i], .msg_iovlen = 1};
    }
}

// Packets first to first + count - 1, in as few calls as the kernel takes.
static bool send_batch(int fd, struct batch *batch, const struct phase *phase, uint32_t first,
                       uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        struct stamp stamp = {.number = first + i, .count = phase->count};
        memcpy(batch->datagrams[i], &stamp, sizeof stamp);
    }
    for (uint32_t done = 0; done < count;) {
        int sent = sendmmsg(fd, batch->messages + done, count - done, 0);
        if (sent > 0) done += (uint32_t)sent;
        if (sent < 0 && errno != EINTR && errno != ENOBUFS && errno != EAGAIN) return false;
    }
    return true;
}

bool datagrams_send(int fd, const struct phase *phase, uint64_t *sent_ns) {
    struct batch *batch = malloc(sizeof *batch);
    if (!batch) return false;
    prepare(batch, phase);
    uint64_t due_ns = datagrams_now_ns();
    bool ok = true;
    for (uint32_t next = 0; ok && next < phase->count;) {
        wait_until(due_ns, phase->kind);
        uint64_t now_ns = datagrams_now_ns();
        uint32_t first = next;
        // All that are due by now.
        while (next < phase->count && next - first < BATCH && due_ns <= now_ns) {
            sent_ns[next++] = now_ns;
            if (next >= phase->burst) due_ns = next_due_ns(phase, due_ns, now_ns);
        }
        ok = send_batch(fd, batch, phase, first, next - first);
        // A sender may be stopped in the middle of many: of a flood it counts when all of them were in the
        // device.
        uint64_t done_ns = datagrams_now_ns();
        for (uint32_t i = first; phase->kind == PHASE_FLOOD && i < next; i++)
            sent_ns[i] = done_ns;
    }
    free(batch);
    return ok;
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

union control {
    struct cmsghdr header;
    uint8_t bytes[CMSG_SPACE(sizeof(struct timespec)) + CMSG_SPACE(sizeof(uint32_t))];
};

struct catch {
    struct stamp stamps[BATCH]; // the datagrams' beginnings; their ends are thrown away
    struct iovec parts[BATCH];
    union control controls[BATCH];
    struct mmsghdr messages[BATCH];
    uint8_t *come; // which numbers have, so that duplicates do not hide that one is missing
    uint64_t different;
};

static void prepare_catch(struct catch *catch) {
    for (int i = 0; i < BATCH; i++) {
        catch->parts[i] = (struct iovec){.iov_base = &catch->stamps[i], .iov_len = sizeof catch->stamps[i]};
        catch->messages[i].msg_hdr = (struct msghdr){.msg_iov = &catch->parts[i],
                                                     .msg_iovlen = 1,
                                                     .msg_control = &catch->controls[i],
                                                     .msg_controllen = sizeof catch->controls[i]};
    }
}

// When the kernel had the datagram; 0: it did not say. Notes how many there was no room for.
static uint64_t arrival_ns(struct msghdr *message, uint64_t *overrun) {
    uint64_t time_ns = 0;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header; header = CMSG_NXTHDR(message, header)) {
        if (header->cmsg_level != SOL_SOCKET) continue;
        if (header->cmsg_type == SCM_TIMESTAMPNS) {
            struct timespec t;
            memcpy(&t, CMSG_DATA(header), sizeof t);
            time_ns = (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
        } else if (header->cmsg_type == SO_RXQ_OVFL) {
            uint32_t total;
            memcpy(&total, CMSG_DATA(header), sizeof total);
            *overrun = total;
        }
    }
    return time_ns;
}

// All that is there now. False with errno.
static bool receive_all(struct receiver *receiver, const struct phase *phase, struct arrivals *arrivals,
                        struct catch *catch) {
    for (;;) {
        prepare_catch(catch);
        // Datagrams are longer than what is read of them: MSG_TRUNC gives their true sizes.
        int count = recvmmsg(receiver->fd, catch->messages, BATCH, MSG_DONTWAIT | MSG_TRUNC, NULL);
        if (count < 0) return errno == EAGAIN || errno == EINTR;
        for (int i = 0; i < count; i++) {
            const struct stamp *stamp = &catch->stamps[i];
            struct arrival arrival = {.number = stamp->number,
                                      .time_ns = arrival_ns(&catch->messages[i].msg_hdr, &receiver->overrun)};
            if (catch->messages[i].msg_len != phase->size_bytes - PHASE_HEADERS || arrival.time_ns == 0 ||
                stamp->count != phase->count || stamp->number >= phase->count)
                continue;
            catch->different += !catch->come[stamp->number];
            catch->come[stamp->number] = 1;
            if (!add(arrivals, &arrival)) return false;
        }
        if (count < BATCH) return true;
    }
}

bool datagrams_receive(struct receiver *receiver, const struct phase *phase, int over_fd,
                       struct arrivals *arrivals) {
    struct catch *catch = calloc(1, sizeof *catch);
    if (catch) catch->come = calloc(phase->count, 1);
    uint64_t end_ns = UINT64_MAX, overrun_before = receiver->overrun;
    struct pollfd ready[2] = {{.fd = receiver->fd, .events = POLLIN}, {.fd = over_fd, .events = POLLIN}};
    bool ok = catch && catch->come;
    while (ok) {
        uint64_t now_ns = clock_now_ns();
        bool all_sent = end_ns < UINT64_MAX;
        if (all_sent && (now_ns >= end_ns || catch->different == phase->count)) break;
        int wait_ms = all_sent ? (int)((end_ns - now_ns) / NS_PER_MS) + 1 : -1;
        int events = poll(ready, all_sent ? 1 : 2, wait_ms);
        if (events < 0 && errno != EINTR) ok = false;
        if (events <= 0) continue;
        if (!all_sent && ready[1].revents) end_ns = clock_now_ns() + phase->drain_ms * NS_PER_MS;
        if (ready[0].revents) ok = receive_all(receiver, phase, arrivals, catch);
    }
    arrivals->overrun = receiver->overrun - overrun_before;
    if (catch) free(catch->come);
    free(catch);
    return ok;
}

void datagrams_discard(struct receiver *receiver) {
    uint8_t datagram[PHASE_SIZE_MAX];
    while (recv(receiver->fd, datagram, sizeof datagram, MSG_DONTWAIT) >= 0) {
    }
}

bool datagrams_open(struct receiver *receiver, const char *address, uint16_t port) {
    int on = 1, room = 32 << 20;
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = htons(port)};
    memset(receiver, 0, sizeof *receiver);
    if (inet_pton(AF_INET, address, &name.sin_addr) != 1) {
        errno = EINVAL;
        return false;
    }
    receiver->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    // Beyond the system's limit where we may, up to it where we may not.
    if (receiver->fd >= 0 && setsockopt(receiver->fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room) < 0)
        setsockopt(receiver->fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
    return receiver->fd >= 0 && setsockopt(receiver->fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) == 0 &&
           setsockopt(receiver->fd, SOL_SOCKET, SO_RXQ_OVFL, &on, sizeof on) == 0 &&
           bind(receiver->fd, (struct sockaddr *)&name, sizeof name) == 0;
}
