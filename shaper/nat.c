// Every function here works in place and touches only headers; lengths are checked against the packet's size
// (flow_key.h), so that a malformed packet passes as it came.
#include "shaper/nat.h"

#include "base/lab_addresses.h"
#include "shaper/nodes/byte_order.h"
#include "shaper/nodes/checksum.h"
#include "shaper/nodes/flow_key.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

enum {
    V4_CHECKSUM = 10,
    V4_SOURCE = 12,
    V4_BYTES = 4,
    V6_SOURCE = 8,
    V6_BYTES = 16,
    TCP_CHECKSUM = 16,
    UDP_CHECKSUM = 6,
    ICMP_CHECKSUM = 2,
    ICMP_HEADER = 8,
    QUOTED_MAX = 160, // headers of a quoted packet that may change: IPv6 with its extensions, and TCP
};

enum end { SOURCE, DESTINATION };

// A packet's headers: of one that is sent, or of one that an ICMP error quotes.
struct headers {
    uint8_t *bytes;
    uint32_t size;
    struct flow_packet read;
};

static bool read_headers(struct headers *headers, uint8_t *bytes, uint32_t size, bool down) {
    *headers = (struct headers){.bytes = bytes, .size = size};
    return flow_packet_read(&headers->read, bytes, size, down);
}

static bool is_v6(const struct headers *headers) {
    return headers->read.key.version == 6;
}

static uint8_t *address_of(const struct headers *headers, enum end end) {
    uint32_t at = is_v6(headers) ? V6_SOURCE : V4_SOURCE, size = is_v6(headers) ? V6_BYTES : V4_BYTES;
    return headers->bytes + at + (end == DESTINATION ? size : 0);
}

static const uint8_t *address_in(const struct nat_address *address, const struct headers *headers) {
    return is_v6(headers) ? address->v6 : address->v4;
}

static uint32_t address_bytes(const struct headers *headers) {
    return is_v6(headers) ? V6_BYTES : V4_BYTES;
}

static bool has_ports(const struct headers *headers) {
    uint8_t protocol = headers->read.key.protocol;
    return headers->read.transport_at > 0 && (protocol == IPPROTO_TCP || protocol == IPPROTO_UDP);
}

// The transport's checksum where the packet has one that covers addresses or ports; else NULL.
static uint8_t *transport_checksum(const struct headers *headers) {
    uint32_t at = headers->read.transport_at;
    uint8_t protocol = headers->read.key.protocol;
    if (at == 0) return NULL;
    if (protocol == IPPROTO_TCP)
        at += TCP_CHECKSUM;
    else if (protocol == IPPROTO_UDP)
        at += UDP_CHECKSUM;
    else if (protocol == IPPROTO_ICMPV6 && is_v6(headers))
        at += ICMP_CHECKSUM;
    else
        return NULL;
    if (at + 2 > headers->size) return NULL; // quoted, and cut off before it
    uint8_t *field = headers->bytes + at;
    bool none = protocol == IPPROTO_UDP && field[0] == 0 && field[1] == 0;
    return none ? NULL : field;
}

static void adjust(uint8_t *checksum, const uint8_t *before, const uint8_t *after, uint32_t size) {
    uint16_t value;
    memcpy(&value, checksum, sizeof value);
    value = checksum_after(value, before, after, size);
    memcpy(checksum, &value, sizeof value);
}

static void put(uint8_t *field, const uint8_t *value, uint32_t size, uint8_t *ip_checksum,
                uint8_t *transport) {
    uint8_t before[V6_BYTES];
    memcpy(before, field, size);
    memcpy(field, value, size);
    if (ip_checksum) adjust(ip_checksum, before, value, size);
    if (transport) adjust(transport, before, value, size);
}

// Gives one end of the packet another address and port (of a packet without ports: none), with all checksums
// that cover them.
static void rewrite(const struct headers *headers, enum end end, const struct nat_address *address,
                    uint16_t port) {
    uint8_t *transport = transport_checksum(headers),
            *ip = is_v6(headers) ? NULL : headers->bytes + V4_CHECKSUM;
    put(address_of(headers, end), address_in(address, headers), address_bytes(headers), ip, transport);
    if (has_ports(headers)) {
        uint8_t value[2] = {(uint8_t)(port >> 8), (uint8_t)port};
        put(headers->bytes + headers->read.transport_at + (end == DESTINATION ? 2 : 0), value, 2, NULL,
            transport);
    }
    bool is_udp = transport && headers->read.key.protocol == IPPROTO_UDP;
    if (is_udp && transport[0] == 0 && transport[1] == 0)
        memset(transport, 0xff, 2); // 0 would say that there is none
}

