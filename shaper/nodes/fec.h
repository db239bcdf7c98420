// What encoder and decoder of forward error correction share: which packets are coded, and the parity packet.
//
// Coded are whole UDP datagrams in IPv4 without options or in IPv6 without extension headers; all else passes
// untouched. Groups are made of datagrams that agree in all that they repeat: addresses, ports, IP version,
// DSCP, hop limit, DF, flow label. A parity packet has all of that as they have, is as long as the longest of
// them, so that it always fits where they do, and carries the XOR of what differs:
//
//     IP header    theirs, but: protocol 253 (RFC 3692's), own length and checksum, XOR of the
//     identifications 2 + 2 bytes  their ports 2 bytes      XOR of the UDP lengths rest         XOR of UDP
//     checksums and payloads, the shorter ones filled up with zeros
//
// The ECN field is no part of it, because a queue may mark any of them on the way. Which group a packet is of
// travels beside it (struct packet's `fec`): QUIC, for one, had that in its packets' own headers, and where
// it would cost bytes on the link it would be the same few for every packet.
#pragma once

#include "shaper/nodes/packet.h"

#include <stdbool.h>

enum {
    FEC_FLOWS = 256, // at once; of more, those that have been silent longest go unprotected
    FEC_PROTOCOL = 253,
};

// What datagrams of one group agree in.
struct fec_key {
    uint64_t words[6];
};

// Whether the packet is coded; then also its key.
bool fec_read(const struct packet *packet, struct fec_key *key);

// Adds a datagram of the group, or its parity packet, to the sum; one of size 0 is empty. False, and nothing
// is done, if it is too short to be either.
bool fec_add(struct packet *sum, const struct packet *packet);

uint8_t fec_ecn(const struct packet *packet); // the ECN field, 0 to 3

// Makes the sum of a whole group the parity packet that follows it.
void fec_make_parity(struct packet *sum, uint8_t ecn);

// Makes the sum of a parity packet and all of its group but one datagram that datagram. False if that is
// none.
bool fec_make_datagram(struct packet *sum, uint8_t ecn);
