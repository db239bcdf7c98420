// Explicit congestion notification (RFC 3168): marks a packet instead of dropping it.
#pragma once

#include "shaper/nodes/packet.h"

#include <stdbool.h>

// Sets "congestion experienced" in the IP header and corrects IPv4's checksum. False, and nothing done, if
// the packet's sender does not speak ECN or it is no IP packet.
bool ecn_mark(struct packet *packet);