static struct nat_ports *ports_for(const struct nat *nat, const struct headers *headers) {
    int place = (is_v6(headers) ? 2 : 0) + (headers->read.key.protocol == IPPROTO_TCP ? 1 : 0);
    return (struct nat_ports *)&nat->ports[place];
}

// The port that follows in turn and that no flow of this generation has.
static uint16_t give_port(struct nat_ports *ports, uint32_t generation) {
    for (int tries = 0; tries <= NAT_PORT_LAST - NAT_PORT_FIRST; tries++) {
        uint16_t port = ports->next < NAT_PORT_FIRST ? NAT_PORT_FIRST : ports->next;
        ports->next = (uint16_t)(port < NAT_PORT_LAST ? port + 1 : NAT_PORT_FIRST);
        if (ports->inner[port].generation != generation) return port;
    }
    return ports->next; // all are in use: the eldest loses its own
}

static void note_binding(struct nat *nat, const struct headers *headers, uint16_t near_port, uint16_t before,
                         uint16_t after, uint64_t now_ns) {
    if (nat->renewed++ >= NAT_BINDINGS_LISTED) return;
    nat->bindings[nat->renewed - 1] = (struct nat_binding){.at_ns = now_ns,
                                                           .protocol = headers->read.key.protocol,
                                                           .version = headers->read.key.version,
                                                           .near_port = near_port,
                                                           .before = before,
                                                           .after = after};
}

// What the far side sees of a port of the command.
static uint16_t bind_port(struct nat *nat, const struct headers *headers, uint16_t near_port,
                          uint64_t now_ns) {
    if (nat->generation == 0) return near_port;
    struct nat_ports *ports = ports_for(nat, headers);
    struct nat_port *outer = &ports->outer[near_port];
    if (outer->generation == nat->generation && ports->inner[outer->other].generation == nat->generation &&
        ports->inner[outer->other].other == near_port)
        return outer->other;
    uint16_t before = outer->generation > 0 ? outer->other : near_port;
    uint16_t after = give_port(ports, nat->generation);
    *outer = (struct nat_port){.generation = nat->generation, .other = after};
    ports->inner[after] = (struct nat_port){.generation = nat->generation, .other = near_port};
    note_binding(nat, headers, near_port, before, after, now_ns);
    return after;
}

// The command's port that the far side means; false: it has been given up. *near_port is then what it was.
static bool find_port(const struct nat *nat, const struct headers *headers, uint16_t port,
                      uint16_t *near_port) {
    const struct nat_port *inner = &ports_for(nat, headers)->inner[port];
    *near_port = inner->generation > 0 ? inner->other : port;
    return inner->generation == nat->generation;
}

static bool is_at(const struct nat_address *address, const struct headers *headers, enum end end) {
    return memcmp(address_of(headers, end), address_in(address, headers), address_bytes(headers)) == 0;
}

// One that could have been the command's at some time.
static bool is_ours(const struct nat *nat, const struct headers *headers, enum end end) {
    uint32_t bits = is_v6(headers) ? LAB_MOVED_BITS_6 : LAB_MOVED_BITS;
    return is_at(&nat->near, headers, end) ||
           memcmp(address_of(headers, end), address_in(&nat->network, headers), bits / 8) == 0;
}

static uint16_t port_at(const struct headers *headers, enum end end) {
    return has_ports(headers)
               ? read_16(headers->bytes + headers->read.transport_at + (end == DESTINATION ? 2 : 0))
               : 0;
}

static void outward(struct nat *nat, const struct headers *headers, enum end end, uint64_t now_ns) {
    uint16_t port = has_ports(headers) ? bind_port(nat, headers, port_at(headers, end), now_ns) : 0;
    rewrite(headers, end, &nat->outer, port);
}

// False: the address or port has been given up.
static bool inward(const struct nat *nat, const struct headers *headers, enum end end) {
    bool known = is_at(&nat->outer, headers, end);
    uint16_t port = port_at(headers, end);
    if (nat->generation > 0 && has_ports(headers)) known = find_port(nat, headers, port, &port) && known;
    rewrite(headers, end, &nat->near, port);
    return known;
}

