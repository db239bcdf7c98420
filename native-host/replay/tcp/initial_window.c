// Listens to the kernel's announcements of routes and answers each with the same route plus RTAX_INITCWND,
// replacing it. The replaced route is announced too, and then has the attribute: that ends it.
#include "replay/tcp/initial_window.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MESSAGE_BYTES = 16 * 1024, ROUTE_BYTES_MAX = 1024, RECEIVE_BYTES = 4 << 20 };

struct initial_window {
    struct loop *loop;
    struct loop_watch watch;
    uint32_t packets;
};

struct route_message {
    struct nlmsghdr header;
    struct rtmsg route;
    uint8_t attributes[ROUTE_BYTES_MAX];
};

static int add_attribute(struct route_message *message, uint16_t type, const void *value, size_t size) {
    size_t at = NLMSG_ALIGN(message->header.nlmsg_len);
    if (at + RTA_SPACE(size) > sizeof *message) return -1;
    struct rtattr attribute = {.rta_type = type, .rta_len = (uint16_t)RTA_LENGTH(size)};
    memcpy((uint8_t *)message + at, &attribute, sizeof attribute);
    memcpy((uint8_t *)message + at + RTA_LENGTH(0), value, size);
    message->header.nlmsg_len = (uint32_t)(at + RTA_LENGTH(size));
    return 0;
}

// The route's metrics with the initial window put in or replaced; their size, 0 if it is there already, -1 if
// too large.
static int metrics_with_window(const struct rtattr *old, uint32_t packets, uint8_t metrics[ROUTE_BYTES_MAX]) {
    size_t size = 0;
    size_t left = old ? RTA_PAYLOAD(old) : 0;
    for (const struct rtattr *m = old ? RTA_DATA(old) : NULL; m && RTA_OK(m, left); m = RTA_NEXT(m, left)) {
        if (m->rta_type == RTAX_INITCWND) {
            uint32_t value;
            memcpy(&value, RTA_DATA(m), sizeof value);
            if (value == packets) return 0;
            continue;
        }
        if (size + RTA_ALIGN(m->rta_len) + RTA_SPACE(sizeof packets) > ROUTE_BYTES_MAX) return -1;
        memcpy(metrics + size, m, m->rta_len);
        size += RTA_ALIGN(m->rta_len);
    }
    struct rtattr window = {.rta_type = RTAX_INITCWND, .rta_len = RTA_LENGTH(sizeof packets)};
    memcpy(metrics + size, &window, sizeof window);
    memcpy(metrics + size + RTA_LENGTH(0), &packets, sizeof packets);
    return (int)(size + RTA_SPACE(sizeof packets));
}

static void set_window(struct initial_window *initial_window, const struct nlmsghdr *announced) {
    const struct rtmsg *route = NLMSG_DATA(announced);
    if (announced->nlmsg_type != RTM_NEWROUTE || announced->nlmsg_len < NLMSG_LENGTH(sizeof *route)) return;
    if (route->rtm_type != RTN_UNICAST && route->rtm_type != RTN_LOCAL) return;
    struct route_message message;
    memset(&message, 0, sizeof message);
    message.header = (struct nlmsghdr){.nlmsg_len = NLMSG_LENGTH(sizeof message.route),
                                       .nlmsg_type = RTM_NEWROUTE,
                                       .nlmsg_flags = NLM_F_REQUEST | NLM_F_REPLACE};
    message.route = *route;
    message.route.rtm_flags = 0;
    const struct rtattr *old_metrics = NULL;
    size_t left = RTM_PAYLOAD(announced);
    for (const struct rtattr *a = RTM_RTA(route); RTA_OK(a, left); a = RTA_NEXT(a, left)) {
        if (a->rta_type == RTA_METRICS) old_metrics = a;
        if (a->rta_type == RTA_METRICS || a->rta_type == RTA_CACHEINFO) continue;
        if (add_attribute(&message, a->rta_type, RTA_DATA(a), RTA_PAYLOAD(a)) < 0) return;
    }
    uint8_t metrics[ROUTE_BYTES_MAX];
    int size = metrics_with_window(old_metrics, initial_window->packets, metrics);
    if (size <= 0 || add_attribute(&message, RTA_METRICS, metrics, (size_t)size) < 0) return;
    // Unacknowledged: a route that has gone again meanwhile is nobody's loss.
    send(initial_window->watch.fd, &message, message.header.nlmsg_len, 0);
}

static void on_announcements(void *context, uint32_t events) {
    struct initial_window *initial_window = context;
    (void)events;
    union {
        struct nlmsghdr header;
        uint8_t bytes[MESSAGE_BYTES];
    } message;
    for (;;) {
        ssize_t n = recv(initial_window->watch.fd, &message, sizeof message, 0);
        if (n < 0 && (errno == EINTR || errno == ENOBUFS)) continue;
        if (n <= 0) return;
        size_t left = (size_t)n;
        for (const struct nlmsghdr *m = &message.header; NLMSG_OK(m, left); m = NLMSG_NEXT(m, left))
            set_window(initial_window, m);
    }
}

int initial_window_open(struct initial_window **out, struct loop *loop, uint32_t packets, char *error,
                        size_t error_size) {
    struct initial_window *initial_window = calloc(1, sizeof *initial_window);
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    struct sockaddr_nl address = {.nl_family = AF_NETLINK,
                                  .nl_groups = RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE};
    int receive_bytes = RECEIVE_BYTES; // as many addresses as a page has are added before the loop runs
    if (fd >= 0) setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &receive_bytes, sizeof receive_bytes);
    if (initial_window) {
        *initial_window = (struct initial_window){.loop = loop, .packets = packets};
        initial_window->watch =
            (struct loop_watch){.fd = fd, .ready = on_announcements, .context = initial_window};
    }
    if (!initial_window || fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) < 0 ||
        loop_add(loop, &initial_window->watch, EPOLLIN) < 0) {
        snprintf(error, error_size, "--initcwnd: routes cannot be watched: %s", strerror(errno));
        if (fd >= 0) close(fd);
        free(initial_window);
        return -1;
    }
    *out = initial_window;
    return 0;
}

void initial_window_close(struct initial_window *initial_window) {
    if (!initial_window) return;
    loop_remove(initial_window->loop, &initial_window->watch);
    close(initial_window->watch.fd);
    free(initial_window);
}
