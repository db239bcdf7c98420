// Loss in virtual time: what is lost over many packets lies in the interval that the asked-for model gives
// it, bursts are as long as they should be, and slots of time are lost whatever comes in them.
#include "../collect.h"
#include "shaper/nodes/loss.h"
#include "shaper/nodes/number_file.h"
#include "test/native/cmocka_unit.h"

#include <math.h>
#include <time.h>

#define MS UINT64_C(1000000)

// Takes what the loss lets pass, and gives it back: counts losses, and runs of them.
struct bursts {
    struct node node;
    struct packet_pool *pool;
    uint64_t passed;
    uint64_t bursts;
    bool lost_before;
    uint64_t lost_pairs; // a loss right after a loss
};

static void pass(struct node *node, struct packet *packet, uint64_t now_ns) {
    struct bursts *bursts = (struct bursts *)node;
    (void)now_ns;
    bursts->passed++;
    packet_return(bursts->pool, packet);
}

static const struct node_kind bursts_kind = {pass, NULL, NULL, NULL};

static struct bursts run(const struct loss_settings *settings, uint64_t seed, uint64_t stream,
                         uint32_t packets, uint64_t gap_ns) {
    struct packet_pool pool = {0};
    struct bursts bursts = {.node = {&bursts_kind, NULL}, .pool = &pool};
    struct loss loss;
    loss_open(&loss, &pool, settings, seed, stream, &bursts.node);
    loss_start(&loss, 0);
    for (uint32_t i = 0; i < packets; i++) {
        uint64_t drops = loss.drops;
        node_take(&loss.node, test_packet(&pool, i, 100), i * gap_ns);
        bool lost = loss.drops > drops;
        bursts.bursts += lost && !bursts.lost_before;
        bursts.lost_pairs += lost && bursts.lost_before;
        bursts.lost_before = lost;
    }
    assert_int_equal(loss.drops + bursts.passed, packets);
    assert_int_equal(loss.dropped_bytes, loss.drops * 100);
    bursts.pool = NULL;
    packet_pool_close(&pool);
    return bursts;
}

static struct loss_settings independent(double probability) {
    return (struct loss_settings){.probability = probability};
}

// The project's bar: over 6e5 packets inside the 95 % binomial interval, which a right one is for 95 seeds of
// 100. Fewer than 86 or more than 99 of those have a chance below 1 in 1000 for each of the five.
UNIT_TEST(loss_over_600000_packets_lies_within_the_binomial_interval) {
    static const double probabilities[] = {0.001, 0.01, 0.02, 0.1, 0.5};
    enum { SEEDS = 100, PACKETS = 600000 };
    int inside_all = 0;
    for (size_t p = 0; p < sizeof probabilities / sizeof probabilities[0]; p++) {
        struct loss_settings settings = independent(probabilities[p]);
        double mean = PACKETS * probabilities[p];
        double deviation = sqrt(mean * (1 - probabilities[p]));
        double total = 0;
        int inside = 0;
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            double lost = PACKETS - (double)run(&settings, seed, 4, PACKETS, 1).passed;
            inside += fabs(lost - mean) <= 1.96 * deviation;
            total += lost;
        }
        assert_in_range(inside, 86, 100);
        assert_true(fabs(total - SEEDS * mean) <= 3 * sqrt(SEEDS) * deviation);
        inside_all += inside;
    }
    assert_in_range(inside_all, 460, 490); // of 500: 475 +- 3 standard deviations
    struct loss_settings none = independent(0), all = independent(1);
    assert_int_equal(run(&none, 1, 1, 10000, 1).passed, 10000);
    assert_int_equal(run(&all, 1, 1, 10000, 1).passed, 0);
}

// n packets have n * p^2 pairs of neighbours both lost.
UNIT_TEST(independent_losses_do_not_come_in_bursts) {
    enum { PACKETS = 600000 };
    struct loss_settings settings = independent(0.1);
    double mean = PACKETS * 0.01;
    for (uint64_t seed = 0; seed < 20; seed++)
        assert_true(fabs((double)run(&settings, seed, 2, PACKETS, 1).lost_pairs - mean) <=
                    4 * sqrt(mean * (1 + 2 * 0.1)));
}

