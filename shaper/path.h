// One direction of the bottleneck in virtual time, from where packets arrive to where they leave:
//
//     UDP policy -> FEC encoder -> on/off -> queue and link -> loss -> duplicates -> reordering -> delay ->
//     FEC decoder -> origin's delay -> out
//
// Does not read or write packets: path_take puts them in, and the `out` node gets them.
#pragma once

#include "shaper/language/link_profile.h"
#include "shaper/nodes/delay.h"
#include "shaper/nodes/duplicate.h"
#include "shaper/nodes/fec_decoder.h"
#include "shaper/nodes/fec_encoder.h"
#include "shaper/nodes/link.h"
#include "shaper/nodes/loss.h"
#include "shaper/nodes/onoff.h"
#include "shaper/nodes/reorder.h"
#include "shaper/nodes/udp_policy.h"
#include "shaper/origin_delay.h"

// Each direction decides by its own streams of random numbers, one for each node: a change to one node's
// settings leaves the others' decisions as they were.
enum path_stream { PATH_DOWN = 1, PATH_UP = 2 };

struct path {
    struct udp_policy udp_policy;
    struct fec_encoder fec_encoder;
    struct onoff onoff;
    struct link link;
    struct loss loss;
    struct duplicate duplicate;
    struct reorder reorder;
    struct delay delay;
    struct fec_decoder fec_decoder;
    struct origin_delay origin_delay;
    enum path_stream stream;
    struct packet_pool *pool;
    uint64_t packets; // that were taken
    uint64_t moved;   // that were lost in path_switch
    uint64_t moved_bytes;
};

// The profile's files stay borrowed until path_close or a steering without them.
void path_open(struct path *path, const struct link_profile *profile, enum path_stream stream,
               struct packet_pool *pool, struct node *out);
void path_close(struct path *path); // packets held stay the pool's

// What lies between the link and each server; NULL, and before this: nothing. Stays borrowed. Before the
// first packet.
void path_delay_origins(struct path *path, const struct origin_delays *delays);

// Time 0 of all that follows a schedule. Before the first packet.
void path_start(struct path *path, uint64_t now_ns);

// Other settings from now on; what is held stays held and keeps what has been decided about it. Time 0 stays
// the start's. The seed stays the first's.
void path_steer(struct path *path, const struct link_profile *profile, uint64_t now_ns);

// The link is another one from now on: what is under way on the former is lost, as where Wi-Fi goes away, and
// schedules begin anew. The seed stays the first's, and streams of random numbers go on.
void path_switch(struct path *path, const struct link_profile *profile, uint64_t now_ns);

// The packet arrives at now_ns, which is not before any time the path has seen. What left before goes out
// first.
void path_take(struct path *path, struct packet *packet, uint64_t now_ns);

// Hands to `out`, with their exact times, all packets that leave up to now_ns.
void path_advance(struct path *path, uint64_t now_ns);

uint64_t path_due_ns(const struct path *path); // when path_advance has something to do; NODE_NEVER

// Packets inside: taken + copies + parity packets sent + datagrams repaired
//               = out + dropped + moved + parity packets that came + datagrams late + held.
uint64_t path_held(const struct path *path);
