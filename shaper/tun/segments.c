#include "shaper/tun/segments.h"

#include "shaper/nodes/byte_order.h"

#include <string.h>

enum {
    GSO_UDP = 5, // VIRTIO_NET_HDR_GSO_UDP_L4 of Linux 6.2
    IPV4_CHECKSUM = 10,
    TCP_FLAGS = 13,
    TCP_CHECKSUM = 16,
    UDP_CHECKSUM = 6,
    TCP_LAST = 0x01 | 0x08, // FIN, PSH: of the last packet only
    TCP_CWR = 0x80,         // of the first packet only
};

// The Internet checksum's sum in the machine's own byte order, which RFC 1071 allows; four bytes at a time
// into 64 bits never overflow. A sum may be continued after an even number of bytes.
static uint64_t sum_of(const uint8_t *bytes, uint32_t size, uint64_t sum) {
    uint32_t at = 0;
    for (; at + 4 <= size; at += 4) {
        uint32_t word;
        memcpy(&word, bytes + at, 4);
        sum += word;
    }
    uint8_t rest[4] = {0};
    memcpy(rest, bytes + at, size - at);
    uint32_t word;
    memcpy(&word, rest, 4);
    return sum + word;
}

static uint16_t folded(uint64_t sum) {
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)sum;
}

static void put_checksum(uint8_t *field, uint64_t sum, bool udp) {
    uint16_t checksum = (uint16_t)~folded(sum);
    if (udp && checksum == 0) checksum = 0xffff; // 0 would say that there is none
    memcpy(field, &checksum, sizeof checksum);
}

static uint64_t pseudo_header_sum(const uint8_t *bytes, uint32_t transport_bytes, bool tcp) {
    uint8_t length_and_protocol[8] = {0};
    write_32(length_and_protocol, transport_bytes);
    length_and_protocol[7] = tcp ? 6 : 17;
    uint64_t sum = bytes[0] >> 4 == 4 ? sum_of(bytes + 12, 8, 0) : sum_of(bytes + 8, 32, 0);
    return sum_of(length_and_protocol, 8, sum);
}

// TCP's or UDP's checksum over the pseudo-header, `ip_bytes` into the packet.
static void put_transport_checksum(uint8_t *bytes, uint32_t size_bytes, uint32_t ip_bytes, bool tcp) {
    uint32_t transport_bytes = size_bytes - ip_bytes;
    uint8_t *field = bytes + ip_bytes + (tcp ? TCP_CHECKSUM : UDP_CHECKSUM);
    memset(field, 0, 2);
    uint64_t sum = pseudo_header_sum(bytes, transport_bytes, tcp);
    put_checksum(field, sum_of(bytes + ip_bytes, transport_bytes, sum), !tcp);
}

bool segments_several(const struct virtio_net_hdr *offload) {
    return offload->gso_type != VIRTIO_NET_HDR_GSO_NONE;
}

int segments_open(struct segments *segments, const struct virtio_net_hdr *offload, const uint8_t *bytes,
                  uint32_t size_bytes) {
    uint8_t type = offload->gso_type & (uint8_t)~VIRTIO_NET_HDR_GSO_ECN;
    bool tcp = type == VIRTIO_NET_HDR_GSO_TCPV4 || type == VIRTIO_NET_HDR_GSO_TCPV6;
    if (!tcp && type != GSO_UDP) return -1;
    uint32_t ip_bytes = offload->csum_start;
    if (!(offload->flags & VIRTIO_NET_HDR_F_NEEDS_CSUM) || offload->gso_size == 0) return -1;
    if (size_bytes < 20 || size_bytes > SEGMENTS_CAPACITY) return -1;
    uint8_t version = bytes[0] >> 4;
    if (ip_bytes < (version == 4 ? 20u : 40u) || (version != 4 && version != 6)) return -1;
    if (type == VIRTIO_NET_HDR_GSO_TCPV4 && version != 4) return -1;
    if (type == VIRTIO_NET_HDR_GSO_TCPV6 && version != 6) return -1;
    if (ip_bytes + (tcp ? 20 : 8) > size_bytes) return -1;
    uint32_t transport_header_bytes = tcp ? (uint32_t)(bytes[ip_bytes + 12] >> 4) * 4 : 8;
    uint32_t header_bytes = ip_bytes + transport_header_bytes;
    if (tcp && transport_header_bytes < 20) return -1;
    if (header_bytes >= size_bytes || header_bytes + offload->gso_size > PACKET_CAPACITY) return -1;
    *segments = (struct segments){
        .bytes = bytes,
        .size_bytes = size_bytes,
        .ip_bytes = ip_bytes,
        .header_bytes = header_bytes,
        .payload_bytes = offload->gso_size,
        .tcp = tcp,
    };
    return 0;
}

