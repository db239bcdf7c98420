// A NAT at the far end of the link: what the command sends upward gets the address and port that the far side
// is to see, and what comes for these goes back to the command's own. Like a NAT that was restarted, it may
// lose all its bindings (RFC 4787 calls the new one's other port a rebinding), or get another address.
//
// Before the first change it changes nothing. Once bindings were lost, every flow gets a port of the NAT's
// own with the next packet that it sends upward, one port for one port of the command, whoever it talks to
// (endpoint-independent mapping, RFC 4787 4.1); what comes for a port or an address that has been given up
// has no receiver. Ports are never used again before thousands of others were. The errors of ICMP are mapped
// with the packet that they quote (RFC 5508); echoes keep their identifiers.
//
// It stands behind everything the link does to packets: what is under way on the link when bindings are lost
// arrives, and the next packet that leaves the link upward already has its new port. So a change costs what
// the endpoints need to follow it, and nothing of the link. Works on packets in place, in virtual time: looks
// at no clock, and does not know when to change (moves.h does).
#pragma once

#include "shaper/nodes/packet.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    NAT_PORTS = 65536,
    NAT_PORT_FIRST = 10240, // of those the NAT gives: below the ephemeral ones of Linux, which are unmapped
    NAT_PORT_LAST = 32767,
    NAT_ADDRESSES = 65534,      // that it may get, one after the other
    NAT_BINDINGS_LISTED = 1000, // of those renewed
};

// Of one port of the command, or of one that the NAT gave.
struct nat_port {
    uint32_t generation; // that it holds for; 0: none
    uint16_t other;      // the port at the other side
};

struct nat_ports {
    struct nat_port outer[NAT_PORTS]; // of the command's ports: what the far side sees
    struct nat_port inner[NAT_PORTS]; // of the NAT's: the command's
    uint16_t next;                    // that it gives
};

struct nat_address {
    uint8_t v4[4];
    uint8_t v6[16];
};

// One that a flow got anew, after the bindings were lost.
struct nat_binding {
    uint64_t at_ns;
    uint8_t protocol; // 6 or 17
    uint8_t version;  // 4 or 6
    uint16_t near_port;
    uint16_t before; // what the far side saw until then
    uint16_t after;
};

// Large: on the heap, zeroed.
struct nat {
    struct nat_address near;    // the command's own
    struct nat_address network; // that its further addresses are of
    struct nat_address outer;   // what the far side sees now
    uint32_t generation;        // how many times ports were lost
    uint32_t addresses;         // how many times the address changed
    struct nat_ports ports[4];
    struct nat_binding bindings[NAT_BINDINGS_LISTED];
    uint64_t renewed; // bindings, also those not listed
    uint64_t unbound; // packets down that have no receiver any more
    uint64_t unbound_bytes;
};

void nat_open(struct nat *nat); // which is all zero: only what is used of it takes memory

void nat_lose_ports(struct nat *nat);
void nat_change_address(struct nat *nat);

// An IP packet as the command sent it becomes what the far side sees.
void nat_up(struct nat *nat, struct packet *packet, uint64_t now_ns);
// The same packet as the command sent it again.
void nat_up_back(const struct nat *nat, struct packet *packet);
// A packet from the far side becomes the command's. False: that port or address has no owner any more; where
// it is known whose it was, the packet says so now, for those who count.
bool nat_down(struct nat *nat, struct packet *packet);

// As text, of INET_ADDRSTRLEN and INET6_ADDRSTRLEN bytes.
void nat_address_text(const struct nat_address *address, char v4[16], char v6[46]);
