// Delay in virtual time: exact, in order unless reordering is allowed, following its steps, with the jitter
// that was asked for.
#include "../collect.h"
#include "shaper/nodes/delay.h"
#include "shaper/nodes/number_file.h"
#include "test/native/cmocka_unit.h"

#include <math.h>

#define MS UINT64_C(1000000)

struct fixture {
    struct collect *out;
    struct delay delay;
};

static int set_up(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    f->out = collect_open();
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    delay_close(&f->delay);
    collect_close(f->out);
    free(f);
    return 0;
}

#define DELAY_TEST(name) UNIT_TEST_OF(name, struct fixture *f, set_up, tear_down)

static void open(struct fixture *f, struct delay_settings settings, uint64_t start_ns) {
    delay_close(&f->delay);
    delay_open(&f->delay, &f->out->pool, &settings, 1, 7, &f->out->node);
    delay_start(&f->delay, start_ns);
    f->out->count = 0;
}

static void take(struct fixture *f, uint32_t number, uint64_t now_ns) {
    node_take(&f->delay.node, test_packet(&f->out->pool, number, 60), now_ns);
}

static void advance(struct fixture *f, uint64_t now_ns) {
    f->delay.node.kind->advance(&f->delay.node, now_ns);
}

static struct steps constant(uint64_t value) {
    return (struct steps){.count = 1, .step = {{.value = value}}};
}

DELAY_TEST(delay_is_exact_and_keeps_order) {
    open(f, (struct delay_settings){.delay_ns = constant(25 * MS)}, 0);
    const struct node_kind *kind = f->delay.node.kind;
    assert_true(kind->due_ns(&f->delay.node) == NODE_NEVER);
    for (uint32_t i = 0; i < 1000; i++)
        take(f, i, 1000 + i * 3);
    assert_int_equal(kind->held(&f->delay.node), 1000);
    assert_int_equal(kind->due_ns(&f->delay.node), 25 * MS + 1000);
    advance(f, 25 * MS + 999);
    assert_int_equal(f->out->count, 0);
    advance(f, 25 * MS + 1000);
    assert_int_equal(f->out->count, 1);
    advance(f, 99 * MS);
    assert_int_equal(f->out->count, 1000);
    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(f->out->departures[i].number, i);
        assert_int_equal(f->out->departures[i].time_ns, 25 * MS + 1000 + i * 3);
    }
}

DELAY_TEST(no_delay_passes_at_once) {
    open(f, (struct delay_settings){0}, 0);
    take(f, 0, 5);
    assert_int_equal(f->out->count, 1);
    assert_int_equal(f->out->departures[0].time_ns, 5);
}

// 50 ms, from 10 s on 200 ms, from 20 s on 20 ms: what came before the last step is not overtaken, unless
// that is allowed.
DELAY_TEST(delay_follows_its_steps) {
    struct delay_settings settings = {
        .delay_ns = {.count = 3, .step = {{0, 50 * MS}, {10000 * MS, 200 * MS}, {20000 * MS, 20 * MS}}}};
    static const uint64_t at_ms[] = {0, 9999, 10000, 19999, 20000, 20100, 20180};
    static const uint64_t kept_ms[] = {50, 10049, 10200, 20199, 20199, 20199, 20200};
    static const uint64_t free_ms[] = {50, 10049, 10200, 20020, 20120, 20199, 20200};
    static const uint32_t free_order[] = {0, 1, 2, 4, 5, 3, 6};
    for (int may_reorder = 0; may_reorder < 2; may_reorder++) {
        settings.may_reorder = may_reorder;
        open(f, settings, 777);
        for (uint32_t i = 0; i < 7; i++)
            take(f, i, 777 + at_ms[i] * MS);
        advance(f, 100000 * MS);
        assert_int_equal(f->out->count, 7);
        for (uint32_t i = 0; i < 7; i++) {
            assert_int_equal(f->out->departures[i].number, may_reorder ? free_order[i] : i);
            assert_int_equal(f->out->departures[i].time_ns, 777 + (may_reorder ? free_ms : kept_ms)[i] * MS);
        }
    }
}

enum { PACKETS = 400000 };

struct moments {
    double mean_ms;
    double deviation_ms;
    double least_ms;
    double most_ms;
    double share_below_delay;
};

