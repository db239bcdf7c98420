// Makes IP packets for tests of what reads them.
#pragma once

#include "shaper/nodes/packet.h"

#include <stdbool.h>

enum { WIRE_SYN = 2, WIRE_ACK = 16 };

// From 100.64.0.1 (or fd00:7472::1), port 443, to 100.64.0.2 (::2), port 40000, where `down`; else back.
// Checksums are valid.
void wire_packet_tcp(struct packet *packet, int version, bool down, uint32_t sequence, uint8_t flags,
                     uint32_t payload_bytes);
void wire_packet_udp(struct packet *packet, int version, bool down, uint32_t payload_bytes);
