// The two sides of the bottleneck: their interfaces, addresses and routes, and on the command's side the
// files that name its DNS server. Does not forward.
#pragma once

#include "base/lab_addresses.h"
#include "base/netlink.h"
#include "shaper/tun/wire.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lab_side {
    const char *interface;
    struct wire wire;
    struct netlink netlink; // of the side's network namespace, wherever we are
};

// TCP ports of 127.0.0.1 that are the far side's: packets to them take the link, and keep their address.
enum { LAB_FAR_PORTS_MAX = 64 };
struct lab_far_ports {
    uint16_t all[LAB_FAR_PORTS_MAX];
    size_t count;
};

// Each opens its side in the current network namespace. Set-up: dies.
void lab_open_far(struct lab_side *side, const struct lab_far_ports *ports);
// `ecn`: the near side's TCP asks for ECN, which a kernel by itself only grants to those who ask.
void lab_open_near(struct lab_side *side, bool ecn, const struct lab_far_ports *ports);
void lab_close(struct lab_side *side);

// Packets that the side's kernel wanted to send but dropped, because we did not read them soon enough.
// 0, or -1 with errno.
int lab_unread(struct lab_side *side, uint64_t *packets);
