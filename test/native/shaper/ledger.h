// What became of every datagram that a link was given: a node behind it and a watcher of its pool.
#pragma once

#include "shaper/nodes/link.h"

enum { LEDGER_MAX = 200000 };

struct ledger_entry {
    uint64_t time_ns;
    uint64_t waited_ns; // since it arrived at the queue
    uint32_t number;
    uint32_t size_bytes;
    uint16_t flow;
    uint8_t ecn;
    enum drop_reason reason; // of drops
};

struct ledger {
    struct node node;
    struct packet_watcher watcher;
    struct packet_pool pool;
    struct link link; // passes on to the ledger, once ledger_link has opened it
    uint32_t queued;  // told of by the watcher, as is what was sent
    uint32_t sent;
    uint32_t marks;
    uint64_t queued_bytes;
    uint64_t out_bytes;
    uint64_t dropped_bytes;
    uint32_t outs;
    uint32_t drops;
    struct ledger_entry out[LEDGER_MAX];
    struct ledger_entry drop[LEDGER_MAX];
};

struct ledger *ledger_open(void);
void ledger_close(struct ledger *ledger);
// A test's set-up and tear-down: its state is a ledger.
int ledger_set_up(void **state);
int ledger_tear_down(void **state);
#define LEDGER_TEST(name) UNIT_TEST_OF(name, struct ledger *ledger, ledger_set_up, ledger_tear_down)

// Opens the link, started at 0. Forgets what was before.
void ledger_link(struct ledger *ledger, const struct rate_settings *rate, const struct queue_settings *queue);
// The same from a seed.
void ledger_seeded_link(struct ledger *ledger, const struct rate_settings *rate,
                        const struct queue_settings *queue, uint64_t seed, uint64_t stream);
struct rate_settings constant_rate(uint64_t rate_bps);
extern const struct rate_settings ten_megabit;

// A datagram (datagram.h) of so many bytes in all reaches the link, which is brought up to now before.
void ledger_send(struct ledger *ledger, uint16_t flow, uint32_t number, uint32_t size_bytes, uint8_t ecn,
                 uint64_t now_ns);
void ledger_advance(struct ledger *ledger, uint64_t now_ns);

// Fails the test unless packets and bytes in = out + dropped + held, by the ledger and by the link's own
// counters.
void ledger_check(const struct ledger *ledger);
