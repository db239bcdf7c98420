#include "quic_io/udp.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <netinet/udp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    BATCH_PACKETS = 64,
    BATCHES_PER_TURN = 4, // then the loop's other descriptors have their turn
};

union control {
    struct cmsghdr align;
    uint8_t bytes[CMSG_SPACE(sizeof(struct in6_pktinfo)) + CMSG_SPACE(sizeof(uint16_t))];
};

struct udp {
    struct loop *loop;
    struct loop_watch watch;
    struct udp_handler handler;
    uint16_t port;
    bool awaits_room;
    enum udp_batching batching;

    struct mmsghdr messages[BATCH_PACKETS];
    struct iovec pieces[BATCH_PACKETS];
    union control controls[BATCH_PACKETS];
    struct udp_packet packets[BATCH_PACKETS];
    struct sockaddr_in6 peers[BATCH_PACKETS];
    uint8_t bytes[BATCH_PACKETS][UDP_PACKET_MAX];
};

static bool local_address(struct msghdr *message, struct in6_addr *address) {
    for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
        if (c->cmsg_level != IPPROTO_IPV6 || c->cmsg_type != IPV6_PKTINFO) continue;
        struct in6_pktinfo info;
        memcpy(&info, CMSG_DATA(c), sizeof info);
        *address = info.ipi6_addr;
        return true;
    }
    return false;
}

// Returns how many packets the kernel had, or -1; what is usable of them goes to the handler.
static int receive_batch(struct udp *udp) {
    for (int i = 0; i < BATCH_PACKETS; i++) {
        udp->pieces[i] = (struct iovec){udp->bytes[i], UDP_PACKET_MAX};
        udp->messages[i].msg_hdr = (struct msghdr){
            .msg_name = &udp->peers[i],
            .msg_namelen = sizeof udp->peers[i],
            .msg_iov = &udp->pieces[i],
            .msg_iovlen = 1,
            .msg_control = &udp->controls[i],
            .msg_controllen = sizeof udp->controls[i],
        };
    }
    int count = recvmmsg(udp->watch.fd, udp->messages, BATCH_PACKETS, MSG_DONTWAIT, NULL);
    size_t usable = 0;
    for (int i = 0; i < count; i++) {
        struct msghdr *message = &udp->messages[i].msg_hdr;
        struct udp_packet *packet = &udp->packets[usable];
        if (message->msg_flags & MSG_TRUNC || message->msg_namelen != sizeof udp->peers[i]) continue;
        *packet = (struct udp_packet){
            .local = {.sin6_family = AF_INET6, .sin6_port = htons(udp->port)},
            .peer = udp->peers[i],
            .bytes = udp->bytes[i],
            .size = udp->messages[i].msg_len,
        };
        packet->peer.sin6_flowinfo = 0;
        if (local_address(message, &packet->local.sin6_addr)) usable++;
    }
    if (usable > 0) udp->handler.received(udp->handler.context, udp->packets, usable);
    return count;
}

static void ready(void *context, uint32_t events) {
    struct udp *udp = context;
    if (events & EPOLLOUT && udp->awaits_room) {
        udp->awaits_room = false;
        loop_modify(udp->loop, &udp->watch, EPOLLIN);
        udp->handler.writable(udp->handler.context);
    }
    // An error on the socket (an ICMP answer to a packet of ours) is read off by recvmmsg as -1; QUIC has its
    // own timers for peers that went away.
    for (int i = 0; i < BATCHES_PER_TURN; i++) {
        const int count = receive_batch(udp);
        if (count < 0 && errno == ECONNREFUSED && udp->handler.refused)
            udp->handler.refused(udp->handler.context);
        if (count < BATCH_PACKETS) break;
    }
}

void udp_receive_now(struct udp *udp) {
    while (receive_batch(udp) > 0)
        ;
}

void udp_set_batching(struct udp *udp, enum udp_batching batching) {
    udp->batching = batching;
}

enum udp_batching udp_batching_of(const struct udp *udp) {
    return udp->batching;
}

