// Duplicates, reordering, and a link that comes and goes, in virtual time.
#include "collect.h"
#include "shaper/nodes/duplicate.h"
#include "shaper/nodes/onoff.h"
#include "shaper/nodes/reorder.h"
#include "test/native/cmocka_unit.h"

#include <math.h>
#include <time.h>

#define MS UINT64_C(1000000)

static bool within(double seen, double mean, double variance) {
    return fabs(seen - mean) <= 4 * sqrt(variance);
}

COLLECT_TEST(copies_follow_their_originals) {
    struct duplicate duplicate;
    enum { PACKETS = 300000 };
    duplicate_open(&duplicate, &out->pool, 0.02, 1, 5, &out->node);
    for (uint32_t i = 0; i < PACKETS; i++)
        node_take(&duplicate.node, test_packet(&out->pool, i, 60 + i % 1400), i);
    assert_int_equal(out->count, PACKETS + duplicate.copies);
    assert_true(within((double)duplicate.copies, PACKETS * 0.02, PACKETS * 0.02 * 0.98));
    uint64_t copies = 0;
    for (uint32_t i = 1, number = 0; i < out->count; i++) {
        const struct departure *departure = &out->departures[i];
        if (departure->number == number) {
            copies++;
            assert_int_equal(departure->size_bytes, 60 + number % 1400);
            assert_true(departure->time_ns == number);
        } else {
            assert_int_equal(departure->number, ++number);
        }
    }
    assert_int_equal(copies, duplicate.copies);
    out->count = 0;
    duplicate_steer(&duplicate, 1);
    node_take(&duplicate.node, test_packet(&out->pool, 1, 1500), PACKETS);
    assert_int_equal(out->count, 2);
}

COLLECT_TEST(chosen_packets_are_overtaken_by_as_many_as_asked) {
    enum { PACKETS = 100000 };
    static const uint32_t distances[] = {1, 3, 10};
    static uint32_t place[PACKETS];
    for (int d = 0; d < 3; d++) {
        struct reorder reorder;
        reorder_open(&reorder, &(struct reorder_settings){0.05, distances[d]}, 1, 6, &out->node);
        out->count = 0;
        for (uint32_t i = 0; i < PACKETS; i++)
            node_take(&reorder.node, test_packet(&out->pool, i, 100), i);
        reorder.node.kind->advance(&reorder.node, UINT64_MAX - 1);
        assert_int_equal(out->count, PACKETS);
        assert_true(within((double)reorder.reordered, PACKETS * 0.05, PACKETS * 0.05 * 0.95));
        for (uint32_t i = 0; i < PACKETS; i++)
            place[out->departures[i].number] = i;
        uint64_t overtaken = 0;
        for (uint32_t i = 0; i + 50 < PACKETS; i++) {
            uint32_t by = 0;
            for (uint32_t later = i + 1; later < i + 50; later++)
                by += place[later] < place[i];
            assert_true(by == 0 || by == distances[d]);
            overtaken += by > 0;
        }
        assert_in_range(overtaken, reorder.reordered - 20, reorder.reordered);
    }
}

COLLECT_TEST(the_last_packet_does_not_wait_for_ever) {
    struct reorder reorder;
    reorder_open(&reorder, &(struct reorder_settings){1, 3}, 1, 6, &out->node);
    node_take(&reorder.node, test_packet(&out->pool, 0, 100), 5 * MS);
    node_take(&reorder.node, test_packet(&out->pool, 1, 100), 50 * MS);
    assert_int_equal(out->count, 0);
    assert_int_equal(reorder.node.kind->held(&reorder.node), 2);
    assert_int_equal(reorder.node.kind->due_ns(&reorder.node), 50 * MS + REORDER_PATIENCE_NS);
    reorder.node.kind->advance(&reorder.node, 1000 * MS);
    assert_int_equal(out->count, 2);
    assert_int_equal(out->departures[0].time_ns, 50 * MS + REORDER_PATIENCE_NS);
    assert_true(reorder.node.kind->due_ns(&reorder.node) == NODE_NEVER);
}

// Even where every packet is chosen, packets come through, and no more than so many are held.
COLLECT_TEST(all_chosen_still_come) {
    struct reorder reorder;
    reorder_open(&reorder, &(struct reorder_settings){1, 1000000}, 1, 6, &out->node);
    for (uint32_t i = 0; i < 100000; i++) {
        node_take(&reorder.node, test_packet(&out->pool, i, 100), i);
        assert_true(reorder.node.kind->held(&reorder.node) <= REORDER_HELD_MAX);
        assert_int_equal(reorder.node.kind->held(&reorder.node) + out->count, i + 1);
    }
    assert_true(out->count > 99000);
    reorder.node.kind->advance(&reorder.node, UINT64_MAX - 1);
    assert_int_equal(out->count, 100000);
}

