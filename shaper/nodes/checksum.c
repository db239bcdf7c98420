#include "shaper/nodes/checksum.h"

#include <string.h>

// HC' = ~(~HC + ~m + m'): with ~m instead of -m the sum cannot become the zero that only a checksum of
// nothing has. Sums may be taken in any byte order (RFC 1071).
uint16_t checksum_after(uint16_t checksum, const uint8_t *before, const uint8_t *after, uint32_t size) {
    uint32_t sum = (uint16_t)~checksum;
    for (uint32_t at = 0; at + 2 <= size; at += 2) {
        uint16_t was, is;
        memcpy(&was, before + at, sizeof was);
        memcpy(&is, after + at, sizeof is);
        sum += (uint32_t)(uint16_t)~was + is;
    }
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)~sum;
}
