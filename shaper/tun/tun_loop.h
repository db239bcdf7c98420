// Runs the two paths of a bottleneck between two TUN devices: reads packets, stamps their arrival, writes
// them when they are due. The only part of the shaper that looks at a clock. Does not make the devices or the
// namespaces.
#pragma once

#include "base/loop.h"
#include "shaper/moves.h"
#include "shaper/nodes/histogram.h"
#include "shaper/nodes/overdue.h"
#include "shaper/nodes/timeline.h"
#include "shaper/path.h"
#include "shaper/tun/tun_device.h"
#include "shaper/tun/wakeup_compensation.h"

#include <stdbool.h>

struct tun_direction {
    struct node out; // the path's end: writes to `to`
    struct path path;
    struct packet_pool pool;
    struct tun_loop *tun_loop;
    struct tun_device device; // read from
    struct loop_watch read_watch;
    bool watched;  // for reading, by the loop
    bool readable; // there may be something to read
    const struct wire *to;
    struct nat *nat_up;         // borrowed, of the direction that it is for: before what is written,
    struct nat *nat_down;       // and after what was read; else NULL
    struct gro_batch batch;     // what has left the path and is yet to be written
    bool in_trains;             // several packets may be written at once,
    uint64_t batch_span_ns;     // that are due within this time
    struct tun_direction *back; // the other one, which reads what is answered to what we write
    struct packet spare;        // read into when there is no memory for a packet

    uint64_t packets_in; // all that was read: out + dropped + held
    uint64_t bytes_in;
    uint64_t packets_out;
    uint64_t bytes_out;
    uint64_t not_ip;  // neither IPv4 nor IPv6, or not as long as its header says
    uint64_t refused; // the kernel did not take it from us, or there was no memory to hold it
    uint64_t bytes_not_ip;
    uint64_t bytes_refused;
    struct histogram late_ns; // how long after its time each packet left
};

struct tun_loop {
    struct loop *loop;
    struct wakeup_compensation wakeup_compensation;
    struct loop_timer timer; // for what is due next, in either direction
    struct loop_timer gauge; // wakes us only to see what a wake-up takes, and that we are not held up
    uint64_t gauged;
    uint64_t packet_ns; // when a packet last came
    struct overdue overdue;
    uint64_t idle_ns;                   // when we last had nothing to do
    struct tun_direction down;          // far to near
    struct tun_direction up;            // near to far
    struct timeline timeline;           // of both, from the first turn on
    struct moves moves;                 // of the path, with the NAT between link and far end
    const struct link_profile *profile; // borrowed: as it was steered last; a switch may be past
    // Called at each move's time, after it; NULL: none.
    void (*moved)(void *context, const struct move *move);
    void *moved_context;
};

// `far` and `near` are open and stay the caller's. 0, or -1
// with errno.
int tun_loop_open(struct tun_loop *tun_loop, struct loop *loop, const struct link_profile *profile,
                  const struct wire *far, const struct wire *near);
// All that is due by now is done: packets, and moves of the path.
void tun_loop_catch_up(struct tun_loop *tun_loop);
// Other settings from now on, for what is yet to arrive and as path_steer says for what is held.
void tun_loop_steer(struct tun_loop *tun_loop, const struct link_profile *profile);
void tun_loop_close(struct tun_loop *tun_loop); // drops what is under way
