// Which flow an IP packet belongs to, and what of it is the transport's payload. Looks only at headers, and
// believes none: lengths are checked against the packet's size.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// The two ends as the direction "down" has them, from far (servers) to near (command): both directions of a
// connection are one flow. Compared as bytes: unused ones are 0.
struct flow_key {
    uint8_t near_address[16]; // IPv4: the first four
    uint8_t far_address[16];
    uint16_t near_port; // 0 where the protocol has none, or the packet is a later fragment
    uint16_t far_port;
    uint8_t protocol; // IP protocol number: 6, 17, ...
    uint8_t version;  // 4, 6
    uint8_t unused[2];
};

struct flow_packet {
    struct flow_key key;
    uint32_t transport_at;  // where the transport's header begins; 0: it is not in this packet
    uint32_t payload_bytes; // after the transport's header; of the IP packet where there is no such
    uint32_t sequence;      // TCP: of the first payload byte
    bool ordered;           // TCP with a whole header: `sequence` holds
};

// `down`: it goes from far to near. Takes any bytes. False where they are no IP packet.
bool flow_packet_read(struct flow_packet *flow, const uint8_t *bytes, uint32_t size_bytes, bool down);
