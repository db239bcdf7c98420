// A datagram's time on its way is taken in CLOCK_REALTIME, in which the kernel stamps arrivals. Where that
// clock was set in between, the difference makes no sense, and the round trip is what CLOCK_MONOTONIC says.
#include "flows/ping.h"

#include "base/clock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { PAYLOAD_BYTES = 56, DATAGRAMS_PER_TURN = 64 }; // as ping(8) has it

struct datagram {
    uint64_t number;
    uint64_t kept_ns; // at the far end
    uint8_t rest[PAYLOAD_BYTES - 2 * sizeof(uint64_t)];
};

struct sent {
    uint64_t monotonic_ns;
    uint64_t realtime_ns;
    bool answered;
};

struct ping {
    struct loop *loop;
    struct loop_watch watch;
    struct loop_timer timer; // near
    uint64_t interval_ns;
    struct sent *sent; // near: by number
    size_t sent_count;
    size_t sent_capacity;
    struct ping_reply *replies;
    size_t reply_count;
    size_t reply_capacity;
};

static uint64_t realtime_now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

struct arrival {
    struct datagram datagram;
    struct sockaddr_in from;
    uint64_t realtime_ns;
};

// False where there is none.
static bool receive(int fd, struct arrival *arrival) {
    union {
        struct cmsghdr header;
        uint8_t bytes[CMSG_SPACE(sizeof(struct timespec))];
    } control;
    struct iovec part = {.iov_base = &arrival->datagram, .iov_len = sizeof arrival->datagram};
    struct msghdr message = {.msg_name = &arrival->from,
                             .msg_namelen = sizeof arrival->from,
                             .msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    if (recvmsg(fd, &message, MSG_DONTWAIT) != (ssize_t)sizeof arrival->datagram) return false;
    arrival->realtime_ns = realtime_now_ns(); // unless the kernel says better
    const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_TIMESTAMPNS) {
        struct timespec t;
        memcpy(&t, CMSG_DATA(header), sizeof t);
        arrival->realtime_ns = (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
    }
    return true;
}

static void on_question(void *context, uint32_t events) {
    struct ping *ping = context;
    struct arrival arrival;
    (void)events;
    for (int i = 0; i < DATAGRAMS_PER_TURN && receive(ping->watch.fd, &arrival); i++) {
        const uint64_t now_ns = realtime_now_ns();
        arrival.datagram.kept_ns = now_ns > arrival.realtime_ns ? now_ns - arrival.realtime_ns : 0;
        sendto(ping->watch.fd, &arrival.datagram, sizeof arrival.datagram, MSG_DONTWAIT,
               (struct sockaddr *)&arrival.from, sizeof arrival.from);
    }
}

// Room for one more; false when memory is short.
static bool grow(void **list, size_t *capacity, size_t count, size_t size) {
    if (count < *capacity) return true;
    const size_t wanted = *capacity ? *capacity * 2 : 1024;
    void *grown = realloc(*list, wanted * size);
    if (!grown) return false;
    *list = grown;
    *capacity = wanted;
    return true;
}

static void note_reply(struct ping *ping, const struct arrival *arrival) {
    if (arrival->datagram.number >= ping->sent_count) return;
    struct sent *sent = &ping->sent[arrival->datagram.number];
    if (sent->answered ||
        !grow((void **)&ping->replies, &ping->reply_capacity, ping->reply_count, sizeof *ping->replies))
        return;
    const uint64_t whole_ns = clock_now_ns() - sent->monotonic_ns;
    const uint64_t kept_ns = arrival->datagram.kept_ns;
    const uint64_t away_ns = arrival->realtime_ns - sent->realtime_ns; // wraps where the clock was set back
    const bool makes_sense = away_ns <= whole_ns && kept_ns < away_ns;
    sent->answered = true;
    ping->replies[ping->reply_count++] = (struct ping_reply){
        .sent_ns = sent->monotonic_ns, .rtt_ns = makes_sense ? away_ns - kept_ns : whole_ns};
}

static void on_reply(void *context, uint32_t events) {
    struct ping *ping = context;
    struct arrival arrival;
    (void)events;
    for (int i = 0; i < DATAGRAMS_PER_TURN && receive(ping->watch.fd, &arrival); i++)
        note_reply(ping, &arrival);
    int error;
    socklen_t size = sizeof error;
    getsockopt(ping->watch.fd, SOL_SOCKET, SO_ERROR, &error, &size); // a refusal is read so: no reply
}

static void on_interval(void *context, uint64_t now_ns) {
    struct ping *ping = context;
    (void)now_ns;
    if (grow((void **)&ping->sent, &ping->sent_capacity, ping->sent_count, sizeof *ping->sent)) {
        const struct datagram datagram = {.number = ping->sent_count};
        ping->sent[ping->sent_count++] =
            (struct sent){.monotonic_ns = clock_now_ns(), .realtime_ns = realtime_now_ns()};
        send(ping->watch.fd, &datagram, sizeof datagram, MSG_DONTWAIT | MSG_NOSIGNAL);
    }
    loop_timer_set(ping->loop, &ping->timer, ping->timer.due_ns + ping->interval_ns);
}

// -1 with errno as it is.
static int fail(struct ping *ping) {
    const int error = errno;
    ping_close(ping);
    errno = error;
    return -1;
}

static int open_ping(struct ping **out, struct loop *loop, void (*ready)(void *, uint32_t)) {
    const int on = 1;
    struct ping *ping = calloc(1, sizeof *ping);
    if (!ping) return -1;
    ping->loop = loop;
    ping->watch = (struct loop_watch){
        .fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), .ready = ready, .context = ping};
    ping->timer = (struct loop_timer){.due = on_interval, .context = ping};
    if (ping->watch.fd >= 0 && setsockopt(ping->watch.fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) == 0 &&
        loop_add(loop, &ping->watch, EPOLLIN) == 0) {
        *out = ping;
        return 0;
    }
    return fail(ping);
}

int ping_answer(struct ping **out, struct loop *loop, uint16_t port) {
    const struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = htons(port)};
    struct ping *ping;
    if (open_ping(&ping, loop, on_question) < 0) return -1;
    if (bind(ping->watch.fd, (const struct sockaddr *)&name, sizeof name) == 0) {
        *out = ping;
        return 0;
    }
    return fail(ping);
}

int ping_send(struct ping **out, struct loop *loop, const char *address, uint16_t port,
              uint64_t interval_ns) {
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = htons(port)};
    struct ping *ping;
    if (inet_pton(AF_INET, address, &name.sin_addr) != 1) {
        errno = EINVAL;
        return -1;
    }
    if (open_ping(&ping, loop, on_reply) < 0) return -1;
    ping->interval_ns = interval_ns;
    if (connect(ping->watch.fd, (struct sockaddr *)&name, sizeof name) == 0 &&
        loop_timer_set(loop, &ping->timer, clock_now_ns()) == 0) {
        *out = ping;
        return 0;
    }
    return fail(ping);
}

void ping_stop(struct ping *ping) {
    if (ping) loop_timer_clear(ping->loop, &ping->timer);
}

void ping_close(struct ping *ping) {
    if (!ping) return;
    ping_stop(ping);
    if (ping->watch.fd >= 0) {
        loop_remove(ping->loop, &ping->watch);
        close(ping->watch.fd);
    }
    free(ping->sent);
    free(ping->replies);
    free(ping);
}

uint64_t ping_sent(const struct ping *ping) {
    return ping->sent_count;
}

const struct ping_reply *ping_replies(const struct ping *ping, size_t *count) {
    *count = ping->reply_count;
    return ping->replies;
}
