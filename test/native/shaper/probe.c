// Measures a link from its two ends. `probe far COMMAND...` serves on every address of the namespace it is
// started in while COMMAND runs; the other modes, run on the near side, talk to it and print one line of
// JSON.
//   probe rtt COUNT INTERVAL_US [PAYLOAD]      round trips of UDP datagrams
//   probe udp down|up SECONDS OFFERED_BPS      datagrams of 1472 bytes offered at a rate of IP bytes; rate,
//   loss probe tcp down|up SECONDS SKIP_SECONDS     one connection; goodput after the first SKIP_SECONDS
// Does not know what the link is meant to be: the caller compares.
#include "base/clock.h"
#include "base/namespace.h"
#include "base/netlink.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ECHO_PORT = 7000, BLAST_PORT = 7001, TCP_PORT = 7002, DATAGRAM = 1472, HEADERS = 28 };

#define FAR_SIDE "100.64.0.1"

// What a receiver saw of a stream of datagrams.
struct stream {
    uint64_t received;
    uint64_t first_ns;
    uint64_t last_ns;
    uint64_t highest; // number of the last datagram
};

__attribute__((noreturn)) static void fail(const char *what) {
    fprintf(stderr, "probe: %s: %s\n", what, strerror(errno));
    exit(1);
}

static struct sockaddr_in address_of(const char *address, uint16_t port) {
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = htons(port)};
    if (inet_pton(AF_INET, address, &name.sin_addr) != 1) fail("address");
    return name;
}

static int open_socket(int type, const char *local, uint16_t port) {
    struct sockaddr_in name = address_of(local, port);
    int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0), on = 1, size = 8 << 20;
    if (fd < 0) fail("socket");
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (type == SOCK_DGRAM) {
        // Beyond the system's limit where we may (the far side), up to it where we may not.
        if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) < 0)
            setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
        setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
    }
    if (port > 0 && bind(fd, (struct sockaddr *)&name, sizeof name) < 0) fail("bind");
    return fd;
}

static int connect_to_far(int type, uint16_t port) {
    int fd = open_socket(type, "0.0.0.0", 0);
    struct sockaddr_in name = address_of(FAR_SIDE, port);
    if (connect(fd, (struct sockaddr *)&name, sizeof name) < 0) fail("connect");
    return fd;
}

static void sleep_until(uint64_t when_ns) {
    struct timespec t = {.tv_sec = (time_t)(when_ns / NS_PER_S), .tv_nsec = (long)(when_ns % NS_PER_S)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR) {
    }
}

// Numbered datagrams to the connected peer, at the offered rate of IP bytes.
static void blast(int fd, uint64_t duration_ns, uint64_t offered_bps) {
    uint8_t datagram[DATAGRAM] = {0};
    uint64_t start_ns = clock_now_ns(), number = 0;
    for (;;) {
        uint64_t due_ns = start_ns + number * (DATAGRAM + HEADERS) * 8 * NS_PER_S / offered_bps;
        if (due_ns - start_ns >= duration_ns) return;
        if (due_ns > clock_now_ns() + 200 * NS_PER_US) sleep_until(due_ns);
        memcpy(datagram, &number, sizeof number);
        number++;
        while (send(fd, datagram, sizeof datagram, 0) < 0 && (errno == EINTR || errno == ENOBUFS)) {
        }
    }
}

// One datagram, and when the kernel had it: a receiver that is not let run at once does not spoil the
// measure.
static ssize_t receive_one(int fd, void *bytes, size_t size, uint64_t *time_ns) {
    struct iovec part = {.iov_base = bytes, .iov_len = size};
    union {
        struct cmsghdr header;
        uint8_t bytes[CMSG_SPACE(sizeof(struct timespec))];
    } control;
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    ssize_t received = recvmsg(fd, &message, 0);
    struct cmsghdr *header = received >= 0 ? CMSG_FIRSTHDR(&message) : NULL;
    if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_TIMESTAMPNS) {
        struct timespec t;
        memcpy(&t, CMSG_DATA(header), sizeof t);
        *time_ns = (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
    }
    return received;
}

// Until nothing has come for a while.
static struct stream receive(int fd, int quiet_ms) {
    struct stream stream = {0};
    uint8_t datagram[DATAGRAM];
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    while (poll(&ready, 1, stream.received > 0 ? quiet_ms : 5000) > 0) {
        if (receive_one(fd, datagram, sizeof datagram, &stream.last_ns) != DATAGRAM) continue;
        if (stream.received++ == 0) stream.first_ns = stream.last_ns;
        memcpy(&stream.highest, datagram, sizeof stream.highest);
    }
    return stream;
}

