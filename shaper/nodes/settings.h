// What each node of a path may be set to do, as plain values: the one place where profile, nodes and report
// meet. Reads no text (link_profile.h does) and decides nothing (the nodes do).
// A zeroed struct asks for nothing: unlimited, undelayed, lossless, in order.
#pragma once

#include "shaper/nodes/queue_kinds.h"
#include <stdbool.h>
#include <stdint.h>

enum { STEPS_MAX = 64, FEC_GROUP_MAX = 64 };

// A value that changes at given times, counted from the path's start. The first step is at 0.
struct steps {
    uint32_t count; // 0: as one step of value 0
    struct step {
        uint64_t at_ns;
        uint64_t value;
    } step[STEPS_MAX];
};

struct trace;       // trace.h
struct number_file; // number_file.h

enum rate_kind { RATE_UNLIMITED, RATE_STEPS, RATE_TRACE };

struct rate_settings {
    enum rate_kind kind;
    struct steps steps_bps;    // each above 0
    const struct trace *trace; // borrowed
    bool trace_once;           // no opportunity after the trace's end; else it begins again
};

// The link alternates between carrying packets and losing all that reach it (as mm-onoff). Begins on.
struct onoff_settings {
    uint64_t on_ns; // 0: always on
    uint64_t off_ns;
    bool exponential; // on_ns and off_ns are means
};

// A queue's size as given.
enum link_queue_kind {
    LINK_QUEUE_BDP,
    LINK_QUEUE_PACKETS,
    LINK_QUEUE_BYTES,
    LINK_QUEUE_TIME,
    LINK_QUEUE_UNLIMITED
};

struct link_queue {
    enum link_queue_kind kind;
    double size; // in the kind's unit; nanoseconds
};

struct queue_settings {
    enum queue_discipline discipline;
    struct link_queue given; // the limits follow from it
    uint64_t limit_packets;  // 0: none, as all limits here
    uint64_t limit_bytes;
    uint64_t limit_ns;    // a packet that would wait longer at the present rate does not fit
    uint64_t target_ns;   // CoDel, PIE; 0: the RFC's
    uint64_t interval_ns; // CoDel's interval, PIE's T_UPDATE; 0: the RFC's
    bool ecn;             // mark instead of dropping where the algorithm may
};

enum loss_kind { LOSS_INDEPENDENT, LOSS_GILBERT_ELLIOTT, LOSS_PERIODIC, LOSS_FILE };

struct loss_settings {
    enum loss_kind kind;
    double probability; // LOSS_INDEPENDENT
    double good_to_bad; // LOSS_GILBERT_ELLIOTT: per packet or slot
    double bad_to_good;
    double loss_in_good;
    double loss_in_bad;
    uint64_t every; // LOSS_PERIODIC: the every-th, 2 every-th, ... packet or slot is lost
    const struct number_file
        *file;        // LOSS_FILE: n-th packet or slot lost where the n-th number is not 0; wraps
    uint64_t slot_ns; // 0: each packet decides; else all packets of one slot of time share a fate
};

enum jitter_kind { JITTER_NONE, JITTER_UNIFORM, JITTER_NORMAL, JITTER_PARETO, JITTER_FILE };

struct delay_settings {
    struct steps delay_ns;
    enum jitter_kind jitter;
    uint64_t jitter_ns; // uniform: +- this; normal: standard deviation; Pareto: mean of what is added
    const struct number_file *file; // JITTER_FILE: milliseconds added to the n-th packet; wraps
    bool may_reorder;               // else a packet leaves no earlier than the one before it
};

struct reorder_settings {
    double probability;
    uint32_t distance; // packets that overtake it
};

// What the network does to UDP in particular (udp_policy.h).
enum udp_kind { UDP_OPEN, UDP_BLOCKED, UDP_THROTTLED, UDP_MTU, UDP_LATE };

struct udp_settings {
    enum udp_kind kind;
    uint64_t rate_bps;  // UDP_THROTTLED: of IP packets, in each direction
    uint32_t mtu_bytes; // UDP_MTU: of an IP packet
    uint64_t late_ns;   // UDP_LATE: in each direction
};

// The near end's binding in the NAT between the link and the far end is lost at each multiple of `every_ns`.
struct rebind_settings {
    uint64_t every_ns; // 0: never
    bool address;      // what changes: the address; else the ports of the flows there are
};

struct direction_settings {
    struct rate_settings rate;
    struct queue_settings queue;
    struct onoff_settings onoff;
    struct loss_settings loss;
    double duplicate; // probability
    struct reorder_settings reorder;
    struct delay_settings delay;
    uint32_t fec_group; // datagrams to one parity packet, at most FEC_GROUP_MAX; 0: none
};
