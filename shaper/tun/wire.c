// The interface asks for no neighbour's address (NOARP): then the kernel sends all to the interface's own
// address, which is not the peer's, and the peer's own IP layer ignores it. The socket sees it all the same.
#include "shaper/tun/wire.h"

#include "base/log.h"
#include "base/namespace.h"
#include "shaper/tun/tun_device.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const uint8_t address[ETH_ALEN] = {0x02, 0, 0, 0, 0, 1},
                     peer_address[ETH_ALEN] = {0x02, 0, 0, 0, 0, 2};

static int open_socket(const char *interface) {
    // Until it is bound it gets nothing.
    int fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) return -1;
    int on = 1, bytes = 64 << 20; // of which the kernel allows what net.core.rmem_max says
    struct sockaddr_ll to = {.sll_family = AF_PACKET,
                             .sll_protocol = htons(ETH_P_ALL),
                             .sll_ifindex = (int)if_nametoindex(interface)};
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
    setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof on);
    if (setsockopt(fd, SOL_PACKET, PACKET_VNET_HDR, &on, sizeof on) == 0 &&
        bind(fd, (struct sockaddr *)&to, sizeof to) == 0)
        return fd;
    close(fd);
    return -1;
}

static int open_pair(struct wire *wire, struct netlink *netlink, const char *interface) {
    snprintf(wire->peer, sizeof wire->peer, "%s-end", interface);
    if (netlink_add_pair(netlink, interface, address, wire->peer, peer_address) < 0) return -1;
    wire->fd = open_socket(wire->peer);
    return wire->fd < 0 ? -1 : 0;
}

void wire_open(struct wire *wire, struct netlink *netlink, const char *interface) {
    *wire = (struct wire){.fd = namespace_open_tun(interface)};
    if (wire->fd >= 0) {
        if (tun_device_offload(wire->fd) < 0) die(EXIT_RUN_FAILED, "TUN offload: %s", strerror(errno));
        return;
    }
    int error = errno;
    wire->framed = true;
    if (open_pair(wire, netlink, interface) == 0) return;
    const char *remedy = error == EACCES || error == EPERM
                             ? "run `sudo chmod 666 /dev/net/tun`"
                             : "run `sudo modprobe tun` (in a container, pass --device /dev/net/tun)";
    char pair[64];
    snprintf(pair, sizeof pair, "%s", strerror(errno));
    die(EXIT_BAD_INPUT, "/dev/net/tun: %s, and no veth devices in its place (%s): %s", strerror(error), pair,
        remedy);
}

const char *wire_kind(const struct wire *wire) {
    return wire->framed ? "veth" : "tun";
}

int wire_up(struct wire *wire, struct netlink *netlink, uint32_t mtu) {
    return wire->framed ? netlink_link_up(netlink, wire->peer, mtu) : 0;
}

void wire_frame(uint8_t frame[WIRE_FRAME], const uint8_t *packet) {
    memcpy(frame, address, ETH_ALEN);
    memcpy(frame + ETH_ALEN, peer_address, ETH_ALEN);
    uint16_t protocol = htons(packet[0] >> 4 == 6 ? ETH_P_IPV6 : ETH_P_IP);
    memcpy(frame + 2 * ETH_ALEN, &protocol, sizeof protocol);
}

int wire_unread(struct wire *wire, struct netlink *netlink, const char *interface, uint64_t *packets) {
    if (netlink_dropped(netlink, interface, packets) < 0) return -1;
    if (!wire->framed) return 0;
    struct tpacket_stats stats;
    socklen_t size = sizeof stats;
    if (getsockopt(wire->fd, SOL_PACKET, PACKET_STATISTICS, &stats, &size) < 0) return -1;
    wire->dropped += stats.tp_drops;
    *packets += wire->dropped;
    return 0;
}