static void print_stream(const struct stream *stream) {
    double span_s = (double)(stream->last_ns - stream->first_ns) / 1e9;
    double bits = stream->received > 1 ? (double)(stream->received - 1) * (DATAGRAM + HEADERS) * 8 : 0;
    printf("{\"received\":%" PRIu64 ",\"numbered\":%" PRIu64 ",\"rate_bps\":%.0f}\n", stream->received,
           stream->highest + 1, span_s > 0 ? bits / span_s : 0);
}

struct udp_request {
    uint64_t duration_ns;
    uint64_t offered_bps;
    bool down;
};

// The far end of `probe udp`, one request at a time.
static void serve_blasts(void) {
    int fd = open_socket(SOCK_DGRAM, "0.0.0.0", BLAST_PORT);
    for (;;) {
        struct udp_request request;
        struct sockaddr_in peer;
        socklen_t peer_size = sizeof peer;
        if (recvfrom(fd, &request, sizeof request, 0, (struct sockaddr *)&peer, &peer_size) != sizeof request)
            continue;
        if (connect(fd, (struct sockaddr *)&peer, sizeof peer) < 0) fail("connect");
        if (request.down) {
            blast(fd, request.duration_ns, request.offered_bps);
        } else {
            send(fd, &request, sizeof request, 0);
            struct stream stream = receive(fd, 1000);
            send(fd, &stream, sizeof stream, 0);
        }
        peer.sin_family = AF_UNSPEC;
        connect(fd, (struct sockaddr *)&peer, sizeof peer);
    }
}

static void serve_echo(void) {
    int fd = open_socket(SOCK_DGRAM, "0.0.0.0", ECHO_PORT);
    uint8_t datagram[DATAGRAM];
    for (;;) {
        struct sockaddr_in peer;
        socklen_t peer_size = sizeof peer;
        ssize_t size = recvfrom(fd, datagram, sizeof datagram, 0, (struct sockaddr *)&peer, &peer_size);
        if (size >= 0) sendto(fd, datagram, (size_t)size, 0, (struct sockaddr *)&peer, peer_size);
    }
}

// What a receiver saw of a connection: bytes after the first moment past `skip_ns`, and the time between.
struct goodput {
    uint64_t bytes;
    uint64_t span_ns;
};

static struct goodput drain(int fd, uint64_t skip_ns) {
    struct goodput goodput = {0};
    uint64_t start_ns = clock_now_ns(), from_ns = 0;
    static uint8_t block[1 << 18];
    ssize_t size;
    while ((size = read(fd, block, sizeof block)) > 0) {
        uint64_t now_ns = clock_now_ns();
        if (from_ns > 0) {
            goodput.bytes += (uint64_t)size;
            goodput.span_ns = now_ns - from_ns;
        } else if (now_ns - start_ns >= skip_ns) {
            from_ns = now_ns;
        }
    }
    return goodput;
}

static void fill(int fd, uint64_t duration_ns) {
    static const uint8_t block[1 << 16];
    uint64_t end_ns = clock_now_ns() + duration_ns;
    while (clock_now_ns() < end_ns && send(fd, block, sizeof block, MSG_NOSIGNAL) > 0) {
    }
    shutdown(fd, SHUT_WR);
}

struct tcp_request {
    uint64_t duration_ns;
    uint64_t skip_ns;
    bool down;
};

static void serve_tcp(void) {
    int listener = open_socket(SOCK_STREAM, "0.0.0.0", TCP_PORT);
    setsockopt(listener, IPPROTO_TCP, TCP_CONGESTION, "cubic", 5);
    if (listen(listener, 8) < 0) fail("listen");
    for (;;) {
        int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        struct tcp_request request;
        if (fd < 0 || read(fd, &request, sizeof request) != sizeof request) continue;
        if (request.down) {
            fill(fd, request.duration_ns);
        } else {
            struct goodput goodput = drain(fd, request.skip_ns);
            if (write(fd, &goodput, sizeof goodput) < 0) fail("write");
        }
        close(fd);
    }
}

