#include "replay/dns/dns.h"

#include "base/buf.h"
#include "base/clock.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    DNS_PORT = 53,
    QUERIES_PER_TURN = 64, // so that a flood of queries does not starve the servers in the same loop
    CONNECTIONS_MAX = 64,
    CONNECTION_IDLE_S = 10,
    LENGTH_SIZE = 2, // before each message over TCP
};

struct dns_connection {
    struct dns *dns;
    struct dns_connection *next, **link; // in the list of open ones
    struct loop_watch watch;
    struct loop_timer idle;
    struct buf in, out;
};

// One address family's two sockets.
struct dns_family {
    struct dns *dns;
    struct loop_watch udp, tcp;
};

struct dns {
    struct loop *loop;
    struct dns_zone *zone;
    struct dns_options options;
    struct dns_family v4, v6;
    struct dns_connection *connections;
    size_t connection_count;
    uint8_t query[DNS_MESSAGE_MAX];
    uint8_t answer[LENGTH_SIZE + DNS_MESSAGE_MAX];
};

static size_t answer_to(struct dns *dns, const uint8_t *query, size_t size, bool tcp) {
    struct dns_question question;
    bool reported;
    size_t answer_size =
        dns_answer(dns->zone, query, size, tcp, dns->answer + LENGTH_SIZE, &question, &reported);
    if (reported && dns->options.question)
        dns->options.question(dns->options.context, &question, clock_now_ns());
    return answer_size;
}

// ---- UDP ----

// Room for either family's packet info: where the query was sent to, and so where the answer comes from.
union control {
    char bytes[CMSG_SPACE(sizeof(struct in6_pktinfo))];
    struct cmsghdr align;
};

// Turns the control data of a received packet into that of its answer.
static void answer_from_queried(struct msghdr *message) {
    struct cmsghdr *control = CMSG_FIRSTHDR(message);
    if (!control) return;
    if (control->cmsg_level == IPPROTO_IP && control->cmsg_type == IP_PKTINFO) {
        struct in_pktinfo info;
        memcpy(&info, CMSG_DATA(control), sizeof info);
        info.ipi_spec_dst = info.ipi_addr;
        info.ipi_ifindex = 0; // the route back chooses the device
        memcpy(CMSG_DATA(control), &info, sizeof info);
    } else if (control->cmsg_level == IPPROTO_IPV6 && control->cmsg_type == IPV6_PKTINFO) {
        struct in6_pktinfo info;
        memcpy(&info, CMSG_DATA(control), sizeof info);
        if (!IN6_IS_ADDR_LINKLOCAL(&info.ipi6_addr)) info.ipi6_ifindex = 0;
        memcpy(CMSG_DATA(control), &info, sizeof info);
    }
}

static void udp_ready(void *context, uint32_t events) {
    struct dns_family *family = context;
    struct dns *dns = family->dns;
    (void)events;
    for (int i = 0; i < QUERIES_PER_TURN; i++) {
        struct sockaddr_storage peer;
        union control control;
        struct iovec data = {.iov_base = dns->query, .iov_len = sizeof dns->query};
        struct msghdr message = {.msg_name = &peer,
                                 .msg_namelen = sizeof peer,
                                 .msg_iov = &data,
                                 .msg_iovlen = 1,
                                 .msg_control = control.bytes,
                                 .msg_controllen = sizeof control.bytes};
        ssize_t size = recvmsg(family->udp.fd, &message, 0);
        if (size < 0) {
            // An earlier answer's ICMP error may stand before the next query.
            if (errno == EAGAIN || errno == EBADF) return;
            continue;
        }
        size_t answer_size = answer_to(dns, dns->query, (size_t)size, false);
        if (answer_size == 0) continue;
        answer_from_queried(&message);
        data = (struct iovec){.iov_base = dns->answer + LENGTH_SIZE, .iov_len = answer_size};
        message.msg_flags = 0;
        // An answer that cannot be sent now is a lost packet: the asker asks again.
        sendmsg(family->udp.fd, &message, MSG_NOSIGNAL);
    }
}

// ---- TCP ----

