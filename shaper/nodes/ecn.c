#include "shaper/nodes/ecn.h"

#include "shaper/nodes/checksum.h"

#include <string.h>

enum { NOT_ECT = 0, CE = 3 };

bool ecn_mark(struct packet *packet) {
    uint8_t *bytes = packet->bytes;
    if (packet->size_bytes >= 20 && bytes[0] >> 4 == 4) {
        if ((bytes[1] & 3) == NOT_ECT) return false;
        const uint8_t before[2] = {bytes[0], bytes[1]};
        uint16_t checksum;
        memcpy(&checksum, bytes + 10, sizeof checksum);
        bytes[1] |= CE;
        checksum = checksum_after(checksum, before, bytes, sizeof before);
        memcpy(bytes + 10, &checksum, sizeof checksum);
        return true;
    }
    if (packet->size_bytes >= 40 && bytes[0] >> 4 == 6) { // the traffic class lies across two bytes
        if ((bytes[1] >> 4 & 3) == NOT_ECT) return false;
        bytes[1] |= CE << 4;
        return true;
    }
    return false;
}
