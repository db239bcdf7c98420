// Forward error correction's second half, where packets leave: passes each datagram on when it comes, keeps
// parity packets to itself, and where one datagram of a group is missing and all the rest has come, sends the
// missing one, with its bytes as they were. Holds nothing back: what it waits for, it waits for aside.
// A datagram that comes after it was repaired is kept back, so that the end points get it once.
#pragma once

#include "shaper/nodes/fec.h"
#include "shaper/nodes/node.h"

// The groups of a flow that are remembered: what comes later than that was for nothing.
enum { FEC_GROUPS = 16 };

struct fec_decoder {
    struct node node;
    struct packet_pool *pool;
    struct fec_sink *sinks;  // FEC_FLOWS of them, from the first coded datagram on
    uint64_t parity_packets; // that came
    uint64_t repairs;        // datagrams made again, also those that come late
    uint64_t repaired_bytes;
    uint64_t failures; // groups whose parity packet came, but of which more than one datagram is missing
    uint64_t late;     // datagrams that came after they were repaired
};

void fec_decoder_open(struct fec_decoder *decoder, struct packet_pool *pool, struct node *next);
void fec_decoder_close(struct fec_decoder *decoder);