static void mend_ip(uint8_t *bytes, uint32_t size_bytes, uint16_t index) {
    if (bytes[0] >> 4 == 6) {
        write_16(bytes + 4, size_bytes - 40);
        return;
    }
    write_16(bytes + 2, size_bytes);
    write_16(bytes + 4, read_16(bytes + 4) + index);
    memset(bytes + IPV4_CHECKSUM, 0, 2);
    uint32_t ip_header_bytes = (uint32_t)(bytes[0] & 15) * 4;
    put_checksum(bytes + IPV4_CHECKSUM, sum_of(bytes, ip_header_bytes, 0), false);
}

bool segments_more(const struct segments *segments) {
    return segments->header_bytes + segments->done_bytes < segments->size_bytes;
}

void segments_next(struct segments *segments, struct packet *packet) {
    uint32_t left_bytes = segments->size_bytes - segments->header_bytes - segments->done_bytes;
    bool last = left_bytes <= segments->payload_bytes;
    uint32_t payload_bytes = last ? left_bytes : segments->payload_bytes;
    uint8_t *bytes = packet->bytes, *transport = bytes + segments->ip_bytes;
    packet->size_bytes = segments->header_bytes + payload_bytes;
    memcpy(bytes, segments->bytes, segments->header_bytes);
    memcpy(bytes + segments->header_bytes, segments->bytes + segments->header_bytes + segments->done_bytes,
           payload_bytes);
    mend_ip(bytes, packet->size_bytes, segments->index);
    if (segments->tcp) {
        write_32(transport + 4, read_32(transport + 4) + segments->done_bytes);
        if (!last) transport[TCP_FLAGS] &= (uint8_t)~TCP_LAST;
        if (segments->index > 0) transport[TCP_FLAGS] &= (uint8_t)~TCP_CWR;
    } else {
        write_16(transport + 4, 8 + payload_bytes);
    }
    put_transport_checksum(bytes, packet->size_bytes, segments->ip_bytes, segments->tcp);
    packet->cut = true;
    segments->done_bytes += payload_bytes;
    segments->index++;
}

void segments_whole_headers(uint8_t *headers, uint32_t size_bytes, uint32_t ip_bytes) {
    mend_ip(headers, size_bytes, 0);
    uint16_t sum = folded(pseudo_header_sum(headers, size_bytes - ip_bytes, true));
    memcpy(headers + ip_bytes + TCP_CHECKSUM, &sum, sizeof sum);
}

int segments_complete(const struct virtio_net_hdr *offload, struct packet *packet) {
    if (!(offload->flags & VIRTIO_NET_HDR_F_NEEDS_CSUM)) return 0;
    uint32_t start = offload->csum_start, field = start + offload->csum_offset;
    if (field + 2 > packet->size_bytes || start >= packet->size_bytes) return -1;
    // The field holds the pseudo-header's sum already.
    put_checksum(packet->bytes + field, sum_of(packet->bytes + start, packet->size_bytes - start, 0),
                 offload->csum_offset == UDP_CHECKSUM);
    return 0;
}