// What is added to a delay of 500 ms, of packets that come 10 us apart and may overtake each other.
static struct moments measure(struct fixture *f, enum jitter_kind jitter) {
    struct delay_settings settings = {
        .delay_ns = constant(500 * MS), .jitter = jitter, .jitter_ns = 10 * MS, .may_reorder = true};
    open(f, settings, 0);
    for (uint32_t i = 0; i < PACKETS; i++) {
        advance(f, i * UINT64_C(10000));
        take(f, i, i * UINT64_C(10000));
    }
    advance(f, UINT64_MAX - 1);
    assert_int_equal(f->out->count, PACKETS);
    struct moments seen = {.least_ms = 1e9, .most_ms = -1e9};
    double squares = 0;
    for (uint32_t i = 0; i < PACKETS; i++) {
        const struct departure *departure = &f->out->departures[i];
        assert_true(i == 0 || departure->time_ns >= departure[-1].time_ns);
        double added_ms = (double)departure->time_ns / 1e6 - departure->number * 0.01 - 500;
        seen.mean_ms += added_ms / PACKETS;
        squares += added_ms * added_ms / PACKETS;
        seen.least_ms = fmin(seen.least_ms, added_ms);
        seen.most_ms = fmax(seen.most_ms, added_ms);
        seen.share_below_delay += (added_ms < 0) / (double)PACKETS;
    }
    seen.deviation_ms = sqrt(squares - seen.mean_ms * seen.mean_ms);
    return seen;
}

// Four standard errors of PACKETS draws.
static void assert_mean(double seen_ms, double expected_ms, double deviation_ms) {
    assert_true(fabs(seen_ms - expected_ms) <= 4 * deviation_ms / sqrt(PACKETS));
}

DELAY_TEST(jitter_is_distributed_as_asked) {
    struct moments uniform = measure(f, JITTER_UNIFORM);
    assert_mean(uniform.mean_ms, 0, 10 / sqrt(3));
    assert_true(fabs(uniform.deviation_ms - 10 / sqrt(3)) < 0.05);
    assert_true(uniform.least_ms >= -10 && uniform.least_ms < -9.99);
    assert_true(uniform.most_ms <= 10 && uniform.most_ms > 9.99);

    struct moments normal = measure(f, JITTER_NORMAL);
    assert_mean(normal.mean_ms, 0, 10);
    assert_true(fabs(normal.deviation_ms - 10) < 0.1);
    assert_true(fabs(normal.share_below_delay - 0.5) < 0.005);
    assert_true(normal.most_ms > 35 && normal.most_ms < 70); // 4e5 draws reach 4.6 deviations

    struct moments pareto = measure(f, JITTER_PARETO);
    assert_mean(pareto.mean_ms, 10, 10 * sqrt(3));
    assert_true(pareto.least_ms >= 0 && pareto.least_ms < 0.001);
    assert_true(pareto.most_ms > 300); // its tail is heavy
    double above = 0;
    for (uint32_t i = 0; i < PACKETS; i++) {
        const struct departure *departure = &f->out->departures[i];
        above += (double)departure->time_ns / 1e6 - departure->number * 0.01 - 500 > 200;
    }
    assert_true(fabs(above - PACKETS / 1331.0) < 4 * sqrt(PACKETS / 1331.0)); // (1 + 20 / 2)^-3
}

// In order, each leaves when it would have left by itself, or with the latest before it.
DELAY_TEST(order_is_kept_unless_it_need_not_be) {
    struct delay_settings settings = {
        .delay_ns = constant(50 * MS), .jitter = JITTER_UNIFORM, .jitter_ns = 5 * MS, .may_reorder = true};
    static uint64_t free_ns[10000];
    open(f, settings, 0);
    for (uint32_t i = 0; i < 10000; i++)
        take(f, i, i * MS / 10);
    advance(f, UINT64_MAX - 1);
    uint32_t overtaken = 0;
    for (uint32_t i = 0; i < 10000; i++) {
        free_ns[f->out->departures[i].number] = f->out->departures[i].time_ns;
        overtaken += i > 0 && f->out->departures[i].number < f->out->departures[i - 1].number;
    }
    assert_true(overtaken > 1000);
    settings.may_reorder = false;
    open(f, settings, 0);
    for (uint32_t i = 0; i < 10000; i++)
        take(f, i, i * MS / 10);
    advance(f, UINT64_MAX - 1);
    uint64_t latest_ns = 0;
    for (uint32_t i = 0; i < 10000; i++) {
        if (free_ns[i] > latest_ns) latest_ns = free_ns[i];
        assert_int_equal(f->out->departures[i].number, i);
        assert_true(f->out->departures[i].time_ns == latest_ns);
    }
}

