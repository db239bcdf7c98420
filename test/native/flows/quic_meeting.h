// Two ends of QUIC flows in one process, over sockets of the loopback, with an engine that only counts: what
// the tests of the transport meet in. Fails the test that uses it where something is out of order, or takes
// long.
#pragma once

#include "flows/transports.h"

#include "base/clock.h"
#include "quic_io/udp.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FLOWS_MOST = 100 };
static const uint64_t LIMIT_NS = 60 * NS_PER_S; // of a test that hangs

struct flow {
    struct meeting *meeting;
    struct flow_plan plan;
    bool is_near;
    void *connection;
    uint64_t sent_bytes, received_bytes;
    bool connected, ended, closed, cut_by_peer;
    char congestion[32];
    char failure[128];
};

struct meeting {
    struct loop *loop;
    struct flow_end ends[2]; // far, near
    void *shared[2];
    struct flow flows[2][FLOWS_MOST];
    size_t count;
    uint16_t port;     // of the first flow
    uint16_t nat_port; // where its near end connects to instead; 0: nothing is between
    struct loop_timer limit;
    bool late;
    bool (*is_done)(const struct meeting *meeting);
    uint8_t content[FLOW_CONTENT_BYTES];
    // What packets from the far end go through.
    struct udp_link link;
    unsigned lose_of_1000;
    unsigned random;
};

bool meeting_flow_is_over(const struct flow *flow);
// With so many flows of one kind; as many have to be set up otherwise by their plans.
struct meeting *meeting_open(size_t count, enum flow_direction direction, uint64_t size_bytes);
// At ports that nobody has: a row of them, tried from several places.
void meeting_listen(struct meeting *meeting);
void meeting_connect(struct meeting *meeting);
// Until is_done, which is asked whenever a flow has done something.
void meeting_run(struct meeting *meeting);
void meeting_close(struct meeting *meeting);
struct flow_sample meeting_sample(const struct flow *flow);
void meeting_assert_whole(const struct flow *sender, const struct flow *receiver, uint64_t size_bytes);