static void connection_close(struct dns_connection *connection) {
    struct dns *dns = connection->dns;
    loop_timer_clear(dns->loop, &connection->idle);
    loop_remove(dns->loop, &connection->watch);
    close(connection->watch.fd);
    *connection->link = connection->next;
    if (connection->next) connection->next->link = connection->link;
    dns->connection_count--;
    buf_free(&connection->in);
    buf_free(&connection->out);
    free(connection);
}

static void connection_idle(void *context, uint64_t now_ns) {
    (void)now_ns;
    connection_close(context);
}

// Answers the whole queries that have come; one at a time goes out, so a peer that does not read holds no
// memory.
static int answer_queries(struct dns_connection *connection) {
    struct dns *dns = connection->dns;
    while (buf_size(&connection->out) == 0 && buf_size(&connection->in) >= LENGTH_SIZE) {
        const uint8_t *in = buf_bytes(&connection->in);
        size_t size = (size_t)in[0] << 8 | in[1];
        if (buf_size(&connection->in) - LENGTH_SIZE < size) return 0;
        size_t answer_size = answer_to(dns, in + LENGTH_SIZE, size, true);
        buf_drain(&connection->in, LENGTH_SIZE + size);
        if (answer_size == 0) continue;
        dns->answer[0] = (uint8_t)(answer_size >> 8);
        dns->answer[1] = (uint8_t)answer_size;
        if (buf_add(&connection->out, dns->answer, LENGTH_SIZE + answer_size) < 0) return -1;
        ssize_t sent =
            send(connection->watch.fd, buf_bytes(&connection->out), buf_size(&connection->out), MSG_NOSIGNAL);
        if (sent < 0 && errno != EAGAIN && errno != EINTR) return -1;
        if (sent > 0) buf_drain(&connection->out, (size_t)sent);
    }
    return 0;
}

// Reads at most one buffer a turn: level-triggered, the rest comes back. -1 when the peer has gone.
static int read_queries(struct dns_connection *connection) {
    struct dns *dns = connection->dns;
    ssize_t size = recv(connection->watch.fd, dns->query, sizeof dns->query, 0);
    if (size < 0) return errno == EAGAIN || errno == EINTR ? 0 : -1;
    if (size == 0) return -1;
    return buf_add(&connection->in, dns->query, (size_t)size);
}

static void tcp_ready(void *context, uint32_t events) {
    struct dns_connection *connection = context;
    struct dns *dns = connection->dns;
    if (buf_size(&connection->out) > 0) {
        ssize_t sent =
            send(connection->watch.fd, buf_bytes(&connection->out), buf_size(&connection->out), MSG_NOSIGNAL);
        if (sent < 0 && errno != EAGAIN && errno != EINTR) goto gone;
        if (sent > 0) buf_drain(&connection->out, (size_t)sent);
    } else if (events & (EPOLLIN | EPOLLHUP | EPOLLERR) && read_queries(connection) < 0) {
        goto gone;
    }
    if (answer_queries(connection) < 0) goto gone;
    uint64_t due_ns = clock_now_ns() + CONNECTION_IDLE_S * NS_PER_S;
    if (loop_modify(dns->loop, &connection->watch, buf_size(&connection->out) > 0 ? EPOLLOUT : EPOLLIN) < 0 ||
        loop_timer_set(dns->loop, &connection->idle, due_ns) < 0)
        goto gone;
    return;
gone:
    connection_close(connection);
}

static void connection_open(struct dns *dns, int fd) {
    struct dns_connection *connection =
        dns->connection_count < CONNECTIONS_MAX ? calloc(1, sizeof *connection) : NULL;
    if (!connection) {
        close(fd);
        return;
    }
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    connection->dns = dns;
    connection->watch = (struct loop_watch){.fd = fd, .ready = tcp_ready, .context = connection};
    connection->idle = (struct loop_timer){.due = connection_idle, .context = connection};
    connection->next = dns->connections;
    connection->link = &dns->connections;
    if (connection->next) connection->next->link = &connection->next;
    dns->connections = connection;
    dns->connection_count++;
    if (loop_add(dns->loop, &connection->watch, EPOLLIN) < 0 ||
        loop_timer_set(dns->loop, &connection->idle, clock_now_ns() + CONNECTION_IDLE_S * NS_PER_S) < 0)
        connection_close(connection);
}

