// Hosts that the recording does not have, as the lab's DNS knows them: which of them exist, and at which
// address. A page that asks for such a host, for a font, say, or to report something, finds a server there,
// as it would on the live network; it is the same server program (replay/exchange/unrecorded.h says what it
// answers).
//
// They have addresses of UNRECORDED_NETWORK, which is part of the network that stand-in addresses are taken
// from (cli/recording/import/addresses.ts, which begins at the other end): IPv4 only, as many hosts have. By
// a hash of the name, so that a host has the same one in each load. Two hosts may meet at one address, which
// no connection is shared for: each has a certificate for its own name alone.
#pragma once

#include "archive/recording.h"

#include <stdbool.h>
#include <stdint.h>

#define UNRECORDED_NETWORK "198.19.192.0"
enum { UNRECORDED_PREFIX_BITS = 18 };

// Whether a name that is not in the recording is to be found: in lower case, without the final dot, as
// dns_zone.h has it. Not found are, as on the live network or a machine without its browser's own business:
// - names without a dot, and those of domains for special use (RFC 6761 and others), but for .test and
//   .example, which pages made up for tests are in;
// - names that were not found, or not looked up, when the page was recorded (archive/recorded_failures.h);
// - hosts that Chromium asks for by itself (accounts.google.com is used by pages too: it exists if the
//   recording has a host of google.com).
// Under .clear.test (replay/origins/in_clear.h) it is the name in front of it that counts.
bool unrecorded_host_exists(const char *name, const struct recording *recording);

// In network byte order.
void unrecorded_host_address(const char *name, uint8_t address[4]);
