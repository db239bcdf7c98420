// Listens to the kernel's announcements of routes and answers each with the same route plus what is wanted
// (RTAX_INITCWND, RTAX_CC_ALGO), replacing it. The replaced route is announced too, and then has the
// attributes: that ends it.
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
    struct initial_window_wanted wanted;
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

static size_t put_metric(uint8_t *metrics, uint16_t type, const void *value, size_t size) {
    struct rtattr head = {.rta_type = type, .rta_len = (uint16_t)RTA_LENGTH(size)};
    memset(metrics, 0, RTA_SPACE(size));
    memcpy(metrics, &head, sizeof head);
    memcpy(metrics + RTA_LENGTH(0), value, size);
    return RTA_SPACE(size);
}

static bool has_window(const struct rtattr *metric, uint32_t packets) {
    uint32_t value;
    memcpy(&value, RTA_DATA(metric), sizeof value);
    return value == packets;
}

// The route's metrics with what is wanted put in or replaced; their size, 0 if it is all there already, -1 if
// too large.
static int metrics_with(const struct rtattr *old, const struct initial_window_wanted *wanted,
                        uint8_t metrics[ROUTE_BYTES_MAX]) {
    const size_t name_size = wanted->congestion_control ? strlen(wanted->congestion_control) + 1 : 0;
    const size_t room = ROUTE_BYTES_MAX - RTA_SPACE(sizeof wanted->packets) - RTA_SPACE(name_size);
    bool window_is_there = wanted->packets == 0;
    bool control_is_there = name_size == 0;
    size_t size = 0;
    size_t left = old ? RTA_PAYLOAD(old) : 0;
    for (const struct rtattr *m = old ? RTA_DATA(old) : NULL; m && RTA_OK(m, left); m = RTA_NEXT(m, left)) {
        if (m->rta_type == RTAX_INITCWND && wanted->packets > 0) {
            window_is_there = has_window(m, wanted->packets);
        } else if (m->rta_type == RTAX_CC_ALGO && name_size > 0) {
            control_is_there = strncmp(RTA_DATA(m), wanted->congestion_control, RTA_PAYLOAD(m)) == 0;
        } else {
            if (size + RTA_ALIGN(m->rta_len) > room) return -1;
            memcpy(metrics + size, m, m->rta_len);
            size += RTA_ALIGN(m->rta_len);
        }
    }
    if (window_is_there && control_is_there) return 0;
    if (wanted->packets > 0)
        size += put_metric(metrics + size, RTAX_INITCWND, &wanted->packets, sizeof wanted->packets);
    if (name_size > 0)
        size += put_metric(metrics + size, RTAX_CC_ALGO, wanted->congestion_control, name_size);
    return (int)size;
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
    int size = metrics_with(old_metrics, &initial_window->wanted, metrics);
    if (size <= 0 || add_attribute(&message, RTA_METRICS, metrics, (size_t)size) < 0) return;
    // Unacknowledged: a route that has gone again meanwhile is no loss.
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

int initial_window_open(struct initial_window **out, struct loop *loop,
                        const struct initial_window_wanted *wanted, char *error, size_t error_size) {
    struct initial_window *initial_window = calloc(1, sizeof *initial_window);
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    struct sockaddr_nl address = {.nl_family = AF_NETLINK,
                                  .nl_groups = RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE};
    int receive_bytes = RECEIVE_BYTES; // as many addresses as a page has are added before the loop runs
    if (fd >= 0) setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &receive_bytes, sizeof receive_bytes);
    if (initial_window) {
        *initial_window = (struct initial_window){.loop = loop, .wanted = *wanted};
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
