// One side's device: its packets one by one, although the kernel hands over up to 64 kB at once (one system
// call instead of 45). Does not wait and does not open it: wire.h does.
#pragma once

#include "shaper/tun/gro_batch.h"
#include "shaper/tun/segments.h"
#include "shaper/tun/wire.h"

// Lets the kernel leave segmentation and checksums to us. Call before the interface is up.
// 0, or -1 with errno.
int tun_device_offload(int fd);

struct tun_device {
    const struct wire *wire;
    bool within;
    struct segments segments; // what is still to come of the last read, if `within`
    uint8_t whole[SEGMENTS_CAPACITY];
};

// Fills in the next packet: true. False when there is nothing to read now.
// What the kernel would not send (longer than PACKET_CAPACITY) is cut there: its IP header says so.
bool tun_device_read(struct tun_device *device, struct packet *packet);

// True if the kernel took it.
bool tun_device_write_batch(const struct wire *wire, const struct gro_batch *batch);
