#include "replay/send_ahead.h"

#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

enum { WINDOW_PARTS = 4 };

void send_ahead_init(struct send_ahead *ahead) {
    *ahead = (struct send_ahead){.limit_bytes = SEND_AHEAD_MOST_BYTES};
}

void send_ahead_unbound(struct send_ahead *ahead, int fd) {
    const int none = -1; // the kernel reads it without sign
    ahead->unbounded = setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &none, sizeof none) == 0;
}

void send_ahead_update(struct send_ahead *ahead, int fd) {
    if (ahead->unbounded) return;
    struct tcp_info info = {0};
    socklen_t size = sizeof info;
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) < 0) return;
    const uint64_t window_bytes = (uint64_t)info.tcpi_snd_cwnd * info.tcpi_snd_mss;
    uint64_t limit_bytes = window_bytes / WINDOW_PARTS;
    if (limit_bytes > SEND_AHEAD_MOST_BYTES) limit_bytes = SEND_AHEAD_MOST_BYTES;
    if (limit_bytes < SEND_AHEAD_LEAST_BYTES) limit_bytes = SEND_AHEAD_LEAST_BYTES;
    if (limit_bytes == ahead->limit_bytes) return;
    const int lowat_bytes = (int)limit_bytes;
    if (setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &lowat_bytes, sizeof lowat_bytes) == 0)
        ahead->limit_bytes = (uint32_t)limit_bytes;
}

void send_ahead_sent(struct send_ahead *ahead, size_t size) {
    ahead->unsent_bytes += size;
}

// A socket is writable for epoll while less than half of TCP_NOTSENT_LOWAT waits.
static bool has_room(const struct send_ahead *ahead) {
    return 2 * ahead->unsent_bytes < ahead->limit_bytes;
}

bool send_ahead_has_room(struct send_ahead *ahead, int fd) {
    if (ahead->unbounded || has_room(ahead)) return true; // no need to ask
    int unsent_bytes = 0;
    if (ioctl(fd, SIOCOUTQNSD, &unsent_bytes) < 0) return true;
    ahead->unsent_bytes = (uint64_t)unsent_bytes;
    return has_room(ahead);
}
