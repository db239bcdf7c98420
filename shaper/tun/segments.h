// The packets in what a kernel hands over at once. A TUN device that offers segmentation and checksum offload
// gets up to 64 kB of one TCP or UDP flow in one read; this cuts it into the packets that the wire would have
// carried, each with its own headers and its complete checksum, exactly as the kernel's own segmentation
// does (RFC 9293 for what a segment repeats, RFC 1071 for checksums). Does not read or write devices.
#pragma once

#include "shaper/nodes/packet.h"

#include <linux/virtio_net.h>
#include <stdbool.h>

// IP's own limit, and so the kernel's for what it hands over at once.
enum { SEGMENTS_CAPACITY = 65536 };

struct segments {
    const uint8_t *bytes; // headers, then the payload of all packets
    uint32_t size_bytes;
    uint32_t ip_bytes;      // headers before TCP's or UDP's
    uint32_t header_bytes;  // all headers: what every packet repeats
    uint32_t payload_bytes; // of every packet but the last
    uint32_t done_bytes;    // of the payload
    uint16_t index;         // of the next packet
    bool tcp;
};

// True if the header announces several packets: for segments_open. Else it is one: for segments_complete.
bool segments_several(const struct virtio_net_hdr *offload);

// `bytes` stay the caller's and are read until the last packet is out. 0, or -1 if header and bytes do not
// fit each other, or a packet would be longer than PACKET_CAPACITY.
int segments_open(struct segments *segments, const struct virtio_net_hdr *offload, const uint8_t *bytes,
                  uint32_t size_bytes);

bool segments_more(const struct segments *segments); // always, right after segments_open

// Fills in bytes and size of the next packet; only while there are more.
void segments_next(struct segments *segments, struct packet *packet);

// The other way round: the headers of a TCP packet become those of a whole of `size_bytes` whose checksum is
// left to the device.
void segments_whole_headers(uint8_t *headers, uint32_t size_bytes, uint32_t ip_bytes);

// One packet, whole in `packet`: completes the checksum that the kernel left to the device. 0, or -1 if
// header and packet do not fit each other.
int segments_complete(const struct virtio_net_hdr *offload, struct packet *packet);
