// Internet checksums (RFC 1071) of headers that change: adjusted by what has changed alone (RFC 1624,
// equation 3), without reading the rest of the packet. Does not know where a checksum stands.
#pragma once

#include <stdint.h>

// The checksum `checksum`, in the machine's own byte order as it lies in the packet, after `size` bytes
// (even, and an even number of bytes into what is summed) changed from `before` to `after`.
uint16_t checksum_after(uint16_t checksum, const uint8_t *before, const uint8_t *after, uint32_t size);
