// The link by itself, in virtual time: exact departures and limits. And what all nodes share.
#include "collect.h"
#include "shaper/nodes/histogram.h"
#include "shaper/nodes/link.h"
#include "shaper/nodes/random.h"
#include "test/native/cmocka_unit.h"

#define MS UINT64_C(1000000)

static void advance(struct node *node, uint64_t now_ns) {
    node->kind->advance(node, now_ns);
}

// A constant rate (0: unlimited) and a drop-tail queue.
static void open_link(struct link *link, struct collect *out, uint64_t rate_bps, uint64_t limit_packets,
                      uint64_t limit_bytes) {
    struct rate_settings rate = {.kind = rate_bps > 0 ? RATE_STEPS : RATE_UNLIMITED,
                                 .steps_bps = {.count = 1, .step = {{.value = rate_bps}}}};
    struct queue_settings queue = {.limit_packets = limit_packets, .limit_bytes = limit_bytes};
    link_open(link, &out->pool, &rate, &queue, 1, 1, &out->node);
}

COLLECT_TEST(link_takes_12_ms_for_1500_bytes_at_1_mbit) {
    struct link link;
    open_link(&link, out, 1000000, 0, 0);
    assert_true(link.node.kind->due_ns(&link.node) == NODE_NEVER);
    node_take(&link.node, test_packet(&out->pool, 0, 1500), 5 * MS);
    node_take(&link.node, test_packet(&out->pool, 1, 40), 6 * MS);
    node_take(&link.node, test_packet(&out->pool, 2, 1500), 6 * MS);
    assert_int_equal(link.node.kind->due_ns(&link.node), 17 * MS);
    advance(&link.node, 17 * MS - 1);
    assert_int_equal(out->count, 0);
    advance(&link.node, 1000 * MS); // woken up very late: the times are what they should have been
    assert_int_equal(out->count, 3);
    assert_int_equal(out->departures[0].time_ns, 17 * MS);
    assert_int_equal(out->departures[1].time_ns, 17 * MS + 320000);
    assert_int_equal(out->departures[2].time_ns, 29 * MS + 320000);
    assert_int_equal(link.busy_ns, 24 * MS + 320000);
    // After a pause the link starts afresh.
    node_take(&link.node, test_packet(&out->pool, 3, 1500), 2000 * MS);
    advance(&link.node, 3000 * MS);
    assert_int_equal(out->departures[3].time_ns, 2012 * MS);
}

// 1500 bytes take 4109589.04 ns at 2.92 Mbit/s: a link that rounded each would be 0.04 ns off a packet.
COLLECT_TEST(link_does_not_drift) {
    static const uint64_t rates_bps[] = {2920000, 8600000, 999999937, 7, 14600000};
    for (size_t r = 0; r < sizeof rates_bps / sizeof rates_bps[0]; r++) {
        struct link link;
        open_link(&link, out, rates_bps[r], 0, 0);
        out->count = 0;
        enum { PACKETS = 100000 };
        for (uint32_t i = 0; i < PACKETS; i++)
            node_take(&link.node, test_packet(&out->pool, i, 1500), 0);
        advance(&link.node, UINT64_MAX - 1);
        assert_int_equal(out->count, PACKETS);
        for (uint32_t i = 0; i < PACKETS; i += 997) {
            uint64_t exact_ns = (uint64_t)((unsigned __int128)(i + 1) * 12000 * 1000000000 / rates_bps[r]);
            assert_int_equal(out->departures[i].time_ns, exact_ns);
        }
    }
}

COLLECT_TEST(unlimited_link_passes_at_once) {
    struct link link;
    open_link(&link, out, 0, 1, 1);
    for (uint32_t i = 0; i < 10; i++)
        node_take(&link.node, test_packet(&out->pool, i, 1500), 3 * MS);
    assert_int_equal(out->count, 10);
    assert_int_equal(out->departures[9].time_ns, 3 * MS);
    assert_int_equal(link.queue.drops, 0);
}

