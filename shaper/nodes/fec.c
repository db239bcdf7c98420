#include "shaper/nodes/fec.h"

#include "shaper/nodes/byte_order.h"

#include <string.h>

enum { UDP = 17, UDP_BYTES = 8, IPV4_BYTES = 20, IPV6_BYTES = 40 };

static bool is_ipv4(const struct packet *packet) {
    return packet->bytes[0] >> 4 == 4;
}

static uint32_t ip_bytes(const struct packet *packet) {
    return is_ipv4(packet) ? IPV4_BYTES : IPV6_BYTES;
}

static bool is_datagram_4(const uint8_t *b, uint32_t size) {
    return size >= IPV4_BYTES + UDP_BYTES && b[0] == 0x45 && read_16(b + 2) == size &&
           (read_16(b + 6) & 0xbfff) == 0 && b[9] == UDP; // of flags and offset only DF may be set
}

static bool is_datagram_6(const uint8_t *b, uint32_t size) {
    return size >= IPV6_BYTES + UDP_BYTES && b[0] >> 4 == 6 && read_16(b + 4) == size - IPV6_BYTES &&
           b[6] == UDP;
}

bool fec_read(const struct packet *packet, struct fec_key *key) {
    const uint8_t *b = packet->bytes;
    uint32_t size = packet->size_bytes;
    if (size < IPV4_BYTES || (!is_datagram_4(b, size) && !is_datagram_6(b, size))) return false;
    uint32_t header = ip_bytes(packet);
    if (read_16(b + header + 4) != size - header) return false;
    uint8_t bytes[sizeof *key] = {0};
    memcpy(bytes, b, header + 4);
    if (is_ipv4(packet)) {
        bytes[1] &= 0xfc;
        memset(bytes + 2, 0, 4);  // length, identification
        memset(bytes + 10, 0, 2); // checksum
    } else {
        bytes[1] &= 0xcf;
        memset(bytes + 4, 0, 2); // length
    }
    memcpy(key, bytes, sizeof *key);
    return true;
}

bool fec_add(struct packet *sum, const struct packet *packet) {
    uint32_t header = ip_bytes(packet), size = packet->size_bytes;
    if (size < header + UDP_BYTES) return false;
    if (sum->size_bytes == 0) {
        memcpy(sum->bytes, packet->bytes, size);
        sum->size_bytes = size;
        return true;
    }
    if (sum->size_bytes < size) {
        memset(sum->bytes + sum->size_bytes, 0, size - sum->size_bytes);
        sum->size_bytes = size;
    }
    if (is_ipv4(packet)) {
        sum->bytes[4] ^= packet->bytes[4];
        sum->bytes[5] ^= packet->bytes[5];
    }
    for (uint32_t i = header + 4; i < size; i++)
        sum->bytes[i] ^= packet->bytes[i];
    return true;
}

uint8_t fec_ecn(const struct packet *packet) {
    return is_ipv4(packet) ? packet->bytes[1] & 3 : packet->bytes[1] >> 4 & 3;
}

// Sets what a group's packets do not have in common, but for what the sum holds.
static void set_header(struct packet *packet, uint32_t size, uint8_t protocol, uint8_t ecn) {
    uint8_t *b = packet->bytes;
    packet->size_bytes = size;
    if (!is_ipv4(packet)) {
        b[1] = (uint8_t)((b[1] & 0xcf) | ecn << 4);
        b[6] = protocol;
        write_16(b + 4, size - IPV6_BYTES);
        return;
    }
    b[1] = (uint8_t)((b[1] & 0xfc) | ecn);
    b[9] = protocol;
    write_16(b + 2, size);
    write_16(b + 10, 0);
    uint32_t checksum = 0; // RFC 791: the complement of the ones' complement sum
    for (int i = 0; i < IPV4_BYTES; i += 2)
        checksum += read_16(b + i);
    checksum = (checksum & 0xffff) + (checksum >> 16);
    checksum = (checksum & 0xffff) + (checksum >> 16);
    write_16(b + 10, ~checksum);
}

void fec_make_parity(struct packet *sum, uint8_t ecn) {
    set_header(sum, sum->size_bytes, FEC_PROTOCOL, ecn);
}

bool fec_make_datagram(struct packet *sum, uint8_t ecn) {
    uint32_t header = ip_bytes(sum), udp_bytes = read_16(sum->bytes + header + 4);
    if (udp_bytes < UDP_BYTES || header + udp_bytes > sum->size_bytes) return false;
    set_header(sum, header + udp_bytes, UDP, ecn);
    return true;
}
