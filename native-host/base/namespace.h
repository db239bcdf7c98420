// The user and network namespaces of a lab: leaving the machine's network for an empty one without being
// root, and the sysctls of a network namespace. Interfaces, addresses and routes are netlink.h's; starting
// commands is child.h's. Needs a single-threaded caller (the kernel's rule for user namespaces), so call it
// before anything starts a thread.
#pragma once

#include <stdbool.h>

// The user that the process is inside a user namespace made here.
enum { NAMESPACE_UID = 1000, NAMESPACE_GID = 1000 };

// In the environment of what runs in a lab: the network that whoever made it says is one, as
// /proc/self/ns/net reads there.
#define NAMESPACE_TOKEN "TRILANE_LAB"

// True if we were started inside a lab, by trilane-replay or with `unshare -U -n --keep-caps` and the token,
// and may configure it. Capabilities alone say nothing: a service may have them for the machine's network.
// So the token names this network, which belongs to our user namespace, which is not the machine's.
bool namespace_is_lab(void);

// Whether this network is one that was made for a lab, its far end's or its near one's: then nothing in it
// reaches the machine's. No capabilities are needed to ask.
bool namespace_network_is_made(void);

// Moves this process into a new user namespace (as NAMESPACE_UID, with all capabilities in it and over it,
// kept by commands started with child.h's `keep_capabilities`) and a new, empty network namespace. Set-up:
// where the system allows no user namespaces, prints one line with the remedy and exits with EXIT_BAD_INPUT.
void namespace_enter_lab(void);

// Moves this process into a further, empty network namespace of the user namespace it is in. Set-up: dies.
void namespace_enter_network(void);

// Writes a sysctl of the current network namespace: ("net/ipv4/tcp_congestion_control", "cubic").
// 0, or -1 with errno (EROFS where a container mounts /proc/sys read-only).
int namespace_set_sysctl(const char *name, const char *value);

// Reads one, without the final newline. 0, or -1 with errno.
int namespace_get_sysctl(const char *name, char *value, int value_size);

// A TUN device of the current network namespace, non-blocking; it lives as long as the descriptor. Each
// packet read or written has a struct virtio_net_hdr before it (IFF_VNET_HDR). -1 with errno if /dev/net/tun
// cannot be opened. Set-up: dies of any other error.
int namespace_open_tun(const char *name);

// The TCP of a lab as Linux ships it, whatever the machine's own network has been tuned to; congestion
// control is not of it.
//
// Sets the sysctls of the current network namespace, whose defaults follow the machine's in part, to the
// kernel's stock values. What cannot be set (an older kernel, /proc/sys read-only) stays as it is.
void namespace_set_stock_network(void);
