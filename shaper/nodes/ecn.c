#include "shaper/nodes/ecn.h"

#include "shaper/nodes/byte_order.h"

enum { NOT_ECT = 0, CE = 3 };

// RFC 1624: the checksum follows from the old one and the 16 bits that changed.
static void correct_checksum(uint8_t *header, uint32_t before, uint32_t after) {
    uint32_t sum = (~read_16(header + 10) & 0xffff) + (~before & 0xffff) + after;
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    header[10] = (uint8_t)(~sum >> 8);
    header[11] = (uint8_t)~sum;
}

bool ecn_mark(struct packet *packet) {
    uint8_t *bytes = packet->bytes;
    if (packet->size_bytes >= 20 && bytes[0] >> 4 == 4) {
        if ((bytes[1] & 3) == NOT_ECT) return false;
        uint32_t before = read_16(bytes);
        bytes[1] |= CE;
        correct_checksum(bytes, before, read_16(bytes));
        return true;
    }
    if (packet->size_bytes >= 40 && bytes[0] >> 4 == 6) { // the traffic class lies across two bytes
        if ((bytes[1] >> 4 & 3) == NOT_ECT) return false;
        bytes[1] |= CE << 4;
        return true;
    }
    return false;
}
