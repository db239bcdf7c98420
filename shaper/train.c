#include "shaper/train.h"

#include "shaper/segments.h"

#include <string.h>

enum { TCP = 6, FIN = 0x01, PSH = 0x08, ACK = 0x10, WHOLE_MAX = 65000 };

static uint32_t read_16(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 8 | bytes[1];
}

static uint32_t read_32(const uint8_t *bytes) {
    return read_16(bytes) << 16 | read_16(bytes + 2);
}

// Finds the headers' lengths; false for what cannot be in a train.
static bool find_headers(struct train *train, const struct packet *packet) {
    const uint8_t *bytes = packet->bytes;
    bool ipv4 = bytes[0] == 0x45;
    if (!packet->cut || (!ipv4 && bytes[0] >> 4 != 6) || bytes[ipv4 ? 9 : 6] != TCP) return false;
    train->ip_bytes = ipv4 ? 20 : 40;
    if (packet->size_bytes < train->ip_bytes + 20) return false;
    train->header_bytes = train->ip_bytes + (uint32_t)(bytes[train->ip_bytes + 12] >> 4) * 4;
    return train->header_bytes < packet->size_bytes && train->header_bytes <= TRAIN_HEADERS;
}

static void begin(struct train *train, struct packet *packet, uint64_t due_ns) {
    train->packets[0] = packet;
    train->due_ns[0] = due_ns;
    train->count = 1;
    train->size_bytes = packet->size_bytes;
    train->ended = false;
    if (find_headers(train, packet)) {
        train->payload_bytes = packet->size_bytes - train->header_bytes;
        train->ended = packet->bytes[train->ip_bytes + 13] != ACK;
    } else {
        train->header_bytes = 0;
    }
}

// The same but for what differs from packet to packet: length, number and checksum of IP, sequence number,
// flags and checksum of TCP.
static bool same_headers(const struct train *train, const uint8_t *a, const uint8_t *b) {
    if (a[0] != b[0]) return false;
    if (train->ip_bytes == 20) {
        if (a[1] != b[1] || memcmp(a + 6, b + 6, 4) != 0 || memcmp(a + 12, b + 12, 8) != 0) return false;
        if (((read_16(a + 4) + train->count) & 0xffff) != read_16(b + 4)) return false;
    } else if (memcmp(a, b, 4) != 0 || memcmp(a + 6, b + 6, 34) != 0) {
        return false;
    }
    const uint8_t *s = a + train->ip_bytes, *t = b + train->ip_bytes;
    uint32_t sequence = read_32(s + 4) + train->size_bytes - train->header_bytes;
    return memcmp(s, t, 4) == 0 && sequence == read_32(t + 4) && memcmp(s + 8, t + 8, 5) == 0 &&
           memcmp(s + 14, t + 14, 2) == 0 &&
           memcmp(s + 18, t + 18, train->header_bytes - train->ip_bytes - 18) == 0;
}

bool train_add(struct train *train, struct packet *packet, uint64_t due_ns, uint64_t span_ns) {
    if (train->count == 0) {
        begin(train, packet, due_ns);
        return true;
    }
    if (train->header_bytes == 0 || train->ended || !packet->cut) return false;
    if (due_ns - train->due_ns[0] > span_ns) return false;
    if (train->count == TRAIN_MAX || packet->size_bytes <= train->header_bytes) return false;
    uint32_t payload_bytes = packet->size_bytes - train->header_bytes;
    if (payload_bytes > train->payload_bytes || train->size_bytes + payload_bytes > WHOLE_MAX) return false;
    if (!same_headers(train, train->packets[0]->bytes, packet->bytes)) return false;
    uint8_t flags = packet->bytes[train->ip_bytes + 13];
    if ((flags & ~(FIN | PSH)) != ACK) return false;
    train->ended = flags != ACK || payload_bytes < train->payload_bytes;
    train->packets[train->count] = packet;
    train->due_ns[train->count++] = due_ns;
    train->size_bytes += payload_bytes;
    return true;
}

void train_headers(const struct train *train, struct virtio_net_hdr *offload, uint8_t *headers) {
    bool ipv4 = train->ip_bytes == 20;
    memcpy(headers, train->packets[0]->bytes, train->header_bytes);
    headers[train->ip_bytes + 13] = train->packets[train->count - 1]->bytes[train->ip_bytes + 13];
    segments_whole_headers(headers, train->size_bytes, train->ip_bytes);
    *offload = (struct virtio_net_hdr){
        .flags = VIRTIO_NET_HDR_F_NEEDS_CSUM, // that is: the checksums are known to be right
        .gso_type = ipv4 ? VIRTIO_NET_HDR_GSO_TCPV4 : VIRTIO_NET_HDR_GSO_TCPV6,
        .hdr_len = (uint16_t)train->header_bytes,
        .gso_size = (uint16_t)train->payload_bytes,
        .csum_start = (uint16_t)train->ip_bytes,
        .csum_offset = 16,
    };
}
