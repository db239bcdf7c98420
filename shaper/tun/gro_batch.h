// A batch: packets of one TCP connection that leave back to back, handed to the receiver's kernel in one
// write. It takes them as it takes what a network card's receive offload has put together.
//
// Only packets whose checksum is known to be right join (they were cut by segments.h), with the same headers,
// one sequence number following the other, and only the last may be shorter: the kernel can cut them again
// where they were. Does not decide which links may do so and does not write: tun_device.h does.
#pragma once

#include "shaper/nodes/packet.h"

#include <linux/virtio_net.h>
#include <stdbool.h>

enum { GRO_BATCH_MAX = 48, GRO_BATCH_HEADERS = 100 }; // IPv6 and TCP with all options

struct gro_batch {
    struct packet *packets[GRO_BATCH_MAX];
    uint32_t count; // 0: empty
    uint32_t ip_bytes;
    uint32_t header_bytes;          // 0: nothing may follow the one packet
    uint32_t payload_bytes;         // of every packet but the last
    uint32_t size_bytes;            // headers once, all payload
    bool ended;                     // the last packet ends it
    uint64_t due_ns[GRO_BATCH_MAX]; // of each packet
};

// Adds the packet, which stays the caller's and must stay as it is. False if it does not belong to the batch,
// is due more than span_ns after the batch's first, or the batch is full: then that is to be sent first, and
// emptied.
bool gro_batch_add(struct gro_batch *batch, struct packet *packet, uint64_t due_ns, uint64_t span_ns);

// What stands before the packets' payloads in a batch of several: the kernel's header and the packets' own,
// for all of them. `headers` has room for batch->header_bytes.
void gro_batch_headers(const struct gro_batch *batch, struct virtio_net_hdr *offload, uint8_t *headers);