// Packets of one burst have no reason to change places, whatever is allowed.
DELAY_TEST(what_leaves_at_once_leaves_as_it_came) {
    open(f, (struct delay_settings){.delay_ns = constant(50 * MS), .may_reorder = true}, 0);
    for (uint32_t i = 0; i < 1000; i++)
        take(f, i, i / 100 * MS);
    advance(f, UINT64_MAX - 1);
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(f->out->departures[i].number, i);
}

DELAY_TEST(jitter_longer_than_the_delay_is_cut_off) {
    open(f, (struct delay_settings){.delay_ns = constant(MS), .jitter = JITTER_NORMAL, .jitter_ns = 5 * MS},
         0);
    for (uint32_t i = 0; i < 10000; i++)
        take(f, i, i * 100 * MS);
    advance(f, UINT64_MAX - 1);
    uint32_t at_once = 0;
    for (uint32_t i = 0; i < 10000; i++) {
        assert_true(f->out->departures[i].time_ns >= i * 100 * MS);
        at_once += f->out->departures[i].time_ns == i * 100 * MS;
    }
    assert_in_range(at_once, 4000, 4450); // 42 % of normal numbers are below -0.2
}

DELAY_TEST(file_gives_each_packet_its_jitter) {
    char error[256];
    struct number_file *file =
        number_file_open(unit_file("jitter", "0\n2.5\n1e1\n"), 60000, error, sizeof error);
    assert_non_null(file);
    open(f, (struct delay_settings){.delay_ns = constant(MS), .jitter = JITTER_FILE, .file = file}, 0);
    for (uint32_t i = 0; i < 9; i++)
        take(f, i, i * 100 * MS);
    advance(f, UINT64_MAX - 1);
    static const uint64_t expected_ns[] = {1000000, 3500000, 11000000};
    for (uint32_t i = 0; i < 9; i++)
        assert_int_equal(f->out->departures[i].time_ns, i * 100 * MS + expected_ns[i % 3]);
    number_file_close(file);
}

// To a shorter delay, to one that may reorder, and back: nothing that is held is lost, and where order is to
// be kept, also those that came before are not overtaken.
DELAY_TEST(steering_loses_nothing) {
    open(f, (struct delay_settings){.delay_ns = constant(100 * MS)}, 0);
    for (uint32_t i = 0; i < 100; i++) {
        if (i == 30) delay_steer(&f->delay, &(struct delay_settings){.delay_ns = constant(20 * MS)});
        if (i == 60)
            delay_steer(&f->delay,
                        &(struct delay_settings){.delay_ns = constant(60 * MS), .may_reorder = true});
        if (i == 61)
            delay_steer(&f->delay,
                        &(struct delay_settings){.delay_ns = constant(10 * MS), .may_reorder = true});
        if (i == 80) delay_steer(&f->delay, &(struct delay_settings){.delay_ns = constant(10 * MS)});
        take(f, i, i * MS);
    }
    assert_int_equal(f->delay.node.kind->held(&f->delay.node) + f->out->count, 100);
    advance(f, UINT64_MAX - 1);
    assert_int_equal(f->out->count, 100);
    uint64_t left_ns[100];
    for (uint32_t i = 0; i < 100; i++)
        left_ns[f->out->departures[i].number] = f->out->departures[i].time_ns;
    assert_int_equal(left_ns[29], 129 * MS);
    assert_int_equal(left_ns[30], 129 * MS);
    assert_int_equal(left_ns[60], 120 * MS);
    assert_int_equal(left_ns[61], 71 * MS);
    assert_int_equal(left_ns[80], 129 * MS); // not before the 59th
}

DELAY_TEST(same_seed_same_jitter) {
    static uint64_t first_ns[1000];
    for (int round = 0; round < 2; round++) {
        // The delay itself does not change what jitter adds.
        struct delay_settings settings = {
            .delay_ns = constant((10 + (uint64_t)round) * MS), .jitter = JITTER_PARETO, .jitter_ns = MS};
        open(f, settings, 0);
        for (uint32_t i = 0; i < 1000; i++)
            take(f, i, i * 100 * MS);
        advance(f, UINT64_MAX - 1);
        for (uint32_t i = 0; i < 1000; i++) {
            if (round == 0) first_ns[i] = f->out->departures[i].time_ns;
            assert_true(f->out->departures[i].time_ns == first_ns[i] + (uint64_t)round * MS);
        }
    }
}
