#include "datagram.h"

#include "shaper/nodes/byte_order.h"

#include <string.h>

static uint32_t sum_4(const uint8_t *bytes) {
    uint32_t sum = 0;
    for (int i = 0; i < 20; i += 2)
        sum += read_16(bytes + i);
    while (sum > 0xffff)
        sum = (sum & 0xffff) + (sum >> 16);
    return sum;
}

void datagram_mark(struct packet *packet, uint8_t ecn) {
    uint8_t *b = packet->bytes;
    if (b[0] >> 4 == 6) {
        b[1] = (uint8_t)((b[1] & 0xcf) | ecn << 4);
        return;
    }
    b[1] = (uint8_t)((b[1] & 0xfc) | ecn);
    write_16(b + 10, 0);
    write_16(b + 10, ~sum_4(b));
}

void datagram_make(struct packet *packet, int version, uint16_t flow, uint32_t number, uint32_t payload_bytes,
                   uint8_t ecn) {
    uint8_t *b = packet->bytes;
    uint32_t header = version == 4 ? 20 : 40;
    packet->size_bytes = header + 8 + payload_bytes;
    memset(b, 0, header);
    if (version == 4) {
        b[0] = 0x45;
        b[1] = (uint8_t)(flow % 3 << 2);
        write_16(b + 2, packet->size_bytes);
        write_16(b + 4, number * 7);
        b[6] = flow % 2 ? 0x40 : 0;
        b[8] = (uint8_t)(60 + flow % 5);
        b[9] = 17;
        memcpy(b + 12, (uint8_t[]){100, 64, 0, 1, 100, 64, 0, 2}, 8);
    } else {
        b[0] = 0x60;
        write_16(b + 2, flow); // label
        write_16(b + 4, 8 + payload_bytes);
        b[6] = 17;
        b[7] = (uint8_t)(60 + flow % 5);
        b[8] = b[24] = 0xfd;
        b[23] = 1;
        b[39] = 2;
    }
    write_16(b + header, 443);
    write_16(b + header + 2, flow);
    write_16(b + header + 4, 8 + payload_bytes);
    write_16(b + header + 6, number * 40503 + 1);
    uint32_t mixed = number;
    for (uint32_t i = 0; i < payload_bytes; i++) {
        mixed = mixed * 1664525 + 1013904223;
        b[header + 8 + i] = (uint8_t)(mixed >> 24);
    }
    for (int i = 0; i < 4; i++)
        b[header + 8 + i] = (uint8_t)(number >> (24 - 8 * i));
    datagram_mark(packet, ecn);
}

bool datagram_read(const struct packet *packet, uint16_t *flow, uint32_t *number) {
    const uint8_t *b = packet->bytes;
    int version = b[0] >> 4;
    uint32_t header = version == 4 ? 20 : 40;
    if (packet->size_bytes < header + 12) return false;
    const uint8_t *n = b + header + 8;
    *flow = (uint16_t)read_16(b + header + 2);
    *number = (uint32_t)n[0] << 24 | (uint32_t)n[1] << 16 | (uint32_t)n[2] << 8 | n[3];
    struct packet made;
    uint8_t ecn = version == 4 ? b[1] & 3 : b[1] >> 4 & 3;
    datagram_make(&made, version, *flow, *number, packet->size_bytes - header - 8, ecn);
    return memcmp(made.bytes, b, packet->size_bytes) == 0;
}

static uint64_t below(struct random *random, uint64_t limit) {
    return random_next(random) % limit;
}

void datagram_make_any(struct packet *packet, struct random *random) {
    memset(packet->bytes, 0, sizeof packet->bytes);
    int version = below(random, 2) ? 4 : 6;
    uint64_t kind = below(random, 3);
    if (kind == 2) {
        packet->size_bytes = (uint32_t)below(random, below(random, 2) ? 80 : PACKET_CAPACITY + 1);
        for (uint32_t i = 0; i < packet->size_bytes && i < 80; i++)
            packet->bytes[i] = (uint8_t)below(random, 256);
        if (packet->size_bytes > 9 && below(random, 2)) {
            packet->bytes[0] = version == 4 ? 0x45 : 0x60;
            packet->bytes[6] = packet->bytes[9] = 17;
        }
        return;
    }
    uint32_t room = PACKET_CAPACITY - (version == 4 ? 28 : 48);
    datagram_make(packet, version, (uint16_t)below(random, 20), (uint32_t)below(random, 1000000),
                  4 + (uint32_t)below(random, below(random, 50) ? 60 : room - 3), 2);
    if (kind == 0) return;
    for (uint64_t changes = below(random, 4); changes > 0; changes--)
        packet->bytes[below(random, below(random, 2) ? 48 : packet->size_bytes)] ^=
            (uint8_t)(1 << below(random, 8));
    if (below(random, 4) == 0) packet->size_bytes = (uint32_t)below(random, packet->size_bytes + 1);
}
