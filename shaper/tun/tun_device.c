#include "shaper/tun/tun_device.h"

#include <errno.h>
#include <linux/if_tun.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

_Static_assert(sizeof(struct virtio_net_hdr) == PACKET_OFFLOAD, "the kernel's header has its place");
_Static_assert(offsetof(struct packet, bytes) == offsetof(struct packet, offload) + PACKET_OFFLOAD,
               "and no gap follows it");

enum { USO4 = 0x20, USO6 = 0x40 }; // TUN_F_USO4, TUN_F_USO6: Linux 6.2

int tun_device_offload(int fd) {
    unsigned long offload = TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6 | TUN_F_TSO_ECN;
    if (ioctl(fd, TUNSETOFFLOAD, offload | USO4 | USO6) == 0) return 0;
    return errno == EINVAL ? ioctl(fd, TUNSETOFFLOAD, offload) : -1;
}

// One packet goes straight to its place; of more, what did not fit there comes to where it belongs in
// `whole`, and the beginning is copied before it.
bool tun_device_read(struct tun_device *device, struct packet *packet) {
    if (device->within) {
        segments_next(&device->segments, packet);
        device->within = segments_more(&device->segments);
        return true;
    }
    struct virtio_net_hdr offload;
    uint8_t frame[WIRE_FRAME];
    uint32_t frame_bytes = device->wire->framed ? WIRE_FRAME : 0;
    struct iovec parts[] = {{&offload, sizeof offload},
                            {frame, frame_bytes},
                            {packet->bytes, PACKET_CAPACITY},
                            {device->whole + PACKET_CAPACITY, SEGMENTS_CAPACITY - PACKET_CAPACITY}};
    ssize_t read_bytes = readv(device->wire->fd, parts, 4);
    if (read_bytes <= (ssize_t)(sizeof offload + frame_bytes)) return false;
    offload.csum_start = (uint16_t)(offload.csum_start - frame_bytes);
    uint32_t size_bytes = (uint32_t)read_bytes - (uint32_t)sizeof offload - frame_bytes;
    packet->size_bytes = size_bytes < PACKET_CAPACITY ? size_bytes : PACKET_CAPACITY;
    if (!segments_several(&offload)) {
        segments_complete(&offload, packet);
        return true;
    }
    memcpy(device->whole, packet->bytes, packet->size_bytes);
    if (segments_open(&device->segments, &offload, device->whole, size_bytes) < 0) return true;
    segments_next(&device->segments, packet);
    device->within = segments_more(&device->segments);
    return true;
}

static bool tun_device_write(const struct wire *wire, struct packet *packet) {
    memset(packet->offload, 0, sizeof packet->offload); // VIRTIO_NET_HDR_GSO_NONE
    // Where we made the checksum the receiver's kernel need not verify it.
    if (packet->cut) packet->offload[offsetof(struct virtio_net_hdr, flags)] = VIRTIO_NET_HDR_F_DATA_VALID;
    size_t size = PACKET_OFFLOAD + packet->size_bytes;
    if (!wire->framed) return write(wire->fd, packet->offload, size) == (ssize_t)size;
    uint8_t frame[WIRE_FRAME];
    wire_frame(frame, packet->bytes);
    struct iovec parts[] = {
        {packet->offload, PACKET_OFFLOAD}, {frame, WIRE_FRAME}, {packet->bytes, packet->size_bytes}};
    return writev(wire->fd, parts, 3) == (ssize_t)(size + WIRE_FRAME);
}

bool tun_device_write_batch(const struct wire *wire, const struct gro_batch *batch) {
    if (batch->count == 1) return tun_device_write(wire, batch->packets[0]);
    struct virtio_net_hdr offload;
    uint8_t frame[WIRE_FRAME], headers[GRO_BATCH_HEADERS];
    uint32_t frame_bytes = wire->framed ? WIRE_FRAME : 0;
    struct iovec parts[3 + GRO_BATCH_MAX] = {
        {&offload, sizeof offload}, {frame, frame_bytes}, {headers, batch->header_bytes}};
    gro_batch_headers(batch, &offload, headers);
    if (wire->framed) wire_frame(frame, headers);
    offload.hdr_len = (uint16_t)(offload.hdr_len + frame_bytes);
    offload.csum_start = (uint16_t)(offload.csum_start + frame_bytes);
    for (uint32_t i = 0; i < batch->count; i++)
        parts[3 + i] = (struct iovec){batch->packets[i]->bytes + batch->header_bytes,
                                      batch->packets[i]->size_bytes - batch->header_bytes};
    return writev(wire->fd, parts, 3 + (int)batch->count) ==
           (ssize_t)(sizeof offload + frame_bytes + batch->size_bytes);
}