// The kernel doubles the size, for its own overhead, and returns the double.
static uint32_t set_buffer(const struct udp *udp, int option, uint32_t size_bytes) {
    int bytes = size_bytes < INT_MAX ? (int)size_bytes : INT_MAX;
    socklen_t size = sizeof bytes;
    setsockopt(udp->watch.fd, SOL_SOCKET, option, &bytes, sizeof bytes);
    if (getsockopt(udp->watch.fd, SOL_SOCKET, option, &bytes, &size) < 0) return 0;
    return (uint32_t)bytes / 2;
}

uint32_t udp_set_send_buffer(struct udp *udp, uint32_t size_bytes) {
    return set_buffer(udp, SO_SNDBUF, size_bytes);
}

uint32_t udp_set_receive_buffer(struct udp *udp, uint32_t size_bytes) {
    return set_buffer(udp, SO_RCVBUF, size_bytes);
}

static int bind_wildcard(struct udp *udp, uint16_t port) {
    int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    udp->watch.fd = fd;
    if (fd < 0) return -1;
    int off = 0, on = 1, discover = IPV6_PMTUDISC_DO, discover_v4 = IP_PMTUDISC_DO;
    // RFC 9000, 14: QUIC packets are not fragmented.
    setsockopt(fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER, &discover, sizeof discover);
    setsockopt(fd, IPPROTO_IP, IP_MTU_DISCOVER, &discover_v4, sizeof discover_v4);
    struct sockaddr_in6 address = {
        .sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = in6addr_any};
    socklen_t size = sizeof address;
    if (setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) < 0 ||
        setsockopt(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof on) < 0 ||
        bind(fd, (struct sockaddr *)&address, sizeof address) < 0 ||
        getsockname(fd, (struct sockaddr *)&address, &size) < 0)
        return -1;
    udp->port = ntohs(address.sin6_port);
    return 0;
}

int udp_open(struct udp **out, struct loop *loop, uint16_t port, const struct udp_handler *handler,
             char *error, size_t error_size) {
    struct udp *udp = calloc(1, sizeof *udp);
    if (!udp) {
        snprintf(error, error_size, "memory is short");
        return -1;
    }
    udp->loop = loop;
    udp->handler = *handler;
    udp->batching = UDP_BATCHING_GSO;
    udp->watch = (struct loop_watch){.fd = -1, .ready = ready, .context = udp};
    if (bind_wildcard(udp, port) < 0 || loop_add(loop, &udp->watch, EPOLLIN) < 0) {
        snprintf(error, error_size, "cannot listen on UDP port %u: %s", (unsigned)port, strerror(errno));
        if (udp->watch.fd >= 0) close(udp->watch.fd);
        free(udp);
        return -1;
    }
    *out = udp;
    return 0;
}

void udp_close(struct udp *udp) {
    if (!udp) return;
    loop_remove(udp->loop, &udp->watch);
    close(udp->watch.fd);
    free(udp);
}

uint16_t udp_port(const struct udp *udp) {
    return udp->port;
}

int udp_connect(struct udp *udp, const struct sockaddr_in6 *peer, struct sockaddr_in6 *local, char *error,
                size_t error_size) {
    socklen_t size = sizeof *local;
    if (connect(udp->watch.fd, (const struct sockaddr *)peer, sizeof *peer) == 0 &&
        getsockname(udp->watch.fd, (struct sockaddr *)local, &size) == 0) {
        local->sin6_flowinfo = 0;
        return 0;
    }
    snprintf(error, error_size, "no way to UDP port %u: %s", (unsigned)ntohs(peer->sin6_port),
             strerror(errno));
    return -1;
}

