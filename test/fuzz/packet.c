// Packets that a command behind a link sends: read as flows, through the NAT and back, and cut into segments
// as their offload header says.
#include "shaper/nodes/packet.h"
#include "shaper/nat.h"
#include "shaper/nodes/flow_key.h"
#include "shaper/tun/segments.h"
#include "target.h"

#include <linux/virtio_net.h>
#include <stddef.h>
#include <string.h>

// Kept from one input to the next: megabytes, of which an input writes a few ports.
static struct nat nat;
static struct packet_pool pool;

static void reset_nat(void) {
    const size_t listed = nat.renewed;
    PROMISE(listed <= NAT_BINDINGS_LISTED);
    for (size_t i = 0; i < sizeof nat.ports / sizeof *nat.ports; i++) {
        for (size_t at = 0; at < listed; at++) {
            nat.ports[i].outer[nat.bindings[at].near_port] = (struct nat_port){0};
            nat.ports[i].inner[nat.bindings[at].after] = (struct nat_port){0};
        }
        nat.ports[i].next = 0;
    }
    memset(nat.bindings, 0, listed * sizeof *nat.bindings);
    memset(&nat, 0, offsetof(struct nat, ports));
    nat.renewed = nat.unbound = nat.unbound_bytes = 0;
    nat_open(&nat);
}

static void through_nat(const uint8_t *data, size_t size) {
    struct packet *packet = packet_take(&pool);
    PROMISE(packet);
    packet->size_bytes = (uint32_t)(size < PACKET_CAPACITY ? size : PACKET_CAPACITY);
    memcpy(packet->bytes, data, packet->size_bytes);
    nat_up(&nat, packet, 1000000);
    nat_up_back(&nat, packet);
    nat_down(&nat, packet);
    packet_return(&pool, packet);
}

static void in_segments(const uint8_t *data, size_t size) {
    struct virtio_net_hdr offload;
    if (size < sizeof offload || size > 65535) return;
    memcpy(&offload, data, sizeof offload);
    const uint8_t *bytes = data + sizeof offload;
    uint32_t left = (uint32_t)(size - sizeof offload);
    struct packet *packet = packet_take(&pool);
    PROMISE(packet);
    struct segments segments;
    if (!segments_several(&offload)) {
        packet->size_bytes = left < PACKET_CAPACITY ? left : PACKET_CAPACITY;
        memcpy(packet->bytes, bytes, packet->size_bytes);
        segments_complete(&offload, packet);
    } else if (segments_open(&segments, &offload, bytes, left) == 0) {
        while (segments_more(&segments)) {
            segments_next(&segments, packet);
            PROMISE(packet->size_bytes <= PACKET_CAPACITY);
        }
    }
    packet_return(&pool, packet);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct flow_packet flow;
    for (int down = 0; down < 2; down++)
        if (flow_packet_read(&flow, data, (uint32_t)size, down))
            PROMISE(flow.transport_at <= size && flow.payload_bytes <= 65535 + 40);
    reset_nat();
    through_nat(data, size);
    nat_lose_ports(&nat);
    nat_change_address(&nat);
    through_nat(data, size);
    in_segments(data, size);
    return 0;
}
