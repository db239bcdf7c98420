// UDP datagrams for tests, each determined by its number: so that what comes out of a path can be compared
// with what went in, byte by byte.
#pragma once

#include "shaper/nodes/packet.h"
#include "shaper/nodes/random.h"

#include <stdbool.h>

// Version 4 or 6; at least 4 bytes of payload. Flows have addresses and ports of their own.
void datagram_make(struct packet *packet, int version, uint16_t flow, uint32_t number, uint32_t payload_bytes,
                   uint8_t ecn);

// Flow and number that the packet was made with, if it is such a datagram to the last byte (whatever its ECN
// field), with a valid IP checksum.
bool datagram_read(const struct packet *packet, uint16_t *flow, uint32_t *number);

// Sets the ECN field as a router does.
void datagram_mark(struct packet *packet, uint8_t ecn);

// A packet of any kind: a third are datagrams, a third are such with some bytes or the length changed, a
// third are random bytes that may begin like IP. All bytes are set.
void datagram_make_any(struct packet *packet, struct random *random);