// Edge-triggered: when descriptors run out, the loop does not spin on what it cannot accept.
static void accept_ready(void *context, uint32_t events) {
    struct dns_family *family = context;
    (void)events;
    for (;;) {
        int fd = accept4(family->tcp.fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0)
            connection_open(family->dns, fd);
        else if (errno != EINTR && errno != ECONNABORTED)
            return;
    }
}

// ---- Set-up ----

// A bound socket on port 53 of all addresses of the family; -1 with errno.
static int open_socket(int family, int type) {
    int fd = socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) return -1;
    int on = 1;
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(DNS_PORT)};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(DNS_PORT)};
    const struct sockaddr *address = family == AF_INET ? (struct sockaddr *)&v4 : (struct sockaddr *)&v6;
    socklen_t address_size = family == AF_INET ? sizeof v4 : sizeof v6;
    int status = 0;
    if (family == AF_INET6) status |= setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
    if (type == SOCK_DGRAM && family == AF_INET)
        status |= setsockopt(fd, IPPROTO_IP, IP_PKTINFO, &on, sizeof on);
    if (type == SOCK_DGRAM && family == AF_INET6)
        status |= setsockopt(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof on);
    if (type == SOCK_STREAM) status |= setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (status == 0) status = bind(fd, address, address_size);
    if (status == 0 && type == SOCK_STREAM) status = listen(fd, 64);
    if (status == 0) return fd;
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

static int family_open(struct dns *dns, struct dns_family *out, int family) {
    out->dns = dns;
    out->udp = (struct loop_watch){.fd = open_socket(family, SOCK_DGRAM), .ready = udp_ready, .context = out};
    if (out->udp.fd < 0) return -1;
    out->tcp =
        (struct loop_watch){.fd = open_socket(family, SOCK_STREAM), .ready = accept_ready, .context = out};
    if (out->tcp.fd < 0) return -1;
    if (loop_add(dns->loop, &out->udp, EPOLLIN) < 0) return -1;
    return loop_add(dns->loop, &out->tcp, EPOLLIN | EPOLLET);
}

static void family_close(struct dns *dns, struct dns_family *family) {
    struct loop_watch *watches[] = {&family->udp, &family->tcp};
    for (size_t i = 0; i < 2; i++) {
        if (watches[i]->fd < 0) continue;
        loop_remove(dns->loop, watches[i]);
        close(watches[i]->fd);
    }
}

int dns_open(struct dns **out, struct loop *loop, const struct recording *recording,
             const struct dns_options *options, char *error, size_t error_size) {
    struct dns *dns = calloc(1, sizeof *dns);
    if (!dns) {
        snprintf(error, error_size, "dns: out of memory");
        return -1;
    }
    dns->loop = loop;
    dns->options = *options;
    dns->v4.udp.fd = dns->v4.tcp.fd = dns->v6.udp.fd = dns->v6.tcp.fd = -1;
    if (dns_zone_open(&dns->zone, recording, options->https_alpn, options->twins, error, error_size) < 0)
        goto fail;
    // A kernel without IPv6 has no IPv6 address to answer from either.
    if (family_open(dns, &dns->v4, AF_INET) < 0 ||
        (family_open(dns, &dns->v6, AF_INET6) < 0 && errno != EAFNOSUPPORT)) {
        snprintf(error, error_size, "dns: cannot serve on port %d: %s%s", DNS_PORT, strerror(errno),
                 errno == EADDRINUSE ? ": another server is on it in this namespace" : "");
        goto fail;
    }
    dns->options.https_alpn = NULL; // the zone has its own
    *out = dns;
    return 0;
fail:
    dns_close(dns);
    return -1;
}

void dns_close(struct dns *dns) {
    if (!dns) return;
    while (dns->connections)
        connection_close(dns->connections);
    family_close(dns, &dns->v4);
    family_close(dns, &dns->v6);
    dns_zone_close(dns->zone);
    free(dns);
}