// With every packet lost in the bad state and none in the good one, a burst lasts as long as the bad state:
// geometric, mean 1 / bad_to_good, variance (1 - r) / r^2. The losses of n packets have the mean n * p / (p +
// r) and, as the chain remembers, the variance n * pi (1 - pi) (1 + m) / (1 - m) with m = 1 - p - r.
UNIT_TEST(gilbert_elliott_has_its_mean_and_burst_lengths) {
    static const double chains[][2] = {{0.01, 0.25}, {0.001, 0.1}, {0.05, 0.5}, {0.3, 0.9}};
    enum { SEEDS = 100, PACKETS = 600000 };
    for (size_t c = 0; c < sizeof chains / sizeof chains[0]; c++) {
        double p = chains[c][0], r = chains[c][1];
        struct loss_settings settings = {
            .kind = LOSS_GILBERT_ELLIOTT, .good_to_bad = p, .bad_to_good = r, .loss_in_bad = 1};
        double share = p / (p + r), memory = 1 - p - r;
        double mean = PACKETS * share;
        double deviation = sqrt(mean * (1 - share) * (1 + memory) / (1 - memory));
        int mean_inside = 0, length_inside = 0;
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            struct bursts seen = run(&settings, seed, 4, PACKETS, 1);
            double lost = PACKETS - (double)seen.passed;
            mean_inside += fabs(lost - mean) <= 1.96 * deviation;
            double length = lost / (double)seen.bursts;
            length_inside += fabs(length - 1 / r) <= 1.96 * sqrt((1 - r) / (r * r) / (double)seen.bursts);
        }
        assert_in_range(mean_inside, 86, 100);
        assert_in_range(length_inside, 86, 100);
    }
}

// The full model: losses in both states. Its share of the losses is the states' own, weighted.
UNIT_TEST(gilbert_elliott_loses_in_each_state_what_it_should) {
    enum { SEEDS = 50, PACKETS = 600000 };
    struct loss_settings settings = {.kind = LOSS_GILBERT_ELLIOTT,
                                     .good_to_bad = 0.02,
                                     .bad_to_good = 0.2,
                                     .loss_in_good = 0.003,
                                     .loss_in_bad = 0.4};
    double bad = 0.02 / 0.22, share = bad * 0.4 + (1 - bad) * 0.003;
    // The chain adds the covariance of its states, (0.4 - 0.003)^2 times theirs.
    double states = bad * (1 - bad) * 0.397 * 0.397 * 2 * 0.78 / 0.22;
    double deviation = sqrt(PACKETS * (share * (1 - share) + states));
    double total = 0;
    int inside = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        double lost = PACKETS - (double)run(&settings, seed, 4, PACKETS, 1).passed;
        inside += fabs(lost - PACKETS * share) <= 1.96 * deviation;
        total += lost;
    }
    assert_in_range(inside, 42, 50);
    assert_true(fabs(total - SEEDS * PACKETS * share) <= 3 * sqrt(SEEDS) * deviation);
}

// A page load has few packets: the chain must not always begin good. First packets are lost as often as any.
UNIT_TEST(gilbert_elliott_begins_in_either_state) {
    struct loss_settings settings = {
        .kind = LOSS_GILBERT_ELLIOTT, .good_to_bad = 0.1, .bad_to_good = 0.3, .loss_in_bad = 1};
    enum { SEEDS = 4000 };
    double lost = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++)
        lost += 1 - (double)run(&settings, seed, 4, 1, 1).passed;
    assert_true(fabs(lost - SEEDS * 0.25) <= 3 * sqrt(SEEDS * 0.25 * 0.75));
}

UNIT_TEST(same_seed_same_losses) {
    static const struct loss_settings kinds[] = {
        {.probability = 0.02},
        {.kind = LOSS_GILBERT_ELLIOTT, .good_to_bad = 0.02, .bad_to_good = 0.3, .loss_in_bad = 0.9},
        {.probability = 0.3, .slot_ns = 10},
    };
    struct collect *first = collect_open(), *second = collect_open();
    for (size_t k = 0; k < 3; k++)
        for (uint64_t other = 0; other < 3; other++) { // 0: the same seed and stream
            struct collect *outs[] = {first, second};
            for (uint64_t i = 0; i < 2; i++) {
                struct loss loss;
                outs[i]->count = 0;
                loss_open(&loss, &outs[i]->pool, &kinds[k], 7 + i * (other == 1), 5 + i * (other == 2),
                          &outs[i]->node);
                for (uint32_t n = 0; n < 50000; n++)
                    node_take(&loss.node, test_packet(&outs[i]->pool, n, 100), n);
            }
            bool same = first->count == second->count;
            for (uint32_t n = 0; same && n < first->count; n++)
                same = first->departures[n].number == second->departures[n].number;
            assert_int_equal(same, other == 0);
        }
    collect_close(first);
    collect_close(second);
}

