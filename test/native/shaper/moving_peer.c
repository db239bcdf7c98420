// Two ends of a link whose path moves. `moving_peer far COMMAND...` serves in a lab of its own while COMMAND
// runs: UDP, answered with the address and port that it came from, and TCP, echoed. `moving_peer near 4|6
// PEERS`, on the near side, talks to both until PEERS different addresses and ports were seen and the
// connection has died, and prints one line of JSON. Ends by what it sees, and after half a minute whatever it
// saw. Judges nothing.
#include "base/clock.h"
#include "base/namespace.h"
#include "base/netlink.h"

#include <arpa/inet.h>
#include <errno.h>
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
#include <unistd.h>

enum { UDP_PORT = 7100, TCP_PORT = 7101, PEERS_MAX = 8, PEER_SIZE = 80 };

static const uint64_t longest_ns = 30 * NS_PER_S;

__attribute__((noreturn)) static void fail(const char *what) {
    fprintf(stderr, "moving_peer: %s: %s\n", what, strerror(errno));
    exit(1);
}

// Of IPv6, which takes IPv4 too.
static int serving_socket(int type, uint16_t port) {
    struct sockaddr_in6 name = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    int fd = socket(AF_INET6, type | SOCK_CLOEXEC, 0), on = 1, off = 0;
    if (fd < 0) fail("socket");
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    if (bind(fd, (struct sockaddr *)&name, sizeof name) < 0) fail("bind");
    return fd;
}

static void serve_udp(void) {
    int fd = serving_socket(SOCK_DGRAM, UDP_PORT);
    for (;;) {
        char datagram[PEER_SIZE], address[INET6_ADDRSTRLEN];
        struct sockaddr_in6 peer;
        socklen_t size = sizeof peer;
        if (recvfrom(fd, datagram, sizeof datagram, 0, (struct sockaddr *)&peer, &size) < 0) continue;
        inet_ntop(AF_INET6, &peer.sin6_addr, address, sizeof address);
        const char *plain = strncmp(address, "::ffff:", 7) == 0 ? address + 7 : address;
        int length = snprintf(datagram, sizeof datagram, "%s %u", plain, ntohs(peer.sin6_port));
        sendto(fd, datagram, (size_t)length, 0, (struct sockaddr *)&peer, size);
    }
}

static void serve_tcp(void) {
    signal(SIGCHLD, SIG_IGN);
    int listener = serving_socket(SOCK_STREAM, TCP_PORT);
    if (listen(listener, 8) < 0) fail("listen");
    for (;;) {
        int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        if (fd < 0) continue;
        if (fork() == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            char byte;
            while (read(fd, &byte, 1) == 1 && send(fd, &byte, 1, MSG_NOSIGNAL) == 1) {
            }
            _exit(0);
        }
        close(fd);
    }
}

static void start_server(void (*serve)(void)) {
    pid_t pid = fork();
    if (pid < 0) fail("fork");
    if (pid > 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    serve();
    _exit(1);
}

static int run_far(char **command) {
    struct netlink netlink;
    namespace_enter_lab();
    if (netlink_open(&netlink) < 0 || netlink_link_up(&netlink, "lo", 0) < 0) fail("lo");
    netlink_close(&netlink);
    start_server(serve_udp);
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

// Connected to the far side; -1 with errno.
static int connect_to_far(int type, bool v6) {
    struct sockaddr_in far = {.sin_family = AF_INET,
                              .sin_port = htons(type == SOCK_DGRAM ? UDP_PORT : TCP_PORT)};
    struct sockaddr_in6 far_6 = {.sin6_family = AF_INET6, .sin6_port = far.sin_port};
    inet_pton(AF_INET, "100.64.0.1", &far.sin_addr);
    inet_pton(AF_INET6, "fd00:7472::1", &far_6.sin6_addr);
    struct timeval wait = {.tv_sec = 2};
    int fd = socket(v6 ? AF_INET6 : AF_INET, type | SOCK_CLOEXEC, 0);
    if (fd < 0) fail("socket");
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
    int result = v6 ? connect(fd, (struct sockaddr *)&far_6, sizeof far_6)
                    : connect(fd, (struct sockaddr *)&far, sizeof far);
    if (result == 0) return fd;
    close(fd);
    return -1;
}

struct seen {
    int count;
    char peers[PEERS_MAX][PEER_SIZE];
    int unanswered;
    int died; // errno of the TCP connection; 0: it lives
};

static bool echoes(int fd) {
    char byte = 'e';
    if (send(fd, &byte, 1, MSG_NOSIGNAL) == 1 && recv(fd, &byte, 1, 0) == 1) return true;
    if (errno == 0) errno = EPIPE;
    return false;
}

static void ask_udp(int fd, struct seen *seen) {
    char answer[PEER_SIZE] = "";
    if (send(fd, "?", 1, 0) < 0) return;
    ssize_t size = recv(fd, answer, sizeof answer - 1, 0);
    if (size <= 0) {
        seen->unanswered++;
        return;
    }
    answer[size] = 0;
    bool known = seen->count > 0 && strcmp(seen->peers[seen->count - 1], answer) == 0;
    if (!known && seen->count < PEERS_MAX) snprintf(seen->peers[seen->count++], PEER_SIZE, "%s", answer);
}

static int run_near(bool v6, int peers) {
    struct seen seen = {0};
    struct timeval patience = {.tv_usec = 200000};
    int udp = connect_to_far(SOCK_DGRAM, v6), tcp = connect_to_far(SOCK_STREAM, v6);
    if (udp < 0 || tcp < 0) fail("connect");
    setsockopt(udp, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    uint64_t end_ns = clock_now_ns() + longest_ns;
    while ((seen.count < peers || seen.died == 0) && clock_now_ns() < end_ns) {
        ask_udp(udp, &seen);
        errno = 0;
        if (seen.died == 0 && !echoes(tcp)) seen.died = errno;
        poll(NULL, 0, 10);
    }
    bool again = false;
    for (int tries = 0; tries < 5 && !again; tries++) {
        int fd = connect_to_far(SOCK_STREAM, v6);
        again = fd >= 0 && echoes(fd);
        if (fd >= 0) close(fd);
    }
    printf("{\"peers\":[");
    for (int i = 0; i < seen.count; i++)
        printf("%s\"%s\"", i > 0 ? "," : "", seen.peers[i]);
    printf("],\"unanswered\":%d,\"reset\":%s,\"again\":%s}\n", seen.unanswered,
           seen.died == ECONNRESET ? "true" : "false", again ? "true" : "false");
    return 0;
}

int main(int argc, char **argv) {
    if (argc >= 3 && strcmp(argv[1], "far") == 0) return run_far(argv + 2);
    if (argc == 4 && strcmp(argv[1], "near") == 0) return run_near(argv[2][0] == '6', atoi(argv[3]));
    fprintf(stderr, "usage: moving_peer far COMMAND... | near 4|6 PEERS\n");
    return 2;
}
