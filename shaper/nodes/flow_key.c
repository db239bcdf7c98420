#include "shaper/nodes/flow_key.h"

#include "shaper/nodes/byte_order.h"

#include <netinet/in.h>
#include <string.h>

enum { TCP_SYN = 0x02, IPV6_HEADER = 40, MOST_EXTENSIONS = 8 };

// What follows the IP headers.
struct transport {
    const uint8_t *bytes;
    uint32_t size;
    bool first; // the packet is whole or its first fragment: the transport's header is there
};

static void set_addresses(struct flow_key *key, const uint8_t *source, const uint8_t *destination,
                          uint32_t size, bool down) {
    memcpy(key->far_address, down ? source : destination, size);
    memcpy(key->near_address, down ? destination : source, size);
}

static bool read_ipv4(struct flow_key *key, struct transport *transport, const uint8_t *bytes, uint32_t size,
                      bool down) {
    if (size < 20) return false;
    uint32_t header = (uint32_t)(bytes[0] & 0x0f) * 4;
    if (header < 20 || header > size) return false;
    key->protocol = bytes[9];
    set_addresses(key, bytes + 12, bytes + 16, 4, down);
    transport->bytes = bytes + header;
    transport->size = size - header;
    transport->first = (read_16(bytes + 6) & 0x1fff) == 0;
    return true;
}

static bool read_ipv6(struct flow_key *key, struct transport *transport, const uint8_t *bytes, uint32_t size,
                      bool down) {
    if (size < IPV6_HEADER) return false;
    set_addresses(key, bytes + 8, bytes + 24, 16, down);
    uint32_t at = IPV6_HEADER;
    uint8_t next = bytes[6];
    transport->first = true;
    for (int i = 0; i < MOST_EXTENSIONS && size - at >= 8; i++) {
        if (next == IPPROTO_FRAGMENT) {
            if ((read_16(bytes + at + 2) & 0xfff8) != 0) transport->first = false;
            next = bytes[at];
            at += 8;
            continue;
        }
        if (next != IPPROTO_HOPOPTS && next != IPPROTO_ROUTING && next != IPPROTO_DSTOPTS) break;
        uint32_t length = ((uint32_t)bytes[at + 1] + 1) * 8;
        if (length > size - at) break;
        next = bytes[at];
        at += length;
    }
    key->protocol = next;
    transport->bytes = bytes + at;
    transport->size = size - at;
    return true;
}

static void read_transport(struct flow_packet *flow, const struct transport *transport, const uint8_t *packet,
                           bool down) {
    struct flow_key *key = &flow->key;
    const uint8_t *bytes = transport->bytes;
    flow->payload_bytes = transport->size;
    if (!transport->first || transport->size < 8) return;
    flow->transport_at = (uint32_t)(bytes - packet);
    if (key->protocol != IPPROTO_TCP && key->protocol != IPPROTO_UDP) return;
    key->far_port = read_16(bytes + (down ? 0 : 2));
    key->near_port = read_16(bytes + (down ? 2 : 0));
    if (key->protocol == IPPROTO_UDP) {
        flow->payload_bytes = transport->size - 8;
        return;
    }
    uint32_t header = transport->size >= 20 ? (uint32_t)(bytes[12] >> 4) * 4 : 0;
    if (header < 20 || header > transport->size) return;
    flow->payload_bytes = transport->size - header;
    flow->sequence = read_32(bytes + 4) + (bytes[13] & TCP_SYN ? 1 : 0); // a SYN takes a number for itself
    flow->ordered = true;
}

bool flow_packet_read(struct flow_packet *flow, const uint8_t *bytes, uint32_t size_bytes, bool down) {
    *flow = (struct flow_packet){0};
    struct transport transport = {0};
    if (size_bytes == 0) return false;
    flow->key.version = bytes[0] >> 4;
    bool known = false;
    if (flow->key.version == 4) known = read_ipv4(&flow->key, &transport, bytes, size_bytes, down);
    if (flow->key.version == 6) known = read_ipv6(&flow->key, &transport, bytes, size_bytes, down);
    if (known) read_transport(flow, &transport, bytes, down);
    return known;
}
