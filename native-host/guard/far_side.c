#include "guard/far_side.h"

#include "base/log.h"
#include "base/namespace.h"
#include "base/netlink.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

// As shaper/tun/lab.c calls it; a rule may name an interface that is still to come.
static const char link_interface[] = "near";
// trilane-shaper's default; live_lab.sh gives it to pasta.
static const char name_server[] = "100.64.0.53";
enum { REFUSED_PRIORITY = 100, NAMES_PRIORITY = 90 };

static void check(int result, const char *what) {
    if (result < 0) die(EXIT_RUN_FAILED, "far side: %s: %s", what, strerror(errno));
}

static void open_netlink(struct netlink *netlink) {
    check(netlink_open(netlink), "netlink");
}

static void add_rule(struct netlink *netlink, const struct netlink_rule *rule) {
    int result = netlink_add_rule(netlink, rule);
    bool no_ipv6 = result < 0 && strchr(rule->to, ':') && (errno == EAFNOSUPPORT || errno == EOPNOTSUPP);
    if (!no_ipv6) check(result, "rules of routes");
}

static void refuse(struct netlink *netlink, const struct own_network *network) {
    char text[INET6_ADDRSTRLEN];
    inet_ntop(network->family, network->address, text, sizeof text);
    struct netlink_rule rule = {.priority = REFUSED_PRIORITY,
                                .from_interface = link_interface,
                                .to = text,
                                .prefix_length = network->bits,
                                .action = RULE_PROHIBIT};
    add_rule(netlink, &rule);
}

void far_side_refuse(enum address_space nearest, const struct own_networks *own) {
    struct netlink netlink;
    struct own_network network;
    static const uint8_t protocols[] = {IPPROTO_UDP, IPPROTO_TCP};
    open_netlink(&netlink);
    for (size_t i = 0; i < sizeof protocols; i++) {
        struct netlink_rule rule = {.priority = NAMES_PRIORITY,
                                    .from_interface = link_interface,
                                    .to = name_server,
                                    .prefix_length = 32,
                                    .protocol = protocols[i],
                                    .port = DOOR_DNS_PORT,
                                    .action = RULE_MAIN};
        add_rule(&netlink, &rule);
    }
    for (size_t i = 0; address_space_near(i, &network); i++)
        if (network.space < nearest) refuse(&netlink, &network);
    for (size_t i = 0; i < own->count; i++)
        if (own->all[i].space < nearest) refuse(&netlink, &own->all[i]);
    netlink_close(&netlink);
}

static int listen_for_names(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(DOOR_DNS_PORT)};
    inet_pton(AF_INET, name_server, &address.sin_addr);
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) < 0) check(-1, "port of names");
    return fd;
}

// Loopback's are there.
static void add_address(struct netlink *netlink, const struct door *door) {
    const struct sockaddr_in *address = (const struct sockaddr_in *)&door->at.address;
    char text[INET_ADDRSTRLEN];
    if (address->sin_family != AF_INET || ntohl(address->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET) return;
    inet_ntop(AF_INET, &address->sin_addr, text, sizeof text);
    check(netlink_add_address(netlink, "lo", text, 32), "a door's address");
}

size_t far_side_listen(const struct door_list *list, int descriptors[DOORS_MAX + 1]) {
    struct netlink netlink;
    open_netlink(&netlink);
    check(netlink_link_up(&netlink, "lo", 0), "interface lo");
    check(netlink_add_address(&netlink, "lo", name_server, 32), "address of names");
    namespace_set_stock_network();
    descriptors[0] = listen_for_names();
    for (size_t i = 0; i < list->count; i++) {
        add_address(&netlink, &list->all[i]);
        descriptors[i + 1] = door_listen(&list->all[i]);
        check(descriptors[i + 1], "a door");
    }
    netlink_close(&netlink);
    return list->count + 1;
}
