// A node at the end of a path that notes what leaves and when.
#pragma once

#include "shaper/nodes/node.h"

enum { COLLECT_MAX = 700000 };

struct collect {
    struct node node;
    struct packet_pool pool; // of the packets
    uint32_t count;
    uint64_t bytes;
    struct departure {
        uint64_t time_ns;
        uint32_t number; // what test_packet was given
        uint32_t size_bytes;
    } departures[COLLECT_MAX];
};

struct collect *collect_open(void);
void collect_close(struct collect *collect);

struct packet *test_packet(struct packet_pool *pool, uint32_t number, uint32_t size_bytes);

int collect_set_up(void **state);
int collect_tear_down(void **state);
#define COLLECT_TEST(name) UNIT_TEST_OF(name, struct collect *out, collect_set_up, collect_tear_down)
