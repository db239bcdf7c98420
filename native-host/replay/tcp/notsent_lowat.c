#include "replay/tcp/notsent_lowat.h"

#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

enum { WINDOW_PARTS = 4 };

void notsent_lowat_init(struct notsent_lowat *ahead) {
    *ahead = (struct notsent_lowat){.limit_bytes = NOTSENT_LOWAT_MOST_BYTES};
}

void notsent_lowat_unbound(struct notsent_lowat *ahead, int fd) {
    const int none = -1; // the kernel reads it without sign
    ahead->unbounded = setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &none, sizeof none) == 0;
}

void notsent_lowat_update(struct notsent_lowat *ahead, int fd) {
    if (ahead->unbounded) return;
    struct tcp_info info = {0};
    socklen_t size = sizeof info;
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) < 0) return;
    const uint64_t window_bytes = (uint64_t)info.tcpi_snd_cwnd * info.tcpi_snd_mss;
    uint64_t limit_bytes = window_bytes / WINDOW_PARTS;
    if (limit_bytes > NOTSENT_LOWAT_MOST_BYTES) limit_bytes = NOTSENT_LOWAT_MOST_BYTES;
    if (limit_bytes < NOTSENT_LOWAT_LEAST_BYTES) limit_bytes = NOTSENT_LOWAT_LEAST_BYTES;
    if (limit_bytes == ahead->limit_bytes) return;
    const int lowat_bytes = (int)limit_bytes;
    if (setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &lowat_bytes, sizeof lowat_bytes) == 0)
        ahead->limit_bytes = (uint32_t)limit_bytes;
}

void notsent_lowat_sent(struct notsent_lowat *ahead, size_t size) {
    ahead->unsent_bytes += size;
}

// A socket is writable for epoll while less than half of TCP_NOTSENT_LOWAT waits.
static bool has_room(const struct notsent_lowat *ahead) {
    return 2 * ahead->unsent_bytes < ahead->limit_bytes;
}

bool notsent_lowat_has_room(struct notsent_lowat *ahead, int fd) {
    if (ahead->unbounded || has_room(ahead)) return true; // no need to ask
    int unsent_bytes = 0;
    if (ioctl(fd, SIOCOUTQNSD, &unsent_bytes) < 0) return true;
    ahead->unsent_bytes = (uint64_t)unsent_bytes;
    return has_room(ahead);
}