// The message that carries `piece` from the burst's address to its peer. `peer` and `control` are to live as
// long. segment_size: of what the kernel cuts it into; 0: it is one packet.
static struct msghdr message_of(const struct udp_burst *burst, struct sockaddr_in6 *peer, struct iovec *piece,
                                union control *control, uint16_t segment_size) {
    memset(control, 0, sizeof *control);
    *peer = burst->peer;
    struct msghdr message = {
        .msg_name = peer,
        .msg_namelen = sizeof *peer,
        .msg_iov = piece,
        .msg_iovlen = 1,
        .msg_control = control,
        .msg_controllen =
            CMSG_SPACE(sizeof(struct in6_pktinfo)) + (segment_size ? CMSG_SPACE(sizeof(uint16_t)) : 0),
    };
    struct cmsghdr *c = CMSG_FIRSTHDR(&message);
    c->cmsg_level = IPPROTO_IPV6;
    c->cmsg_type = IPV6_PKTINFO;
    c->cmsg_len = CMSG_LEN(sizeof(struct in6_pktinfo));
    struct in6_pktinfo from_address = {.ipi6_addr = burst->local.sin6_addr};
    memcpy(CMSG_DATA(c), &from_address, sizeof from_address);
    if (segment_size) {
        c = CMSG_NXTHDR(&message, c);
        c->cmsg_level = SOL_UDP;
        c->cmsg_type = UDP_SEGMENT;
        c->cmsg_len = CMSG_LEN(sizeof(uint16_t));
        memcpy(CMSG_DATA(c), &segment_size, sizeof segment_size);
    }
    return message;
}

static struct iovec piece_of(const struct udp_burst *burst, size_t from, size_t size) {
    size_t left = burst->size - from;
    return (struct iovec){(void *)(uintptr_t)(burst->bytes + from), left < size ? left : size};
}

static int send_one(const struct udp *udp, const struct udp_burst *burst, size_t from, size_t size,
                    uint16_t segment_size) {
    struct sockaddr_in6 peer;
    union control control;
    struct iovec piece = piece_of(burst, from, size);
    struct msghdr message = message_of(burst, &peer, &piece, &control, segment_size);
    return sendmsg(udp->watch.fd, &message, MSG_DONTWAIT) < 0 ? -1 : 1;
}

// How many of the packets from there on the kernel has taken, or -1.
static int send_many(struct udp *udp, const struct udp_burst *burst, size_t from) {
    struct mmsghdr messages[UDP_BURST_PACKETS_MAX];
    struct sockaddr_in6 peer;
    union control control;
    struct iovec pieces[UDP_BURST_PACKETS_MAX];
    unsigned count = 0;
    for (; from < burst->size && count < UDP_BURST_PACKETS_MAX; from += burst->segment_size, count++) {
        pieces[count] = piece_of(burst, from, burst->segment_size);
        messages[count].msg_hdr = message_of(burst, &peer, &pieces[count], &control, 0);
    }
    return sendmmsg(udp->watch.fd, messages, count, MSG_DONTWAIT);
}

// How many packets have gone, or -1.
static int send_some(struct udp *udp, const struct udp_burst *burst, size_t from) {
    size_t left = burst->size - from;
    if (udp->batching == UDP_BATCHING_NONE || left <= burst->segment_size)
        return send_one(udp, burst, from, burst->segment_size, 0);
    if (udp->batching == UDP_BATCHING_GSO) {
        size_t packets = (left + burst->segment_size - 1) / burst->segment_size;
        if (send_one(udp, burst, from, left, (uint16_t)burst->segment_size) > 0) return (int)packets;
        if (errno != EINVAL && errno != EIO && errno != EOPNOTSUPP) return -1;
        udp->batching = UDP_BATCHING_SENDMMSG; // a kernel or device without segmentation
    }
    return send_many(udp, burst, from);
}

static int send_burst(void *context, const struct udp_burst *burst) {
    struct udp *udp = context;
    for (size_t from = 0; from < burst->size;) {
        int sent = send_some(udp, burst, from);
        if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) && from == 0) {
            if (!udp->awaits_room) loop_modify(udp->loop, &udp->watch, EPOLLIN | EPOLLOUT);
            udp->awaits_room = true;
            return 0;
        }
        // Any other failure is a loss, for QUIC to repair.
        from += (sent > 0 ? (size_t)sent : 1) * burst->segment_size;
    }
    return 1;
}

struct udp_link udp_link(struct udp *udp) {
    return (struct udp_link){send_burst, udp};
}
