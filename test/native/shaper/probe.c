// Measures a link from its two ends. `probe far COMMAND...` serves on every address of the namespace it is
// started in while COMMAND runs; the other modes, run on the near side, talk to it and print one line of
// JSON. `probe direct COMMAND...` is the same without a link: both sides are one machine's loopback.
//   probe rtt COUNT INTERVAL_US [PAYLOAD]   round trips of UDP datagrams
//   probe udp down|up SECONDS OFFERED_BPS   datagrams of 1472 bytes offered at a rate of IP bytes: rate, loss
//   probe tcp down|up SECONDS SKIP_SECONDS [WINDOW_BYTES]
//                                           one connection; goodput after the first SKIP_SECONDS
// A rate is the slope of what had arrived over the time of its arrival (least squares), so that a receiver
// that was not let run for a moment at either end of the time does not spoil it.
// Does not know what the link is meant to be: the caller compares.
#include "base/clock.h"
#include "base/namespace.h"
#include "base/netlink.h"
#include "base/schedule.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ECHO_PORT = 7000, BLAST_PORT = 7001, TCP_PORT = 7002, DATAGRAM = 1472, HEADERS = 28 };

// From this rate on datagrams are handed over several at once, as QUIC servers do.
static const uint64_t batched_bps = 200000000;
enum { BATCH = 8, RECEIVED_AT_ONCE = 64 };

#define FAR_SIDE "100.64.0.1"

// The sums of a least-squares line through (time, bytes so far).
struct slope {
    uint64_t first_ns;
    uint64_t last_ns;
    uint64_t bytes;
    double samples, time_s, size, time_time, time_size;
};

static void slope_add(struct slope *slope, uint64_t now_ns, uint64_t bytes) {
    if (slope->samples == 0) slope->first_ns = now_ns;
    slope->last_ns = now_ns;
    slope->bytes += slope->samples == 0 ? 0 : bytes; // what the first arrival ended is not known
    double time_s = (double)(now_ns - slope->first_ns) / 1e9, size = (double)slope->bytes;
    slope->samples++;
    slope->time_s += time_s;
    slope->size += size;
    slope->time_time += time_s * time_s;
    slope->time_size += time_s * size;
}

static double slope_bps(const struct slope *slope) {
    double spread = slope->samples * slope->time_time - slope->time_s * slope->time_s;
    double common = slope->samples * slope->time_size - slope->time_s * slope->size;
    return spread > 0 ? common / spread * 8 : 0;
}

// What a receiver saw of a stream of datagrams.
struct stream {
    uint64_t received;
    uint64_t highest; // number of the last datagram
    struct slope slope;
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

static int connect_to_far(uint16_t port) {
    int fd = open_socket(SOCK_DGRAM, "0.0.0.0", 0);
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
    static uint8_t datagrams[BATCH * DATAGRAM];
    int segment = DATAGRAM;
    uint64_t batch = offered_bps >= batched_bps ? BATCH : 1;
    if (batch > 1 && setsockopt(fd, SOL_UDP, UDP_SEGMENT, &segment, sizeof segment) < 0) batch = 1;
    uint64_t start_ns = clock_now_ns(), number = 0;
    for (;;) {
        uint64_t due_ns = start_ns + number * (DATAGRAM + HEADERS) * 8 * NS_PER_S / offered_bps;
        if (due_ns - start_ns >= duration_ns) return;
        if (due_ns > clock_now_ns() + 200 * NS_PER_US) sleep_until(due_ns);
        for (uint64_t i = 0; i < batch; i++, number++)
            memcpy(datagrams + i * DATAGRAM, &number, sizeof number);
        while (send(fd, datagrams, batch * DATAGRAM, 0) < 0 && (errno == EINTR || errno == ENOBUFS)) {
        }
    }
}

// When the kernel had the datagram: a receiver that is not let run at once does not spoil the measure.
static uint64_t time_of(struct msghdr *message) {
    struct cmsghdr *header = CMSG_FIRSTHDR(message);
    if (!header || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_TIMESTAMPNS)
        fail("time stamp");
    struct timespec t;
    memcpy(&t, CMSG_DATA(header), sizeof t);
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

static void set_patience(int fd, int wait_ms) {
    struct timeval wait = {.tv_sec = wait_ms / 1000, .tv_usec = wait_ms % 1000 * 1000};
    if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait) < 0) fail("time-out");
}

