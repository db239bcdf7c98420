// Interfaces, addresses, routes and rules of the current network namespace, set through rtnetlink.
// Does not list or watch them.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct netlink {
    int fd;
    uint32_t sequence;
};

// All return 0, or -1 with errno (what the kernel answered).
int netlink_open(struct netlink *netlink); // of the network namespace the caller is in now
void netlink_close(struct netlink *netlink);

int netlink_link_up(struct netlink *netlink, const char *interface, uint32_t mtu); // mtu 0: as it is

// A pair of Ethernet devices (veth), down: what one sends the other one gets. Both have neither ARP nor
// multicast; the addresses are of six bytes.
int netlink_add_pair(struct netlink *netlink, const char *interface, const uint8_t *address, const char *peer,
                     const uint8_t *peer_address);

// How many packets the interface's own queue holds.
int netlink_set_queue(struct netlink *netlink, const char *interface, uint32_t packets);

// How many packets the interface could not send since it was made.
int netlink_dropped(struct netlink *netlink, const char *interface, uint64_t *packets);

// `address` in text form, IPv4 or IPv6 (EINVAL if neither); usable at once, without duplicate detection.
// ETIMEDOUT where that takes the kernel longer than five seconds.
// An address that is there already is no error.
int netlink_add_address(struct netlink *netlink, const char *interface, const char *address,
                        int prefix_length);

// A route to `destination`/`prefix_length` through the interface, without a gateway: ("tun0", "0.0.0.0", 0)
// is a default route. `tcp` (or NULL for the namespace's own) is what TCP does on it, also where the
// namespace's sysctls may not be set: the kernel lets only root choose an algorithm that is not in
// tcp_allowed_congestion_control.
struct netlink_tcp {
    const char *congestion_control; // NULL: the namespace's
    bool ecn;                       // asks for ECN (RFC 3168) when it opens a connection
};
int netlink_add_route(struct netlink *netlink, const char *interface, const char *destination,
                      int prefix_length, const struct netlink_tcp *tcp);

// Which packets a rule is of; what is 0 or NULL fits all. `to` in text form, IPv4 or IPv6, says of which
// family the rule is.
struct netlink_rule {
    uint32_t priority; // lower ones are looked at first
    const char *from_interface;
    const char *to;
    int prefix_length;
    uint8_t protocol;                                     // IPPROTO_TCP
    uint16_t port;                                        // the destination's; needs a protocol
    enum { RULE_MAIN, RULE_LOCAL, RULE_PROHIBIT } action; // look in the main or local table, or refuse
};
// A rule that is there already is no error.
int netlink_add_rule(struct netlink *netlink, const struct netlink_rule *rule);
// The kernel's first rule of IPv4 finds the namespace's own addresses: from now on rules of a lower priority
// than `priority` come before it.
int netlink_move_local_rule(struct netlink *netlink, uint32_t priority);
