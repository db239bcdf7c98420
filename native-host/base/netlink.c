// Each call is one request with an acknowledgement, awaited before the next: a few microseconds
// each, and the caller learns which one failed.
#include "base/netlink.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/fib_rules.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct request {
    struct nlmsghdr header;
    union {
        struct ifinfomsg link;
        struct ifaddrmsg address;
        struct rtmsg route;
        struct fib_rule_hdr rule;
    } body;
    uint8_t attributes[256];
};

int netlink_open(struct netlink *netlink) {
    netlink->sequence = 0;
    netlink->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    return netlink->fd < 0 ? -1 : 0;
}

void netlink_close(struct netlink *netlink) {
    if (netlink->fd >= 0) close(netlink->fd);
    netlink->fd = -1;
}

static struct request request_of(uint16_t type, size_t body_size, uint16_t flags) {
    struct request request;
    memset(&request, 0, sizeof request);
    request.header.nlmsg_len = (uint32_t)NLMSG_LENGTH(body_size);
    request.header.nlmsg_type = type;
    request.header.nlmsg_flags = (uint16_t)(NLM_F_REQUEST | NLM_F_ACK | flags);
    return request;
}

// The attributes of one request always fit (a pair of devices, or a route and what TCP does on it).
static void add_attribute(struct request *request, uint16_t type, const void *value, size_t size) {
    uint8_t *end = (uint8_t *)request + NLMSG_ALIGN(request->header.nlmsg_len);
    struct rtattr attribute = {.rta_type = type, .rta_len = (uint16_t)RTA_LENGTH(size)};
    memcpy(end, &attribute, sizeof attribute);
    if (size > 0) memcpy(end + RTA_LENGTH(0), value, size);
    request->header.nlmsg_len = (uint32_t)(NLMSG_ALIGN(request->header.nlmsg_len) + RTA_LENGTH(size));
}

union answer {
    struct nlmsghdr header;
    uint8_t bytes[16384];
};