COLLECT_TEST(fixed_periods_lose_what_comes_while_off) {
    struct onoff onoff;
    onoff_open(&onoff, &out->pool, &(struct onoff_settings){.on_ns = 70 * MS, .off_ns = 30 * MS}, 1, 1,
               &out->node);
    onoff_start(&onoff, 12345);
    for (uint32_t i = 0; i < 10000; i++) // one a millisecond
        node_take(&onoff.node, test_packet(&out->pool, i, 100), 12345 + i * MS);
    assert_int_equal(onoff.drops, 3000);
    assert_int_equal(onoff.dropped_bytes, 300000);
    assert_int_equal(out->count, 7000);
    for (uint32_t i = 0; i < out->count; i++)
        assert_true(out->departures[i].number % 100 < 70);
    onoff_steer(&onoff, &(struct onoff_settings){0});
    for (uint32_t i = 0; i < 1000; i++)
        node_take(&onoff.node, test_packet(&out->pool, i, 100), (10000 + i) * MS + 12345);
    assert_int_equal(onoff.drops, 3000);
}

// Mean lengths over many periods, each within four standard errors; an exponential period's deviation is its
// mean.
COLLECT_TEST(exponential_periods_have_their_means) {
    struct onoff onoff;
    onoff_open(&onoff, &out->pool,
               &(struct onoff_settings){.on_ns = 100 * MS, .off_ns = 20 * MS, .exponential = true}, 3, 1,
               &out->node);
    onoff_start(&onoff, 0);
    enum { PACKETS = 4000000 };
    uint64_t drops = 0, off_periods = 0, short_periods = 0, length = 0;
    bool off = false;
    for (uint32_t i = 0; i < PACKETS; i++) { // 0.1 ms apart
        out->count = 0;
        node_take(&onoff.node, test_packet(&out->pool, i, 100), i * MS / 10);
        bool off_now = onoff.drops > drops;
        drops = onoff.drops;
        off_periods += off_now && !off;
        length = off_now ? length + 1 : 0;
        short_periods += off_now && length == 139; // reached ln 2 times the mean: half of them do
        off = off_now;
    }
    double periods = (double)off_periods, off_ms = (double)drops / 10;
    assert_true(within(off_ms, periods * 20, periods * 20 * 20));
    assert_true(within(PACKETS / 10.0 - off_ms, periods * 100, periods * 100 * 100));
    assert_true(within((double)short_periods, periods / 2, periods / 4));
}

// What comes does not change when the link is there. Over seven blocks of periods.
COLLECT_TEST(periods_do_not_depend_on_the_packets) {
    struct onoff often, seldom;
    struct onoff_settings settings = {.on_ns = 50 * MS, .off_ns = 20 * MS, .exponential = true};
    onoff_open(&often, &out->pool, &settings, 3, 1, &out->node);
    onoff_open(&seldom, &out->pool, &settings, 3, 1, &out->node);
    onoff_start(&often, 0);
    onoff_start(&seldom, 0);
    int off = 0;
    for (uint32_t i = 0; i < 200000; i++) {
        uint64_t before = often.drops;
        node_take(&often.node, test_packet(&out->pool, i, 100), i * 10 * MS);
        if (i % 101 != 0) continue;
        uint64_t seldom_before = seldom.drops;
        node_take(&seldom.node, test_packet(&out->pool, i, 100), i * 10 * MS);
        assert_int_equal(often.drops - before, seldom.drops - seldom_before);
        off += often.drops > before;
    }
    assert_in_range(off, 400, 800);
}

// Hours of silence, in the shortest periods that there are: no more than a block of them is gone through.
COLLECT_TEST(silence_costs_no_time) {
    struct onoff onoff;
    struct onoff_settings settings = {.on_ns = 3, .off_ns = 1, .exponential = true};
    onoff_open(&onoff, &out->pool, &settings, 3, 1, &out->node);
    onoff_start(&onoff, 0);
    clock_t start = clock();
    for (uint64_t i = 0; i < 2000; i++)
        node_take(&onoff.node, test_packet(&out->pool, 0, 100), i * 10000000 * MS);
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 10); // here 0.3
    assert_in_range(onoff.drops, 500,
                    900); // a nanosecond is the shortest period: off for more than a quarter
}