// The packet that an ICMP error quotes; false: it is no error, or quotes nothing that can be read.
static bool read_quoted(const struct headers *headers, bool down, struct headers *quoted) {
    uint32_t at = headers->read.transport_at;
    uint8_t protocol = headers->read.key.protocol, type = at > 0 ? headers->bytes[at] : 0;
    bool error = false;
    if (at == 0) return false;
    if (protocol == IPPROTO_ICMP && !is_v6(headers)) error = type == 3 || type == 11 || type == 12;
    if (protocol == IPPROTO_ICMPV6 && is_v6(headers)) error = type >= 1 && type <= 4;
    if (!error || headers->size < at + ICMP_HEADER) return false;
    return read_headers(quoted, headers->bytes + at + ICMP_HEADER, headers->size - at - ICMP_HEADER, down);
}

// Of what it quotes, before it is changed; and ICMP's checksum, which covers it, after.
struct quoted_copy {
    uint32_t size;
    uint8_t bytes[QUOTED_MAX];
};

static void copy_quoted(struct quoted_copy *copy, const struct headers *quoted) {
    copy->size = (quoted->size < QUOTED_MAX ? quoted->size : QUOTED_MAX) & ~1u;
    memcpy(copy->bytes, quoted->bytes, copy->size);
}

static void mend_quoting(const struct headers *headers, const struct quoted_copy *copy,
                         const struct headers *quoted) {
    adjust(headers->bytes + headers->read.transport_at + ICMP_CHECKSUM, copy->bytes, quoted->bytes,
           copy->size);
}

void nat_open(struct nat *nat) {
    inet_pton(AF_INET, LAB_NEAR_ADDRESS, nat->near.v4);
    inet_pton(AF_INET6, LAB_NEAR_ADDRESS_6, nat->near.v6);
    inet_pton(AF_INET, LAB_MOVED_NETWORK, nat->network.v4);
    inet_pton(AF_INET6, LAB_MOVED_NETWORK_6, nat->network.v6);
    nat->outer = nat->near;
}

void nat_lose_ports(struct nat *nat) {
    nat->generation++;
}

void nat_change_address(struct nat *nat) {
    uint32_t n = nat->addresses++ % NAT_ADDRESSES + 1;
    nat->outer = nat->network;
    nat->outer.v4[2] = nat->outer.v6[14] = (uint8_t)(n >> 8);
    nat->outer.v4[3] = nat->outer.v6[15] = (uint8_t)n;
}

static bool is_plain(const struct nat *nat) {
    return nat->generation == 0 && nat->addresses == 0;
}

void nat_up(struct nat *nat, struct packet *packet, uint64_t now_ns) {
    struct headers headers, quoted;
    struct quoted_copy copy;
    if (is_plain(nat) || !read_headers(&headers, packet->bytes, packet->size_bytes, false)) return;
    if (!is_at(&nat->near, &headers, SOURCE)) return;
    if (read_quoted(&headers, true, &quoted) && is_at(&nat->near, &quoted, DESTINATION)) {
        copy_quoted(&copy, &quoted);
        outward(nat, &quoted, DESTINATION, now_ns);
        mend_quoting(&headers, &copy, &quoted);
    }
    outward(nat, &headers, SOURCE, now_ns);
}

void nat_up_back(const struct nat *nat, struct packet *packet) {
    struct headers headers;
    if (is_plain(nat) || !read_headers(&headers, packet->bytes, packet->size_bytes, false)) return;
    if (is_at(&nat->outer, &headers, SOURCE)) inward(nat, &headers, SOURCE);
}

bool nat_down(struct nat *nat, struct packet *packet) {
    struct headers headers, quoted;
    struct quoted_copy copy;
    if (is_plain(nat) || !read_headers(&headers, packet->bytes, packet->size_bytes, true)) return true;
    if (!is_ours(nat, &headers, DESTINATION)) return true;
    bool known = true;
    if (read_quoted(&headers, false, &quoted) && is_ours(nat, &quoted, SOURCE)) {
        copy_quoted(&copy, &quoted);
        known = inward(nat, &quoted, SOURCE);
        mend_quoting(&headers, &copy, &quoted);
    }
    known = inward(nat, &headers, DESTINATION) && known;
    if (known) return true;
    nat->unbound++;
    nat->unbound_bytes += packet->size_bytes;
    return false;
}

void nat_address_text(const struct nat_address *address, char v4[16], char v6[46]) {
    inet_ntop(AF_INET, address->v4, v4, INET_ADDRSTRLEN);
    inet_ntop(AF_INET6, address->v6, v6, INET6_ADDRSTRLEN);
}