// The decisions themselves, so that a change of how they are made, which would change every result, does not
// go unseen.
UNIT_TEST(decisions_are_the_same_for_ever) {
    static const struct loss_settings kinds[] = {
        {.probability = 0.3},
        {.kind = LOSS_GILBERT_ELLIOTT, .good_to_bad = 0.1, .bad_to_good = 0.3, .loss_in_bad = 0.9},
        {.probability = 0.3, .slot_ns = 2},
    };
    static const uint64_t expected[] = {UINT64_C(0x82402ae50d22c), UINT64_C(0xc0000ef80c380001),
                                        UINT64_C(0xc00c30000c)};
    for (int k = 0; k < 3; k++) {
        struct packet_pool pool = {0};
        struct bursts out = {.node = {&bursts_kind, NULL}, .pool = &pool};
        struct loss loss;
        loss_open(&loss, &pool, &kinds[k], 1, 19, &out.node);
        uint64_t lost = 0;
        for (uint32_t i = 0; i < 64; i++) {
            uint64_t drops = loss.drops;
            node_take(&loss.node, test_packet(&pool, i, 100), i);
            lost = lost << 1 | (loss.drops > drops);
        }
        packet_pool_close(&pool);
        if (lost != expected[k]) fail_msg("%d: 0x%llx", k, (unsigned long long)lost);
    }
}

UNIT_TEST(periodic_loss_takes_every_nth) {
    struct collect *out = collect_open();
    struct loss loss;
    loss_open(&loss, &out->pool, &(struct loss_settings){.kind = LOSS_PERIODIC, .every = 4}, 1, 1,
              &out->node);
    for (uint32_t i = 0; i < 100; i++)
        node_take(&loss.node, test_packet(&out->pool, i, 100), i);
    assert_int_equal(loss.drops, 25);
    for (uint32_t i = 0; i < out->count; i++)
        assert_int_not_equal(out->departures[i].number % 4, 3); // the fourth, counted from one
    collect_close(out);
}

UNIT_TEST(file_says_what_is_lost_and_wraps) {
    char error[256];
    struct number_file *file = number_file_open(unit_file("loss", "0 1 0\n0 1\n"), 1, error, sizeof error);
    assert_non_null(file);
    struct collect *out = collect_open();
    struct loss loss;
    loss_open(&loss, &out->pool, &(struct loss_settings){.kind = LOSS_FILE, .file = file}, 1, 1, &out->node);
    for (uint32_t i = 0; i < 100; i++)
        node_take(&loss.node, test_packet(&out->pool, i, 100), i);
    assert_int_equal(loss.drops, 40);
    for (uint32_t i = 0; i < out->count; i++) {
        assert_int_not_equal(out->departures[i].number % 5, 1);
        assert_int_not_equal(out->departures[i].number % 5, 4);
    }
    number_file_close(file);
    collect_close(out);
}

// One lane sends 50 packets a slot, another one packet in 1.7 slots, at times of their own: where both have a
// packet in a slot, either both lost it or both did not.
UNIT_TEST(slots_are_lost_to_all_alike) {
    enum { SLOTS = 20000 };
    static const struct loss_settings kinds[] = {
        {.probability = 0.1},
        {.kind = LOSS_GILBERT_ELLIOTT, .good_to_bad = 0.02, .bad_to_good = 0.3, .loss_in_bad = 0.9},
        {.kind = LOSS_PERIODIC, .every = 7},
    };
    static const uint64_t gaps_ns[2] = {MS / 5, 17 * MS};
    static signed char fates[2][SLOTS]; // -1: no packet came in it
    for (size_t k = 0; k < 3; k++) {
        struct loss_settings settings = kinds[k];
        settings.slot_ns = 10 * MS;
        for (int lane = 0; lane < 2; lane++) {
            struct packet_pool pool = {0};
            struct bursts out = {.node = {&bursts_kind, NULL}, .pool = &pool};
            struct loss loss;
            loss_open(&loss, &pool, &settings, 3, 4, &out.node);
            loss_start(&loss, 12345);
            for (uint32_t s = 0; s < SLOTS; s++)
                fates[lane][s] = -1;
            for (uint64_t at_ns = 0; at_ns < SLOTS * settings.slot_ns; at_ns += gaps_ns[lane]) {
                uint64_t drops = loss.drops, slot = at_ns / settings.slot_ns;
                node_take(&loss.node, test_packet(&pool, 0, 100), 12345 + at_ns);
                signed char lost = loss.drops > drops;
                assert_true(fates[lane][slot] == -1 || fates[lane][slot] == lost); // all of a slot alike
                fates[lane][slot] = lost;
            }
            packet_pool_close(&pool);
        }
        int both = 0, lost = 0;
        for (uint32_t s = 0; s < SLOTS; s++) {
            if (fates[1][s] == -1) continue;
            assert_int_equal(fates[0][s], fates[1][s]);
            both++;
            lost += fates[0][s];
        }
        assert_int_equal(both, (SLOTS * 10 + 16) / 17);
        assert_in_range(lost, both / 25, both / 5); // the outages do come
    }
}

