// Packets of one connection that leave together, for UDP_SEGMENT: the same two addresses, one size but for
// the last. One packet that does not fit waits behind, so that a link without room never costs a packet. Does
// not make packets, nor know when they are due beyond what its caller says.
#pragma once

#include "quic_io/udp.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Zeroed: empty.
struct burst {
    struct udp_burst first;
    struct udp_burst behind; // empty, or one packet; then nothing may be added
    uint64_t due_ns;         // of the last packet; 0: at once
    bool no_room;            // the link had none: burst_flush again when it has
    uint8_t bytes[(UDP_BURST_PACKETS_MAX + 1) * UDP_PACKET_MAX];
};

// Where the next packet of up to `size` bytes may be written; NULL: flush first.
uint8_t *burst_place(struct burst *burst, size_t size);
// That packet has been written; it is to leave at `due_ns` (0: at once).
void burst_add(struct burst *burst, const struct udp_burst *packet, uint64_t due_ns);
// Sends what is due. True if nothing is left.
bool burst_flush(struct burst *burst, const struct udp_link *link, uint64_t now_ns);
