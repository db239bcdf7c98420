#include "shaper/tun/gro_batch.h"

#include "shaper/nodes/byte_order.h"
#include "shaper/tun/segments.h"

#include <string.h>

enum { TCP = 6, FIN = 0x01, PSH = 0x08, ACK = 0x10, WHOLE_MAX = 65000 };

// Finds the headers' lengths; false for what cannot be in a batch.
static bool find_headers(struct gro_batch *batch, const struct packet *packet) {
    const uint8_t *bytes = packet->bytes;
    bool ipv4 = bytes[0] == 0x45;
    if (!packet->cut || (!ipv4 && bytes[0] >> 4 != 6) || bytes[ipv4 ? 9 : 6] != TCP) return false;
    batch->ip_bytes = ipv4 ? 20 : 40;
    if (packet->size_bytes < batch->ip_bytes + 20) return false;
    batch->header_bytes = batch->ip_bytes + (uint32_t)(bytes[batch->ip_bytes + 12] >> 4) * 4;
    return batch->header_bytes < packet->size_bytes && batch->header_bytes <= GRO_BATCH_HEADERS;
}

static void begin(struct gro_batch *batch, struct packet *packet, uint64_t due_ns) {
    batch->packets[0] = packet;
    batch->due_ns[0] = due_ns;
    batch->count = 1;
    batch->size_bytes = packet->size_bytes;
    batch->ended = false;
    if (find_headers(batch, packet)) {
        batch->payload_bytes = packet->size_bytes - batch->header_bytes;
        batch->ended = packet->bytes[batch->ip_bytes + 13] != ACK;
    } else {
        batch->header_bytes = 0;
    }
}

// The same but for what differs from packet to packet: length, number and checksum of IP, sequence number,
// flags and checksum of TCP.
static bool same_headers(const struct gro_batch *batch, const uint8_t *a, const uint8_t *b) {
    if (a[0] != b[0]) return false;
    if (batch->ip_bytes == 20) {
        if (a[1] != b[1] || memcmp(a + 6, b + 6, 4) != 0 || memcmp(a + 12, b + 12, 8) != 0) return false;
        if (((read_16(a + 4) + batch->count) & 0xffff) != read_16(b + 4)) return false;
    } else if (memcmp(a, b, 4) != 0 || memcmp(a + 6, b + 6, 34) != 0) {
        return false;
    }
    const uint8_t *s = a + batch->ip_bytes, *t = b + batch->ip_bytes;
    uint32_t sequence = read_32(s + 4) + batch->size_bytes - batch->header_bytes;
    return memcmp(s, t, 4) == 0 && sequence == read_32(t + 4) && memcmp(s + 8, t + 8, 5) == 0 &&
           memcmp(s + 14, t + 14, 2) == 0 &&
           memcmp(s + 18, t + 18, batch->header_bytes - batch->ip_bytes - 18) == 0;
}

bool gro_batch_add(struct gro_batch *batch, struct packet *packet, uint64_t due_ns, uint64_t span_ns) {
    if (batch->count == 0) {
        begin(batch, packet, due_ns);
        return true;
    }
    if (batch->header_bytes == 0 || batch->ended || !packet->cut) return false;
    if (due_ns - batch->due_ns[0] > span_ns) return false;
    if (batch->count == GRO_BATCH_MAX || packet->size_bytes <= batch->header_bytes) return false;
    uint32_t payload_bytes = packet->size_bytes - batch->header_bytes;
    if (payload_bytes > batch->payload_bytes || batch->size_bytes + payload_bytes > WHOLE_MAX) return false;
    if (!same_headers(batch, batch->packets[0]->bytes, packet->bytes)) return false;
    uint8_t flags = packet->bytes[batch->ip_bytes + 13];
    if ((flags & ~(FIN | PSH)) != ACK) return false;
    batch->ended = flags != ACK || payload_bytes < batch->payload_bytes;
    batch->packets[batch->count] = packet;
    batch->due_ns[batch->count++] = due_ns;
    batch->size_bytes += payload_bytes;
    return true;
}

void gro_batch_headers(const struct gro_batch *batch, struct virtio_net_hdr *offload, uint8_t *headers) {
    bool ipv4 = batch->ip_bytes == 20;
    memcpy(headers, batch->packets[0]->bytes, batch->header_bytes);
    headers[batch->ip_bytes + 13] = batch->packets[batch->count - 1]->bytes[batch->ip_bytes + 13];
    segments_whole_headers(headers, batch->size_bytes, batch->ip_bytes);
    *offload = (struct virtio_net_hdr){
        .flags = VIRTIO_NET_HDR_F_NEEDS_CSUM, // that is: the checksums are known to be right
        .gso_type = ipv4 ? VIRTIO_NET_HDR_GSO_TCPV4 : VIRTIO_NET_HDR_GSO_TCPV6,
        .hdr_len = (uint16_t)batch->header_bytes,
        .gso_size = (uint16_t)batch->payload_bytes,
        .csum_start = (uint16_t)batch->ip_bytes,
        .csum_offset = 16,
    };
}
