// How far away an address is: on this machine, on a network of its own, or on the internet. The sorts are
// those of Local Network Access (https://wicg.github.io/local-network-access/), and an IPv4 address inside an
// IPv6 one counts as what it is. 198.18.0.0/15 is no exception: replayed recordings stand there.
#ifndef TRILANE_GUARD_ADDRESS_SPACE_H
#define TRILANE_GUARD_ADDRESS_SPACE_H

#include <sys/socket.h>

// From near to far. Whoever is at one may reach it and all that come after it.
enum address_space { SPACE_LOOPBACK, SPACE_LOCAL, SPACE_PUBLIC };

// `address` is an IPv4 or IPv6 one.
enum address_space address_space_of(const struct sockaddr *address);

// The same, and what this machine's interfaces have now: their addresses are loopback's, others with the same
// prefix are local, also where they are public ones. 0, or -1 with errno where the interfaces cannot be read.
int address_space_here(const struct sockaddr *address, enum address_space *space);

// "loopback", "local" or "public".
const char *address_space_name(enum address_space space);

// The number of such a name; -1 for another word.
int address_space_named(const char *name);

#endif
