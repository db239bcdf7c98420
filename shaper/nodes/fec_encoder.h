// Forward error correction's first half, before the link: behind each `group` datagrams of a flow it sends a
// parity packet (fec.h), which the link has to carry like any other. Adds no delay and changes no datagram. A
// group that does not become full has no parity packet: its datagrams went on when they came.
#pragma once

#include "shaper/nodes/fec.h"
#include "shaper/nodes/node.h"

struct fec_encoder {
    struct node node;
    struct packet_pool *pool;
    uint32_t group;             // datagrams; 0: all pass
    struct fec_source *sources; // FEC_FLOWS of them, from the first coded datagram on
    uint32_t generation;        // flows that were given a place
    uint64_t turn;              // datagrams coded: their count, and the order in which flows were heard of
    uint64_t parity_packets;
    uint64_t parity_bytes;
};

// `group` is at most FEC_GROUP_MAX; where memory is short, datagrams go unprotected.
void fec_encoder_open(struct fec_encoder *encoder, struct packet_pool *pool, uint32_t group,
                      struct node *next);
void fec_encoder_steer(struct fec_encoder *encoder, uint32_t group); // groups that are begun keep their size
void fec_encoder_close(struct fec_encoder *encoder);
