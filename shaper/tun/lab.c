// The files are made in a tmpfs that is mounted only for the moment: binding them elsewhere keeps them alive.
#include "shaper/tun/lab.h"

#include "base/log.h"
#include "base/namespace.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const uint32_t mtu = 1500;
// Packets the kernel keeps for us while we do not run: 10 ms at 10 Gbit/s. What does not fit would be lost
// uncounted.
static const uint32_t tun_queue_packets = 10000;

static void check(int result, const char *what) {
    if (result < 0) die(EXIT_RUN_FAILED, "%s: %s", what, strerror(errno));
}

// A kernel without IPv6, or with it switched off, makes a lab without IPv6.
static void check_6(int result, const char *what) {
    if (result < 0 && errno != EAFNOSUPPORT && errno != EOPNOTSUPP && errno != EACCES) check(result, what);
}

static void open_side(struct lab_side *side, const char *interface, const char *address,
                      const char *address_6) {
    // No router solicitations and no neighbours: nothing on the link but what the endpoints send.
    namespace_set_sysctl("net/ipv6/conf/default/addr_gen_mode", "1");
    namespace_set_sysctl("net/ipv6/conf/default/accept_ra", "0");
    side->interface = interface;
    struct netlink *netlink = &side->netlink;
    check(netlink_open(netlink), "netlink");
    wire_open(&side->wire, netlink, interface);
    check(netlink_link_up(netlink, "lo", 0), "interface lo");
    check(netlink_set_queue(netlink, interface, tun_queue_packets), "interface queue");
    check(netlink_link_up(netlink, interface, mtu), "interface");
    check(wire_up(&side->wire, netlink, mtu), "interface");
    check(netlink_add_address(netlink, interface, address, 32), "address");
    check_6(netlink_add_address(netlink, interface, address_6, 128), "IPv6 address");
}

static void set_sysctl(const char *name) {
    if (namespace_set_sysctl(name, "1") < 0)
        die(EXIT_RUN_FAILED,
            "/proc/sys/%s: %s: a container that mounts it read-only has no ports of localhost behind a link",
            name, strerror(errno));
}

enum { FAR_PORT_PRIORITY = 10, LOCAL_PRIORITY = 100 };

// Loopback addresses are not routed, nor is a packet taken that seems to come from ourselves: for this
// interface both are allowed. On the far side nothing but the servers listens there.
static void lead_far_ports(struct netlink *netlink, const struct lab_far_ports *ports) {
    if (ports->count == 0) return;
    set_sysctl("net/ipv4/conf/far/route_localnet");
    set_sysctl("net/ipv4/conf/far/accept_local");
    for (size_t i = 0; i < ports->count; i++) {
        struct netlink_rule rule = {.priority = FAR_PORT_PRIORITY,
                                    .to = "127.0.0.1",
                                    .prefix_length = 32,
                                    .protocol = IPPROTO_TCP,
                                    .port = ports->all[i],
                                    .action = RULE_MAIN};
        check(netlink_add_rule(netlink, &rule), "rule of a port");
    }
    check(netlink_move_local_rule(netlink, LOCAL_PRIORITY), "rule of local addresses");
}

void lab_open_far(struct lab_side *side, const struct lab_far_ports *ports) {
    open_side(side, "near", LAB_FAR_ADDRESS, LAB_FAR_ADDRESS_6);
    if (ports->count > 0) set_sysctl("net/ipv4/conf/near/route_localnet");
    // No congestion control here: the servers choose theirs, and a route's would win over it.
    struct netlink_tcp tcp = {0};
    check(netlink_add_route(&side->netlink, side->interface, LAB_NEAR_ADDRESS, 32, &tcp), "route");
    check_6(netlink_add_route(&side->netlink, side->interface, LAB_NEAR_ADDRESS_6, 128, &tcp), "IPv6 route");
    check(netlink_add_route(&side->netlink, side->interface, LAB_MOVED_NETWORK, LAB_MOVED_BITS, &tcp),
          "route");
    check_6(netlink_add_route(&side->netlink, side->interface, LAB_MOVED_NETWORK_6, LAB_MOVED_BITS_6, &tcp),
            "IPv6 route");
}

void lab_open_near(struct lab_side *side, bool ecn, const struct lab_far_ports *ports) {
    open_side(side, "far", LAB_NEAR_ADDRESS, LAB_NEAR_ADDRESS_6);
    struct netlink_tcp tcp = {.congestion_control = "cubic", .ecn = ecn};
    check(netlink_add_route(&side->netlink, side->interface, "0.0.0.0", 0, &tcp), "default route");
    check_6(netlink_add_route(&side->netlink, side->interface, "::", 0, &tcp), "default IPv6 route");
    lead_far_ports(&side->netlink, ports);
    // Where a container mounts /proc/sys read-only these stay as they are: the namespace is new, so that
    // there are no metrics from before; and ping then needs a capability.
    namespace_set_sysctl("net/ipv4/tcp_no_metrics_save", "1");
    char groups[32];
    snprintf(groups, sizeof groups, "%u %u", (unsigned)getegid(), (unsigned)getegid());
    namespace_set_sysctl("net/ipv4/ping_group_range", groups);
}

void lab_close(struct lab_side *side) {
    netlink_close(&side->netlink);
    close(side->wire.fd);
}

int lab_unread(struct lab_side *side, uint64_t *packets) {
    return wire_unread(&side->wire, &side->netlink, side->interface, packets);
}
