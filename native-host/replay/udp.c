#include "replay/udp.h"

#include <arpa/inet.h>
#include <errno.h>
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
    BATCHES_PER_TURN = 4,               // then the loop's other descriptors have their turn
    RECEIVE_BUFFER_BYTES = 1024 * 1024, // the kernel grants what net.core.rmem_max allows
    SEND_BUFFER_BYTES = 1024 * 1024,
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
    bool segments; // the kernel takes UDP_SEGMENT

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

// Returns how many packets the kernel had; what is usable of them goes to the handler.
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
    for (int i = 0; i < BATCHES_PER_TURN; i++)
        if (receive_batch(udp) < BATCH_PACKETS) break;
}

static int bind_wildcard(struct udp *udp, uint16_t port) {
    int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    udp->watch.fd = fd;
    if (fd < 0) return -1;
    int off = 0, on = 1, discover = IPV6_PMTUDISC_DO, discover_v4 = IP_PMTUDISC_DO;
    int receive_bytes = RECEIVE_BUFFER_BYTES, send_bytes = SEND_BUFFER_BYTES;
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof receive_bytes);
    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &send_bytes, sizeof send_bytes);
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
        snprintf(error, error_size, "h3: memory is short");
        return -1;
    }
    udp->loop = loop;
    udp->handler = *handler;
    udp->segments = true;
    udp->watch = (struct loop_watch){.fd = -1, .ready = ready, .context = udp};
    if (bind_wildcard(udp, port) < 0 || loop_add(loop, &udp->watch, EPOLLIN) < 0) {
        snprintf(error, error_size, "h3: cannot listen on UDP port %u: %s", (unsigned)port, strerror(errno));
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

static ssize_t send_segments(const struct udp *udp, const struct udp_burst *burst, size_t from, size_t size,
                             bool segmented) {
    union control control;
    memset(&control, 0, sizeof control);
    struct sockaddr_in6 peer = burst->peer;
    struct iovec piece = {(void *)(uintptr_t)(burst->bytes + from), size};
    struct msghdr message = {
        .msg_name = &peer,
        .msg_namelen = sizeof peer,
        .msg_iov = &piece,
        .msg_iovlen = 1,
        .msg_control = &control,
        .msg_controllen =
            CMSG_SPACE(sizeof(struct in6_pktinfo)) + (segmented ? CMSG_SPACE(sizeof(uint16_t)) : 0),
    };
    struct cmsghdr *c = CMSG_FIRSTHDR(&message);
    c->cmsg_level = IPPROTO_IPV6;
    c->cmsg_type = IPV6_PKTINFO;
    c->cmsg_len = CMSG_LEN(sizeof(struct in6_pktinfo));
    struct in6_pktinfo from_address = {.ipi6_addr = burst->local.sin6_addr};
    memcpy(CMSG_DATA(c), &from_address, sizeof from_address);
    if (segmented) {
        c = CMSG_NXTHDR(&message, c);
        c->cmsg_level = SOL_UDP;
        c->cmsg_type = UDP_SEGMENT;
        c->cmsg_len = CMSG_LEN(sizeof(uint16_t));
        uint16_t segment_size = (uint16_t)burst->segment_size;
        memcpy(CMSG_DATA(c), &segment_size, sizeof segment_size);
    }
    return sendmsg(udp->watch.fd, &message, MSG_DONTWAIT);
}

static int send_burst(void *context, const struct udp_burst *burst) {
    struct udp *udp = context;
    size_t step = udp->segments ? burst->size : burst->segment_size;
    for (size_t from = 0; from < burst->size;) {
        size_t size = burst->size - from < step ? burst->size - from : step;
        ssize_t sent = send_segments(udp, burst, from, size, size > burst->segment_size);
        if (sent < 0 && (errno == EINVAL || errno == EIO || errno == EOPNOTSUPP) &&
            size > burst->segment_size) {
            udp->segments = false; // a kernel or device without segmentation: one by one from here
            step = burst->segment_size;
            continue;
        }
        if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) && from == 0) {
            if (!udp->awaits_room) loop_modify(udp->loop, &udp->watch, EPOLLIN | EPOLLOUT);
            udp->awaits_room = true;
            return 0;
        }
        from += size; // any other failure is a loss, for QUIC to repair
    }
    return 1;
}

struct udp_link udp_link(struct udp *udp) {
    return (struct udp_link){send_burst, udp};
}
