// How far away an address is: on this machine, on a network of its own, or on the internet. The sorts are
// those of Local Network Access (https://wicg.github.io/local-network-access/), and an IPv4 address inside an
// IPv6 one counts as what it is. 198.18.0.0/15 is no exception: replayed recordings stand there.
#pragma once

#include "guard/own_networks.h"

#include <stdbool.h>
#include <sys/socket.h>

// `address` is an IPv4 or IPv6 one.
enum address_space address_space_of(const struct sockaddr *address);

// The same, and what this machine's interfaces have now (own_networks.h), and what `besides`, which may be
// NULL, lists. 0, or -1 with errno where the interfaces cannot be read.
int address_space_here(const struct sockaddr *address, const struct own_networks *besides,
                       enum address_space *space);

// All networks that address_space_of calls loopback or local, one by one from index 0: false past the last.
bool address_space_near(size_t index, struct own_network *network);

// "loopback", "local" or "public".
const char *address_space_name(enum address_space space);

// The number of such a name; -1 for another word.
int address_space_named(const char *name);