// Until nothing has come for a while.
static struct stream receive(int fd, int quiet_ms) {
    struct stream stream = {0};
    static uint8_t datagrams[RECEIVED_AT_ONCE][DATAGRAM];
    static union {
        struct cmsghdr header;
        uint8_t bytes[CMSG_SPACE(sizeof(struct timespec))];
    } controls[RECEIVED_AT_ONCE];
    struct iovec parts[RECEIVED_AT_ONCE];
    struct mmsghdr messages[RECEIVED_AT_ONCE];
    set_patience(fd, 5000);
    for (;;) {
        for (int i = 0; i < RECEIVED_AT_ONCE; i++) {
            parts[i] = (struct iovec){datagrams[i], DATAGRAM};
            messages[i].msg_hdr = (struct msghdr){.msg_iov = &parts[i],
                                                  .msg_iovlen = 1,
                                                  .msg_control = &controls[i],
                                                  .msg_controllen = sizeof controls[i]};
        }
        int count = recvmmsg(fd, messages, RECEIVED_AT_ONCE, MSG_WAITFORONE, NULL);
        if (count <= 0) break;
        if (stream.received == 0) set_patience(fd, quiet_ms);
        for (int i = 0; i < count; i++) {
            if (messages[i].msg_len != DATAGRAM) continue;
            stream.received++;
            slope_add(&stream.slope, time_of(&messages[i].msg_hdr), DATAGRAM + HEADERS);
            memcpy(&stream.highest, datagrams[i], sizeof stream.highest);
        }
    }
    set_patience(fd, 0);
    return stream;
}

static void print_stream(const struct stream *stream) {
    printf("{\"received\":%" PRIu64 ",\"numbered\":%" PRIu64 ",\"rate_bps\":%.0f}\n", stream->received,
           stream->highest + 1, slope_bps(&stream->slope));
}

struct udp_request {
    uint64_t duration_ns;
    uint64_t offered_bps;
    bool down;
};

// The far end of one `probe udp`: a connected socket of the same port, which gets this peer's datagrams.
__attribute__((noreturn)) static void serve_blast(const struct udp_request *request,
                                                  const struct sockaddr_in *peer) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int fd = open_socket(SOCK_DGRAM, "0.0.0.0", BLAST_PORT);
    if (connect(fd, (const struct sockaddr *)peer, sizeof *peer) < 0) fail("connect");
    if (request->down) {
        blast(fd, request->duration_ns, request->offered_bps);
    } else {
        send(fd, request, sizeof *request, 0);
        struct stream stream = receive(fd, 1000);
        send(fd, &stream, sizeof stream, 0);
    }
    _exit(0);
}

