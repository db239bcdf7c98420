// Loss on the wire: independent of what came before, in bursts (Gilbert and Elliott's model), periodic, or as
// a file says; for each packet by itself, or for all packets of a slot of time alike.
// Stands after the link: a packet lost on the wire has used its transmission time.
//
// What is decided is a numbered series of fates. Packets take them one after the other; with slots, the n-th
// slot since the start takes the n-th fate, whether or not a packet comes in it, so that two streams of
// different packets meet the same outages. For that, Gilbert and Elliott's chain goes through slots in which
// nothing came, but through no more than LOSS_CHAIN_SLOTS of them: where so many are full it begins anew.
#pragma once

#include "shaper/nodes/node.h"
#include "shaper/nodes/random.h"
#include "shaper/nodes/settings.h"

enum { LOSS_CHAIN_SLOTS = 1 << 18 };

struct loss {
    struct node node;
    struct packet_pool *pool;
    struct loss_settings settings;
    struct random random;
    uint64_t start_ns;
    uint64_t next; // the fate that the next packet takes
    bool lost;     // with slots: the fate of slot `next` - 1
    bool bad;      // Gilbert and Elliott's state
    uint64_t drops;
    uint64_t dropped_bytes;
};

// The n-th fate of a stream is the same whenever settings, seed and stream are the same. Gilbert and
// Elliott's chain starts in either state as often as it is in it, so that the first packets fare as all.
void loss_open(struct loss *loss, struct packet_pool *pool, const struct loss_settings *settings,
               uint64_t seed, uint64_t stream, struct node *next);
void loss_start(struct loss *loss, uint64_t now_ns); // time 0 of the slots; the zeroth fate is next
// The fates of slots up to the present one stay as they were. Slots of another length are numbered as if they
// had been there from the start.
void loss_steer(struct loss *loss, const struct loss_settings *settings, uint64_t now_ns);