COLLECT_TEST(queue_limit_in_packets) {
    struct link link;
    open_link(&link, out, 1000000, 4, 0);
    for (uint32_t i = 0; i < 10; i++) // one is being sent, four wait, five are dropped
        node_take(&link.node, test_packet(&out->pool, i, 100), 0);
    assert_int_equal(link.queue.drops, 5);
    assert_int_equal(link.queue.dropped_bytes, 500);
    assert_int_equal(link.queue.peak_packets, 4);
    assert_int_equal(link.node.kind->held(&link.node), 5);
    advance(&link.node, 800000); // the first has left, the second is being sent: there is room for one
    node_take(&link.node, test_packet(&out->pool, 10, 100), 800000);
    node_take(&link.node, test_packet(&out->pool, 11, 100), 800000);
    assert_int_equal(link.queue.drops, 6);
    advance(&link.node, 100 * MS);
    static const uint32_t kept[] = {0, 1, 2, 3, 4, 10};
    assert_int_equal(out->count, 6);
    for (int i = 0; i < 6; i++)
        assert_int_equal(out->departures[i].number, kept[i]);
}

COLLECT_TEST(queue_limit_in_bytes) {
    struct link link;
    open_link(&link, out, 1000000, 0, 3000);
    node_take(&link.node, test_packet(&out->pool, 0, 1500), 0); // being sent
    node_take(&link.node, test_packet(&out->pool, 1, 1500), 0);
    node_take(&link.node, test_packet(&out->pool, 2, 1500), 0); // full to the byte
    node_take(&link.node, test_packet(&out->pool, 3, 40), 0);
    assert_int_equal(link.queue.drops, 1);
    assert_int_equal(link.queue.peak_bytes, 3000);
    advance(&link.node, 12 * MS);
    node_take(&link.node, test_packet(&out->pool, 4, 1501), 12 * MS); // one byte too long, a shorter one fits
    node_take(&link.node, test_packet(&out->pool, 5, 1460), 12 * MS);
    node_take(&link.node, test_packet(&out->pool, 6, 40), 12 * MS);
    assert_int_equal(link.queue.drops, 2);
    assert_int_equal(link.queue.dropped_bytes, 1541);
    advance(&link.node, 100 * MS);
    assert_int_equal(out->count, 5);
}

// The numbers themselves, so that a change of the generator, which would change every result, does not go
// unseen.
UNIT_TEST(random_numbers_are_the_published_generators) {
    struct random random = {.state = 1234567};
    assert_true(random_next(&random) == UINT64_C(6457827717110365317));
    assert_true(random_next(&random) == UINT64_C(3203168211198807973));
    assert_true(random_next(&random) == UINT64_C(9817491932198370423));
}

UNIT_TEST(histogram_quantiles_are_within_their_bucket) {
    struct histogram histogram = {0};
    assert_int_equal(histogram_quantile(&histogram, 0.5), 0);
    for (uint64_t value = 1; value <= 100000; value++)
        histogram_add(&histogram, value);
    static const double quantiles[] = {0.001, 0.1, 0.5, 0.99, 1};
    for (size_t i = 0; i < sizeof quantiles / sizeof quantiles[0]; i++) {
        double exact = quantiles[i] * 100000;
        double seen = (double)histogram_quantile(&histogram, quantiles[i]);
        assert_true(seen >= exact && seen <= exact * 1.0625);
    }
    assert_int_equal(histogram.max, 100000);
    histogram_add(&histogram, 0);
    histogram_add(&histogram, UINT64_MAX);
    assert_true(histogram_quantile(&histogram, 1) == UINT64_MAX);
}

COLLECT_TEST(pool_gives_packets_again) {
    struct packet *first = packet_take(&out->pool);
    packet_return(&out->pool, first);
    assert_ptr_equal(packet_take(&out->pool), first);
    struct packet_slab *slabs = out->pool.slabs;
    for (int i = 0; i < 100000; i++)
        packet_return(&out->pool, packet_take(&out->pool));
    assert_ptr_equal(out->pool.slabs, slabs);
}