// Awaits the answer to the last request: the kernel's error, or a message of `type` (NLMSG_ERROR: none but
// success).
static int receive(struct netlink *netlink, uint16_t type, union answer *answer) {
    for (;;) {
        ssize_t n = recv(netlink->fd, answer, sizeof *answer, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return -1;
        if (!NLMSG_OK(&answer->header, (size_t)n) || answer->header.nlmsg_seq != netlink->sequence) continue;
        if (answer->header.nlmsg_type == NLMSG_ERROR) {
            struct nlmsgerr result;
            memcpy(&result, NLMSG_DATA(&answer->header), sizeof result);
            errno = -result.error;
            return result.error == 0 ? 0 : -1;
        }
        if (answer->header.nlmsg_type == type) return 0;
    }
}

static int send_request(struct netlink *netlink, struct request *request) {
    request->header.nlmsg_seq = ++netlink->sequence;
    return send(netlink->fd, request, request->header.nlmsg_len, 0) < 0 ? -1 : 0;
}

static int ask(struct netlink *netlink, struct request *request) {
    union answer answer;
    return send_request(netlink, request) < 0 ? -1 : receive(netlink, NLMSG_ERROR, &answer);
}

// A question, which its answer of `type` acknowledges.
static int look_up(struct netlink *netlink, struct request *request, uint16_t type, union answer *answer) {
    request->header.nlmsg_flags = NLM_F_REQUEST;
    return send_request(netlink, request) < 0 ? -1 : receive(netlink, type, answer);
}

struct ip {
    int family;
    uint8_t bytes[16];
    size_t size;
};

static int parse_ip(const char *text, struct ip *ip) {
    const bool is_v4 = inet_pton(AF_INET, text, ip->bytes) == 1;
    ip->family = is_v4 ? AF_INET : AF_INET6;
    ip->size = is_v4 ? 4 : 16;
    if (is_v4 || inet_pton(AF_INET6, text, ip->bytes) == 1) return 0;
    errno = EINVAL;
    return -1;
}

// A change of one interface. Its index is 0, with errno, if there is none.
static struct request link_request(const char *interface) {
    struct request request = request_of(RTM_NEWLINK, sizeof(struct ifinfomsg), 0);
    request.body.link.ifi_family = AF_UNSPEC;
    request.body.link.ifi_index = (int)if_nametoindex(interface);
    return request;
}

int netlink_link_up(struct netlink *netlink, const char *interface, uint32_t mtu) {
    struct request request = link_request(interface);
    if (request.body.link.ifi_index == 0) return -1;
    request.body.link.ifi_flags = IFF_UP;
    request.body.link.ifi_change = IFF_UP;
    if (mtu > 0) add_attribute(&request, IFLA_MTU, &mtu, sizeof mtu);
    return ask(netlink, &request);
}

// An attribute that holds the attributes that follow, until it is ended.
static struct rtattr *begin_nested(struct request *request, uint16_t type) {
    struct rtattr *at = (struct rtattr *)((uint8_t *)request + NLMSG_ALIGN(request->header.nlmsg_len));
    add_attribute(request, type, NULL, 0);
    return at;
}

static void end_nested(struct request *request, struct rtattr *nested) {
    nested->rta_len = (uint16_t)((uint8_t *)request + request->header.nlmsg_len - (uint8_t *)nested);
}

static void add_device(struct request *request, const char *interface, const uint8_t *address) {
    add_attribute(request, IFLA_IFNAME, interface, strlen(interface) + 1);
    add_attribute(request, IFLA_ADDRESS, address, 6);
}

int netlink_add_pair(struct netlink *netlink, const char *interface, const uint8_t *address, const char *peer,
                     const uint8_t *peer_address) {
    struct request request = request_of(RTM_NEWLINK, sizeof(struct ifinfomsg), NLM_F_CREATE | NLM_F_EXCL);
    request.body.link.ifi_flags = IFF_NOARP;
    request.body.link.ifi_change = IFF_NOARP | IFF_MULTICAST;
    add_device(&request, interface, address);
    struct rtattr *info = begin_nested(&request, IFLA_LINKINFO);
    add_attribute(&request, IFLA_INFO_KIND, "veth", strlen("veth"));
    struct rtattr *data = begin_nested(&request, IFLA_INFO_DATA);
    struct rtattr *second = begin_nested(&request, VETH_INFO_PEER);
    struct ifinfomsg link = {.ifi_flags = IFF_NOARP, .ifi_change = IFF_NOARP | IFF_MULTICAST};
    memcpy((uint8_t *)&request + request.header.nlmsg_len, &link, sizeof link);
    request.header.nlmsg_len += sizeof link;
    add_device(&request, peer, peer_address);
    end_nested(&request, second);
    end_nested(&request, data);
    end_nested(&request, info);
    return ask(netlink, &request);
}

int netlink_set_queue(struct netlink *netlink, const char *interface, uint32_t packets) {
    struct request request = link_request(interface);
    if (request.body.link.ifi_index == 0) return -1;
    add_attribute(&request, IFLA_TXQLEN, &packets, sizeof packets);
    return ask(netlink, &request);
}

int netlink_dropped(struct netlink *netlink, const char *interface, uint64_t *packets) {
    struct request request = request_of(RTM_GETLINK, sizeof(struct ifinfomsg), 0);
    add_attribute(&request, IFLA_IFNAME, interface, strlen(interface) + 1);
    union answer answer;
    if (look_up(netlink, &request, RTM_NEWLINK, &answer) < 0) return -1;
    struct rtattr *attribute = IFLA_RTA(NLMSG_DATA(&answer.header));
    size_t size = IFLA_PAYLOAD(&answer.header);
    for (; RTA_OK(attribute, size); attribute = RTA_NEXT(attribute, size)) {
        if (attribute->rta_type != IFLA_STATS64) continue;
        struct rtnl_link_stats64 stats;
        size_t stats_size = RTA_PAYLOAD(attribute); // older kernels know fewer fields, all after tx_dropped
        memset(&stats, 0, sizeof stats);
        memcpy(&stats, RTA_DATA(attribute), stats_size < sizeof stats ? stats_size : sizeof stats);
        *packets = stats.tx_dropped;
        return 0;
    }
    errno = ENODATA;
    return -1;
}

// The type (RTN_...) of the route to an address, or -1 with errno.
static int route_type(struct netlink *netlink, const struct ip *ip) {
    struct request request = request_of(RTM_GETROUTE, sizeof(struct rtmsg), 0);
    request.body.route.rtm_family = (uint8_t)ip->family;
    request.body.route.rtm_dst_len = (uint8_t)(8 * ip->size);
    add_attribute(&request, RTA_DST, ip->bytes, ip->size);
    union answer answer;
    if (look_up(netlink, &request, RTM_NEWROUTE, &answer) < 0) return -1;
    struct rtmsg route;
    memcpy(&route, NLMSG_DATA(&answer.header), sizeof route);
    return route.rtm_type;
}

enum { LOOKS = 5000 };

// The kernel makes a new IPv6 address' own route later, in a work queue. Who connects before that keeps the
// wrong route for as long as its socket lives, and is never answered.
static int await_own_route(struct netlink *netlink, const struct ip *ip) {
    for (int looks = 0; looks < LOOKS; looks++) {
        int type = route_type(netlink, ip);
        if (type == RTN_LOCAL) return 0;
        if (type < 0 && errno != ENETUNREACH && errno != EHOSTUNREACH) return 0; // this kernel does not tell
        usleep(1000);
    }
    errno = ETIMEDOUT;
    return -1;
}

int netlink_add_address(struct netlink *netlink, const char *interface, const char *address,
                        int prefix_length) {
    struct ip ip;
    if (parse_ip(address, &ip) < 0) return -1;
    unsigned index = if_nametoindex(interface);
    if (index == 0) return -1;
    struct request request = request_of(RTM_NEWADDR, sizeof(struct ifaddrmsg), NLM_F_CREATE | NLM_F_EXCL);
    request.body.address.ifa_family = (uint8_t)ip.family;
    request.body.address.ifa_prefixlen = (uint8_t)prefix_length;
    request.body.address.ifa_flags = IFA_F_NODAD;
    request.body.address.ifa_scope = RT_SCOPE_UNIVERSE;
    request.body.address.ifa_index = index;
    add_attribute(&request, IFA_LOCAL, ip.bytes, ip.size);
    add_attribute(&request, IFA_ADDRESS, ip.bytes, ip.size);
    if (ask(netlink, &request) < 0 && errno != EEXIST) return -1;
    return ip.family == AF_INET6 ? await_own_route(netlink, &ip) : 0;
}

static void add_metrics(struct request *request, const struct netlink_tcp *tcp) {
    struct rtattr *metrics = begin_nested(request, RTA_METRICS);
    uint32_t features = tcp->ecn ? RTAX_FEATURE_ECN : 0;
    add_attribute(request, RTAX_FEATURES, &features, sizeof features);
    if (tcp->congestion_control) {
        char control[16] = ""; // the kernel's limit for names of congestion controls
        snprintf(control, sizeof control, "%s", tcp->congestion_control);
        add_attribute(request, RTAX_CC_ALGO, control, sizeof control);
    }
    end_nested(request, metrics);
}

int netlink_add_route(struct netlink *netlink, const char *interface, const char *destination,
                      int prefix_length, const struct netlink_tcp *tcp) {
    struct ip ip;
    if (parse_ip(destination, &ip) < 0) return -1;
    unsigned index = if_nametoindex(interface);
    if (index == 0) return -1;
    struct request request = request_of(RTM_NEWROUTE, sizeof(struct rtmsg), NLM_F_CREATE | NLM_F_EXCL);
    request.body.route.rtm_family = (uint8_t)ip.family;
    request.body.route.rtm_dst_len = (uint8_t)prefix_length;
    request.body.route.rtm_table = RT_TABLE_MAIN;
    request.body.route.rtm_protocol = RTPROT_STATIC;
    request.body.route.rtm_scope = ip.family == AF_INET ? RT_SCOPE_LINK : RT_SCOPE_UNIVERSE;
    request.body.route.rtm_type = RTN_UNICAST;
    add_attribute(&request, RTA_DST, ip.bytes, ip.size);
    add_attribute(&request, RTA_OIF, &index, sizeof index);
    if (tcp) add_metrics(&request, tcp);
    return ask(netlink, &request) < 0 && errno != EEXIST ? -1 : 0;
}

static int change_rule(struct netlink *netlink, uint16_t type, uint16_t flags,
                       const struct netlink_rule *rule) {
    struct ip ip;
    if (parse_ip(rule->to ? rule->to : "0.0.0.0", &ip) < 0) return -1;
    struct request request = request_of(type, sizeof(struct fib_rule_hdr), flags);
    struct fib_rule_hdr *header = &request.body.rule;
    header->family = (uint8_t)ip.family;
    header->action = rule->action == RULE_PROHIBIT ? FR_ACT_PROHIBIT : FR_ACT_TO_TBL;
    header->table = rule->action == RULE_MAIN    ? RT_TABLE_MAIN
                    : rule->action == RULE_LOCAL ? RT_TABLE_LOCAL
                                                 : RT_TABLE_UNSPEC;
    add_attribute(&request, FRA_PRIORITY, &rule->priority, sizeof rule->priority);
    if (rule->to) {
        header->dst_len = (uint8_t)rule->prefix_length;
        add_attribute(&request, FRA_DST, ip.bytes, ip.size);
    }
    if (rule->from_interface)
        add_attribute(&request, FRA_IIFNAME, rule->from_interface, strlen(rule->from_interface) + 1);
    if (rule->protocol) add_attribute(&request, FRA_IP_PROTO, &rule->protocol, sizeof rule->protocol);
    struct fib_rule_port_range port = {rule->port, rule->port};
    if (rule->port) add_attribute(&request, FRA_DPORT_RANGE, &port, sizeof port);
    return ask(netlink, &request);
}

int netlink_add_rule(struct netlink *netlink, const struct netlink_rule *rule) {
    int result = change_rule(netlink, RTM_NEWRULE, NLM_F_CREATE | NLM_F_EXCL, rule);
    return result < 0 && errno != EEXIST ? -1 : 0;
}

int netlink_move_local_rule(struct netlink *netlink, uint32_t priority) {
    struct netlink_rule local = {.priority = priority, .action = RULE_LOCAL};
    if (netlink_add_rule(netlink, &local) < 0) return -1;
    local.priority = 0;
    return change_rule(netlink, RTM_DELRULE, 0, &local) < 0 && errno != ENOENT ? -1 : 0;
}
