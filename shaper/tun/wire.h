// The device through which packets of one side's network namespace come to us and go back: a TUN device, or,
// if there is no /dev/net/tun (as in many containers), a packet socket at the other end of a pair of Ethernet
// devices (veth). Both hand over the same packets, with the same struct virtio_net_hdr before each; the
// socket has a frame header after it. Does not read or write: tun_device.h does.
#pragma once

#include "base/netlink.h"

#include <stdbool.h>
#include <stdint.h>

enum { WIRE_FRAME = 14 }; // an Ethernet header

struct wire {
    int fd;
    bool framed; // a packet socket
    char peer[16];
    uint64_t dropped; // by the packet socket, as far as it was read
};

// Makes the interface in the current network namespace, whose netlink socket is given; it is down. Set-up:
// dies.
void wire_open(struct wire *wire, struct netlink *netlink, const char *interface);
// Once the interface's mtu is set: what is left to do until packets pass. 0, or -1 with errno.
int wire_up(struct wire *wire, struct netlink *netlink, uint32_t mtu);

const char *wire_kind(const struct wire *wire); // tun or veth

// The frame header before a packet to the namespace.
void wire_frame(uint8_t frame[WIRE_FRAME], const uint8_t *packet);

// Packets that the namespace sent and that were dropped because we did not read them soon enough, since the
// wire was opened. 0, or -1 with errno.
int wire_unread(struct wire *wire, struct netlink *netlink, const char *interface, uint64_t *packets);
