#include "flows/tcp_socket.h"

#include "base/clock.h"
#include "congestion/tcp_congestion.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/tcp.h> // has more of TCP_INFO than netinet/tcp.h
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { NO_SSTHRESH = 0x7fffffff, STATE_FIN_WAIT2 = 5, STATE_CLOSE = 7 }; // of the kernel's tcp_states.h

static int new_socket(void) {
    const int on = 1;
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd >= 0) setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fd;
}

// Closes the descriptor.
static int fail(int fd, uint16_t port, char *error, size_t error_size) {
    snprintf(error, error_size, "TCP port %u: %s", port, strerror(errno));
    if (fd >= 0) close(fd);
    return -1;
}

int tcp_socket_listen(uint16_t port, const char *control, char *error, size_t error_size) {
    const int on = 1;
    const struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = htons(port)};
    const int fd = new_socket();
    if (fd < 0) return fail(fd, port, error, error_size);
    if (control && tcp_congestion_set(fd, control, error, error_size) < 0) {
        close(fd);
        return -1;
    }
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, (const struct sockaddr *)&name, sizeof name) < 0 || listen(fd, 1) < 0)
        return fail(fd, port, error, error_size);
    return fd;
}

int tcp_socket_connect(const char *address, uint16_t port, const char *control, char *error,
                       size_t error_size) {
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = htons(port)};
    const int fd = new_socket();
    if (fd < 0) return fail(fd, port, error, error_size);
    if (inet_pton(AF_INET, address, &name.sin_addr) != 1) {
        errno = EINVAL;
        return fail(fd, port, error, error_size);
    }
    if (connect(fd, (const struct sockaddr *)&name, sizeof name) < 0 && errno != EINPROGRESS) {
        snprintf(error, error_size, "%s", strerror(errno));
        close(fd);
        return -1;
    }
    // Only now: connecting takes the route's controller, whatever the socket's was.
    if (control && tcp_congestion_set(fd, control, error, error_size) < 0) {
        close(fd);
        return -1;
    }
    return fd;
}

static void write_address(int result, const struct sockaddr_in *name, char text[TCP_ADDRESS_SIZE]) {
    char address[INET_ADDRSTRLEN];
    text[0] = 0;
    if (result == 0 && inet_ntop(AF_INET, &name->sin_addr, address, sizeof address))
        snprintf(text, TCP_ADDRESS_SIZE, "%s:%u", address, ntohs(name->sin_port));
}

void tcp_socket_local(int fd, char text[TCP_ADDRESS_SIZE]) {
    struct sockaddr_in name = {0};
    socklen_t size = sizeof name;
    const int result = getsockname(fd, (struct sockaddr *)&name, &size);
    write_address(result, &name, text);
}

void tcp_socket_peer(int fd, char text[TCP_ADDRESS_SIZE]) {
    struct sockaddr_in name = {0};
    socklen_t size = sizeof name;
    const int result = getpeername(fd, (struct sockaddr *)&name, &size);
    write_address(result, &name, text);
}

// Of bytes per second, in the kernel's unsigned long: any limit but "none" switches pacing on, and no link is
// as fast as this one, so that the window alone sets the rate.
static const unsigned long no_pacing_limit = ~0UL;
static const unsigned long pacing_limit = ~0UL - 1;

int tcp_socket_pace(int fd) {
    return setsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &pacing_limit, sizeof pacing_limit);
}

bool tcp_socket_is_paced(int fd) {
    unsigned long limit = no_pacing_limit;
    socklen_t size = sizeof limit;
    return getsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &limit, &size) == 0 && limit != no_pacing_limit;
}

int tcp_socket_error(int fd) {
    int error = 0;
    socklen_t size = sizeof error;
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0 ? errno : error;
}

static int get_info(int fd, struct tcp_info *info) {
    memset(info, 0, sizeof *info); // an older kernel fills in less
    socklen_t size = sizeof *info;
    return getsockopt(fd, IPPROTO_TCP, TCP_INFO, info, &size);
}

enum tcp_stage tcp_socket_stage(int fd) {
    struct tcp_info info;
    if (get_info(fd, &info) < 0 || info.tcpi_state == STATE_CLOSE) return TCP_STAGE_CLOSED;
    return info.tcpi_state == STATE_FIN_WAIT2 ? TCP_STAGE_SENT : TCP_STAGE_OPEN;
}

void tcp_socket_sample(int fd, struct flow_sample *sample) {
    static const uint64_t no_rate = UINT64_MAX / 8;
    static const uint32_t no_rtt = UINT32_MAX;
    struct tcp_info info;
    if (get_info(fd, &info) < 0) return;
    const uint64_t mss_bytes = info.tcpi_snd_mss;
    sample->cwnd_bytes = info.tcpi_snd_cwnd * mss_bytes;
    if (info.tcpi_snd_ssthresh < NO_SSTHRESH) sample->ssthresh_bytes = info.tcpi_snd_ssthresh * mss_bytes;
    if (info.tcpi_rtt > 0) sample->srtt_ns = info.tcpi_rtt * NS_PER_US;
    if (info.tcpi_min_rtt != no_rtt && info.tcpi_min_rtt > 0)
        sample->min_rtt_ns = info.tcpi_min_rtt * NS_PER_US;
    // As the kernel's tcp_packets_in_flight() has it.
    const uint64_t gone = (uint64_t)info.tcpi_sacked + info.tcpi_lost;
    const uint64_t out = (uint64_t)info.tcpi_unacked + info.tcpi_retrans;
    sample->in_flight_bytes = (out > gone ? out - gone : 0) * mss_bytes;
    sample->lost_packets = info.tcpi_total_retrans;
    sample->retransmitted_bytes = info.tcpi_bytes_retrans;
    sample->packets_sent = info.tcpi_data_segs_out;
    if (info.tcpi_delivery_rate > 0) sample->delivery_bps = 8 * info.tcpi_delivery_rate;
    if (info.tcpi_pacing_rate < no_rate) sample->pacing_bps = 8 * info.tcpi_pacing_rate;
}

void tcp_socket_abort_on_close(int fd) {
    const struct linger none = {.l_onoff = 1, .l_linger = 0};
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof none);
}
