#include "wire_packet.h"

#include "shaper/nodes/byte_order.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

static uint32_t add_up(const uint8_t *bytes, uint32_t size, uint32_t sum) {
    for (uint32_t i = 0; i < size; i++)
        sum += i % 2 ? bytes[i] : (uint32_t)bytes[i] << 8;
    return sum;
}

static uint16_t checksum(uint32_t sum) {
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)~sum;
}

// The IP header for a transport of that size. Returns where that begins.
static uint8_t *begin(struct packet *packet, int version, bool down, uint8_t protocol, uint32_t size) {
    uint8_t *b = packet->bytes;
    memset(b, 0, sizeof packet->bytes);
    if (version == 4) {
        packet->size_bytes = 20 + size;
        b[0] = 0x45;
        write_16(b + 2, packet->size_bytes);
        b[8] = 64;
        b[9] = protocol;
        inet_pton(AF_INET, down ? "100.64.0.1" : "100.64.0.2", b + 12);
        inet_pton(AF_INET, down ? "100.64.0.2" : "100.64.0.1", b + 16);
        write_16(b + 10, checksum(add_up(b, 20, 0)));
        return b + 20;
    }
    packet->size_bytes = 40 + size;
    b[0] = 0x60;
    write_16(b + 4, size);
    b[6] = protocol;
    b[7] = 64;
    inet_pton(AF_INET6, down ? "fd00:7472::1" : "fd00:7472::2", b + 8);
    inet_pton(AF_INET6, down ? "fd00:7472::2" : "fd00:7472::1", b + 24);
    return b + 40;
}

static void finish(struct packet *packet, uint8_t *transport, uint32_t checksum_at, uint8_t protocol) {
    uint32_t header = (uint32_t)(transport - packet->bytes), size = packet->size_bytes - header;
    uint32_t addresses = header == 20 ? 12 : 8;
    uint32_t sum = add_up(packet->bytes + addresses, header - addresses, size + protocol);
    write_16(transport + checksum_at, checksum(add_up(transport, size, sum)));
}

static void put_ports(uint8_t *transport, bool down) {
    write_16(transport, down ? 443 : 40000);
    write_16(transport + 2, down ? 40000 : 443);
}

void wire_packet_tcp(struct packet *packet, int version, bool down, uint32_t sequence, uint8_t flags,
                     uint32_t payload_bytes) {
    uint8_t *t = begin(packet, version, down, IPPROTO_TCP, 20 + payload_bytes);
    put_ports(t, down);
    write_16(t + 4, sequence >> 16);
    write_16(t + 6, sequence);
    t[12] = 5 << 4;
    t[13] = flags;
    write_16(t + 14, 65535);
    finish(packet, t, 16, IPPROTO_TCP);
}

void wire_packet_udp(struct packet *packet, int version, bool down, uint32_t payload_bytes) {
    uint8_t *t = begin(packet, version, down, IPPROTO_UDP, 8 + payload_bytes);
    put_ports(t, down);
    write_16(t + 4, 8 + payload_bytes);
    finish(packet, t, 6, IPPROTO_UDP);
}
