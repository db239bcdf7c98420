// Runs the two paths of a bottleneck between two TUN devices: reads packets, stamps their arrival, writes
// them when they are due. The only part of the shaper that looks at a clock. Does not make the devices or the
// namespaces.
#ifndef TRILANE_SHAPER_TUN_LOOP_H
#define TRILANE_SHAPER_TUN_LOOP_H

#include "base/loop.h"
#include "shaper/histogram.h"
#include "shaper/path.h"
#include "shaper/punctual.h"

#include <stdbool.h>

struct tun_direction {
    struct node out; // the path's end: writes to `write_fd`
    struct path path;
    struct tun_loop *tun_loop;
    struct loop_watch read_watch;
    struct loop_timer timer;
    int write_fd;

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
    struct packet_pool pool;
    struct punctual punctual;
    struct tun_direction down; // far to near
    struct tun_direction up;   // near to far
};

// `far_fd` and `near_fd` are non-blocking TUN devices and stay the caller's. 0, or -1 with errno.
int tun_loop_open(struct tun_loop *tun_loop, struct loop *loop, const struct link_profile *profile,
                  int far_fd, int near_fd);
void tun_loop_close(struct tun_loop *tun_loop); // drops what is under way

#endif