// As above over two blocks of Gilbert and Elliott's chain, steered half-way, with hours of silence at the
// end.
UNIT_TEST(chain_is_the_same_for_the_silent) {
    struct packet_pool pool = {0};
    struct bursts out = {.node = {&bursts_kind, NULL}, .pool = &pool};
    struct loss_settings settings = {.kind = LOSS_GILBERT_ELLIOTT,
                                     .good_to_bad = 0.02,
                                     .bad_to_good = 0.1,
                                     .loss_in_bad = 0.9,
                                     .slot_ns = 10};
    struct loss busy, silent;
    loss_open(&busy, &pool, &settings, 3, 4, &out.node);
    loss_open(&silent, &pool, &settings, 3, 4, &out.node);
    uint64_t slots = 2 * LOSS_CHAIN_SLOTS + 1000, lost = 0, met = 0;
    for (uint64_t slot = 0; slot < slots; slot++) {
        if (slot == slots / 2 || slot == slots / 2 + 999) {
            settings.good_to_bad = 0.1;
            settings.slot_ns = slot == slots / 2 ? 10 : 5;
            loss_steer(&busy, &settings, slot * 10);
            loss_steer(&silent, &settings, slot * 10);
        }
        uint64_t busy_before = busy.drops, silent_before = silent.drops;
        node_take(&busy.node, test_packet(&pool, 0, 100), slot * 10);
        if (slot % 1009 != 0) continue;
        node_take(&silent.node, test_packet(&pool, 0, 100), slot * 10);
        assert_int_equal(busy.drops - busy_before, silent.drops - silent_before);
        lost += busy.drops > busy_before;
        met++;
    }
    assert_in_range(lost, met / 10, met / 2);
    clock_t start = clock();
    for (uint64_t hour = 1; hour < 1000; hour++)
        node_take(&silent.node, test_packet(&pool, 0, 100), hour * 3600000 * MS);
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 30); // here 1
    packet_pool_close(&pool);
}

// The share of slots lost is the model's.
UNIT_TEST(slots_are_lost_as_often_as_asked) {
    enum { SEEDS = 100, SLOTS = 60000 };
    struct loss_settings settings = {.probability = 0.02, .slot_ns = 10 * MS};
    int inside = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        double lost = SLOTS - (double)run(&settings, seed, 4, SLOTS, 10 * MS).passed;
        inside += fabs(lost - SLOTS * 0.02) <= 1.96 * sqrt(SLOTS * 0.02 * 0.98);
    }
    assert_in_range(inside, 86, 100);
}

UNIT_TEST(steering_changes_what_comes_from_then_on) {
    struct packet_pool pool = {0};
    struct bursts out = {.node = {&bursts_kind, NULL}, .pool = &pool};
    struct loss loss;
    struct loss_settings settings = {.probability = 1};
    loss_open(&loss, &pool, &(struct loss_settings){0}, 1, 1, &out.node);
    loss_start(&loss, 0);
    for (uint32_t i = 0; i < 1000; i++) {
        if (i == 400) loss_steer(&loss, &settings, i * MS);
        if (i == 500) {
            settings = (struct loss_settings){.kind = LOSS_PERIODIC, .every = 10, .slot_ns = 10 * MS};
            loss_steer(&loss, &settings, i * MS);
        }
        node_take(&loss.node, test_packet(&pool, i, 100), i * MS);
        assert_int_equal(loss.drops, i < 400   ? 0
                                     : i < 500 ? i - 399
                                     : i < 590 ? 100 // slots 50 to 99; the 60th, 70th, ... is lost
                                               : loss.drops);
    }
    assert_int_equal(loss.drops, 100 + 5 * 10);
    packet_pool_close(&pool);
}