static void serve_blasts(void) {
    signal(SIGCHLD, SIG_IGN);
    int fd = open_socket(SOCK_DGRAM, "0.0.0.0", BLAST_PORT);
    for (;;) {
        struct udp_request request;
        struct sockaddr_in peer;
        socklen_t peer_size = sizeof peer;
        if (recvfrom(fd, &request, sizeof request, 0, (struct sockaddr *)&peer, &peer_size) != sizeof request)
            continue;
        if (fork() == 0) serve_blast(&request, &peer); // both directions may be measured at once
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

// What arrives of a connection from `skip_ns` to `end_ns` after now; the rest is read too.
static struct slope drain(int fd, uint64_t skip_ns, uint64_t end_ns) {
    struct slope slope = {0};
    uint64_t start_ns = clock_now_ns();
    static uint8_t block[1 << 18];
    ssize_t size;
    while ((size = read(fd, block, sizeof block)) > 0) {
        uint64_t now_ns = clock_now_ns(), time_ns = now_ns - start_ns;
        if (time_ns >= skip_ns && time_ns < end_ns) slope_add(&slope, now_ns, (uint64_t)size);
    }
    return slope;
}

static void fill(int fd, uint64_t duration_ns) {
    static const uint8_t block[44 * 1448]; // whole segments of 1500 bytes with time stamps
    uint64_t end_ns = clock_now_ns() + duration_ns;
    while (clock_now_ns() < end_ns && send(fd, block, sizeof block, MSG_NOSIGNAL) > 0) {
    }
    shutdown(fd, SHUT_WR);
}

struct tcp_request {
    uint64_t duration_ns;
    uint64_t skip_ns;
    int buffer_bytes; // of the sender; 0: the kernel's choice
    bool down;
};

// What the sender has under way at most. (A small window of the receiver's would do too, but its edges cut
// segments short.)
static void set_buffer(int fd, int buffer_bytes) {
    if (buffer_bytes > 0) setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &buffer_bytes, sizeof buffer_bytes);
}

static void serve_tcp(void) {
    signal(SIGCHLD, SIG_IGN);
    int listener = open_socket(SOCK_STREAM, "0.0.0.0", TCP_PORT);
    setsockopt(listener, IPPROTO_TCP, TCP_CONGESTION, "cubic", 5);
    if (listen(listener, 8) < 0) fail("listen");
    for (;;) {
        int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        if (fd < 0) continue;
        pid_t pid = fork(); // as above
        if (pid != 0) {
            close(fd);
            continue;
        }
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        struct tcp_request request;
        if (read(fd, &request, sizeof request) != sizeof request) _exit(1);
        if (request.down) {
            set_buffer(fd, request.buffer_bytes);
            fill(fd, request.duration_ns);
        } else {
            struct slope slope = drain(fd, request.skip_ns, request.duration_ns);
            if (write(fd, &slope, sizeof slope) < 0) fail("write");
        }
        _exit(0);
    }
}

static int compare(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void probe_rtt(int count, uint64_t interval_ns, size_t payload) {
    int fd = connect_to_far(ECHO_PORT);
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
    int fd = connect_to_far(BLAST_PORT);
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

static void probe_tcp(bool down, uint64_t duration_ns, uint64_t skip_ns, int buffer_bytes) {
    int fd = open_socket(SOCK_STREAM, "0.0.0.0", 0);
    struct sockaddr_in name = address_of(FAR_SIDE, TCP_PORT);
    if (connect(fd, (struct sockaddr *)&name, sizeof name) < 0) fail("connect");
    struct tcp_request request;
    memset(&request, 0, sizeof request);
    request.duration_ns = duration_ns;
    request.skip_ns = skip_ns;
    request.buffer_bytes = buffer_bytes;
    request.down = down;
    if (write(fd, &request, sizeof request) < 0) fail("write");
    struct slope slope;
    if (down) {
        slope = drain(fd, skip_ns, duration_ns);
    } else {
        set_buffer(fd, buffer_bytes);
        fill(fd, duration_ns);
        if (read(fd, &slope, sizeof slope) != sizeof slope) fail("no result");
    }
    printf("{\"bytes\":%" PRIu64 ",\"rate_bps\":%.0f}\n", slope.bytes, slope_bps(&slope));
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
static int run_far(bool direct, char **command) {
    struct netlink netlink;
    namespace_enter_lab();
    if (netlink_open(&netlink) < 0 || netlink_link_up(&netlink, "lo", 0) < 0) fail("lo");
    // As in a lab: the path without the link is to be the same machine's.
    if (direct) schedule_shallow_idle();
    if (direct && netlink_add_address(&netlink, "lo", FAR_SIDE, 32) < 0) fail("address");
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
    if (argc >= 3 && strcmp(argv[1], "far") == 0) return run_far(false, argv + 2);
    if (argc >= 3 && strcmp(argv[1], "direct") == 0) return run_far(true, argv + 2);
    if (argc >= 4 && strcmp(argv[1], "rtt") == 0)
        probe_rtt(atoi(argv[2]), strtoull(argv[3], NULL, 10) * NS_PER_US,
                  argc > 4 ? (size_t)atoi(argv[4]) : 64);
    else if (argc == 5 && strcmp(argv[1], "udp") == 0)
        probe_udp(strcmp(argv[2], "down") == 0, seconds(argv[3]), strtoull(argv[4], NULL, 10));
    else if (argc >= 5 && strcmp(argv[1], "tcp") == 0)
        probe_tcp(strcmp(argv[2], "down") == 0, seconds(argv[3]), seconds(argv[4]),
                  argc > 5 ? atoi(argv[5]) : 0);
    else {
        fputs("probe: see the top of probe.c for its arguments\n", stderr);
        return 2;
    }
    return 0;
}