static int compare(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void probe_rtt(int count, uint64_t interval_ns, size_t payload) {
    int fd = connect_to_far(SOCK_DGRAM, ECHO_PORT);
    uint64_t *rtts_ns = calloc((size_t)count, sizeof *rtts_ns);
    if (!rtts_ns || payload > DATAGRAM || payload < 16) fail("arguments");
    prctl(PR_SET_TIMERSLACK, 1UL);
    int received = 0, sent = 0;
    uint64_t next_ns = clock_now_ns(), give_up_ns = next_ns + (uint64_t)count * interval_ns + 3 * NS_PER_S;
    while (received < count && clock_now_ns() < give_up_ns) {
        uint8_t datagram[DATAGRAM] = {0};
        uint64_t now_ns = clock_now_ns();
        if (sent < count && now_ns >= next_ns) {
            memcpy(datagram, &now_ns, sizeof now_ns);
            if (send(fd, datagram, payload, 0) < 0) fail("send");
            sent++;
            next_ns += interval_ns;
            continue;
        }
        uint64_t wait_ns = sent < count ? next_ns - now_ns : 100 * NS_PER_MS;
        struct timespec t = {.tv_sec = (time_t)(wait_ns / NS_PER_S), .tv_nsec = (long)(wait_ns % NS_PER_S)};
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        if (ppoll(&ready, 1, &t, NULL) <= 0) continue;
        uint64_t sent_ns;
        if (recv(fd, datagram, sizeof datagram, 0) < (ssize_t)sizeof sent_ns) continue;
        memcpy(&sent_ns, datagram, sizeof sent_ns);
        rtts_ns[received++] = clock_now_ns() - sent_ns;
    }
    if (received == 0) fail("no answer");
    qsort(rtts_ns, (size_t)received, sizeof *rtts_ns, compare);
    printf(
        "{\"sent\":%d,\"received\":%d,\"min_us\":%.1f,\"median_us\":%.1f,\"p99_us\":%.1f,\"max_us\":%.1f}\n",
        sent, received, (double)rtts_ns[0] / 1e3, (double)rtts_ns[received / 2] / 1e3,
        (double)rtts_ns[(size_t)received * 99 / 100] / 1e3, (double)rtts_ns[received - 1] / 1e3);
    free(rtts_ns);
    close(fd);
}

static void probe_udp(bool down, uint64_t duration_ns, uint64_t offered_bps) {
    int fd = connect_to_far(SOCK_DGRAM, BLAST_PORT);
    struct udp_request request;
    memset(&request, 0, sizeof request);
    request.duration_ns = duration_ns;
    request.offered_bps = offered_bps;
    request.down = down;
    if (send(fd, &request, sizeof request, 0) < 0) fail("send");
    struct stream stream;
    if (down) {
        stream = receive(fd, 1000);
    } else {
        if (recv(fd, &request, sizeof request, 0) != sizeof request) fail("no answer");
        blast(fd, duration_ns, offered_bps);
        if (recv(fd, &stream, sizeof stream, 0) != sizeof stream) fail("no result");
    }
    print_stream(&stream);
    close(fd);
}

static void probe_tcp(bool down, uint64_t duration_ns, uint64_t skip_ns) {
    int fd = connect_to_far(SOCK_STREAM, TCP_PORT);
    struct tcp_request request;
    memset(&request, 0, sizeof request);
    request.duration_ns = duration_ns;
    request.skip_ns = skip_ns;
    request.down = down;
    if (write(fd, &request, sizeof request) < 0) fail("write");
    struct goodput goodput;
    if (down) {
        goodput = drain(fd, skip_ns);
    } else {
        fill(fd, duration_ns);
        if (read(fd, &goodput, sizeof goodput) != sizeof goodput) fail("no result");
    }
    printf("{\"bytes\":%" PRIu64 ",\"rate_bps\":%.0f}\n", goodput.bytes,
           goodput.span_ns > 0 ? (double)goodput.bytes * 8e9 / (double)goodput.span_ns : 0);
    close(fd);
}

static void start_server(void (*serve)(void)) {
    pid_t pid = fork();
    if (pid < 0) fail("fork");
    if (pid > 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    serve();
    _exit(1);
}

// Serves on the far side, in a lab of its own, while the command runs; ends with the command's status.
static int run_far(char **command) {
    struct netlink netlink;
    namespace_enter_lab();
    if (netlink_open(&netlink) < 0 || netlink_link_up(&netlink, "lo", 0) < 0) fail("lo");
    netlink_close(&netlink);
    start_server(serve_echo);
    start_server(serve_blasts);
    start_server(serve_tcp);
    pid_t pid = fork();
    if (pid < 0) fail("fork");
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        execvp(command[0], command);
        fail(command[0]);
    }
    int status;
    if (waitpid(pid, &status, 0) < 0) fail("wait");
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static uint64_t seconds(const char *text) {
    return (uint64_t)(strtod(text, NULL) * 1e9);
}

int main(int argc, char **argv) {
    if (argc >= 3 && strcmp(argv[1], "far") == 0) return run_far(argv + 2);
    if (argc >= 4 && strcmp(argv[1], "rtt") == 0)
        probe_rtt(atoi(argv[2]), strtoull(argv[3], NULL, 10) * NS_PER_US,
                  argc > 4 ? (size_t)atoi(argv[4]) : 64);
    else if (argc == 5 && strcmp(argv[1], "udp") == 0)
        probe_udp(strcmp(argv[2], "down") == 0, seconds(argv[3]), strtoull(argv[4], NULL, 10));
    else if (argc == 5 && strcmp(argv[1], "tcp") == 0)
        probe_tcp(strcmp(argv[2], "down") == 0, seconds(argv[3]), seconds(argv[4]));
    else {
        fputs("probe: see the top of probe.c for its arguments\n", stderr);
        return 2;
    }
    return 0;
}
