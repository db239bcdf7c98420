// Inter-Arrival's estimates in virtual time: the probe, the channel and the ramp between them, with packet
// trains made by hand and values worked by hand.
#include "congestion/inter_arrival_estimates.h"
#include "test/native/cmocka_unit.h"

#include <math.h>

enum { PACKET = 1250 };

static uint64_t ns(double ms) {
    return (uint64_t)llround(ms * 1e6);
}

static struct arrival at(double sent_ms, double arrived_ms) {
    return (struct arrival){0, ns(sent_ms), ns(arrived_ms)};
}

// --- The probe ---

UNIT_TEST(ten_packets_tell_the_rate_of_the_link) {
    struct inter_arrival_probe probe = {0};
    double rate;
    for (int i = 0; i < 10; i++) { // sent 1 ms apart, arriving 2.5 ms apart: 9 packets in 22.5 ms
        const struct arrival packet = at(1000 + i, 1020 + 2.5 * i);
        assert_false(inter_arrival_probe_estimate(&probe, &rate));
        inter_arrival_probe_acked(&probe, &packet, 1, PACKET);
    }
    assert_true(inter_arrival_probe_estimate(&probe, &rate));
    assert_float_equal(rate, PACKET / 0.0025, 1);
}

UNIT_TEST(acks_of_several_packets_tell_as_much) {
    struct inter_arrival_probe probe = {0};
    double rate;
    for (int i = 1; i < 10; i += 2) {
        const struct arrival packet = at(1000 + i, 1020 + 2.5 * i);
        inter_arrival_probe_acked(&probe, &packet, 2, 2 * PACKET);
    }
    assert_true(inter_arrival_probe_estimate(&probe, &rate));
    assert_float_equal(rate, PACKET / 0.0025, 1);
}

UNIT_TEST(a_lost_packet_halves_the_estimate) {
    struct inter_arrival_probe probe = {0};
    double rate;
    for (int i = 0; i < 9; i++) {
        const struct arrival packet = at(1000 + i, 1020 + 2.5 * i);
        inter_arrival_probe_acked(&probe, &packet, 1, PACKET);
    }
    assert_false(inter_arrival_probe_estimate(&probe, &rate));
    inter_arrival_probe_lost(&probe, 1);
    assert_true(inter_arrival_probe_estimate(&probe, &rate));
    assert_float_equal(rate, PACKET / 0.0025 / 2, 1);
}

UNIT_TEST(a_probe_that_misses_falls_back) {
    struct inter_arrival_probe probe = {0};
    double rate;
    const struct arrival only = at(1000, 1020);
    inter_arrival_probe_acked(&probe, &only, 10, 10 * PACKET); // all by one ACK: no span
    assert_true(inter_arrival_probe_estimate(&probe, &rate));
    assert_float_equal(rate, 40000, 0);
    inter_arrival_probe_restart(&probe);
    assert_false(inter_arrival_probe_estimate(&probe, &rate));
    inter_arrival_probe_lost(&probe, 10);
    assert_true(inter_arrival_probe_estimate(&probe, &rate));
    assert_float_equal(rate, 40000, 0);
}

UNIT_TEST(a_sender_that_is_the_limit_gets_40_kilobytes_at_least) {
    static const double gaps_ms[] = {100, 2};
    static const double expected[] = {40000, PACKET / 0.002};
    for (int c = 0; c < 2; c++) {
        struct inter_arrival_probe probe = {0};
        double rate;
        for (int i = 0; i < 10; i++) {
            const struct arrival packet = at(1000 + gaps_ms[c] * i, 1020 + gaps_ms[c] * i);
            inter_arrival_probe_acked(&probe, &packet, 1, PACKET);
        }
        assert_true(inter_arrival_probe_estimate(&probe, &rate));
        assert_float_equal(rate, expected[c], 1);
    }
}

// --- The channel ---

UNIT_TEST(pairs_sent_close_together_tell_the_channel) {
    struct inter_arrival_channel channel = {0};
    double rate;
    for (int i = 0; i <= 20; i++) { // pairs 0.1 ms apart that arrive 2 ms apart, 20 ms from pair to pair
        const double pair_ms = 20.0 * (i / 2);
        const struct arrival packet = at(1000 + pair_ms + 0.1 * (i % 2), 1020 + pair_ms + 2.0 * (i % 2));
        inter_arrival_channel_acked(&channel, &packet, PACKET);
        const enum inter_arrival_certainty certainty = inter_arrival_channel_estimate(&channel, &rate);
        assert_int_equal(certainty, i < 19 ? INTER_ARRIVAL_UNKNOWN : INTER_ARRIVAL_GOOD);
    }
    assert_int_equal(channel.count, 10);
    assert_float_equal(rate, PACKET / 0.002, 1);
}

// Rates of 10 pairs sorted: the median has index 5, the quartiles 2 and 8.
UNIT_TEST(quartiles_a_quarter_apart_are_uncertain) {
    static const double by_rank[] = {1, 2, 900, 950, 960, 1000, 1010, 1020, 1150, 1e6};
    struct inter_arrival_channel channel = {.count = 10};
    double rate;
    for (int i = 0; i < 10; i++)
        channel.rates[(i * 7) % 10] = by_rank[i];
    assert_int_equal(inter_arrival_channel_estimate(&channel, &rate), INTER_ARRIVAL_GOOD); // 250: not above
    assert_float_equal(rate, 1000, 0);
    channel.rates[(8 * 7) % 10] = 1151;
    assert_int_equal(inter_arrival_channel_estimate(&channel, &rate), INTER_ARRIVAL_UNCERTAIN);
    assert_float_equal(rate, 1000, 0);
}

UNIT_TEST(a_lost_packet_breaks_a_pair) {
    struct inter_arrival_channel channel = {0};
    const struct arrival first = at(1000, 1020), second = at(1000.1, 1030);
    inter_arrival_channel_acked(&channel, &first, PACKET);
    inter_arrival_channel_lost(&channel);
    inter_arrival_channel_acked(&channel, &second, PACKET);
    assert_int_equal(channel.count, 0);
}

// --- The ramp ---

static double ramp_to(struct inter_arrival_ramp *ramp, double ms) {
    double rate = ramp->rate;
    for (double t = (double)ramp->updated_ns / 1e6 + 31; t <= ms; t += 31)
        rate = inter_arrival_ramp_rate(ramp, ns(t), 0);
    return rate;
}

// From 70 to 100 kB/s: t0 = cbrt(30000 / 6000) = 1.71 s. Beyond it 6000 t^3.
UNIT_TEST(the_ramp_is_cubic_about_what_was_available) {
    struct inter_arrival_ramp ramp;
    inter_arrival_ramp_reset(&ramp, ns(1000), 70000, 100000, 100000);
    assert_float_equal(ramp.origin_s, 1.7099759, 1e-6);
    assert_float_equal(inter_arrival_ramp_rate(&ramp, ns(1030), 0), 70000, 0); // not more often than in 30 ms
    for (double s = 0.5; s < 4; s += 0.5) {
        const double from_s = s - 1.7099759, expected = 100000 + 6000 * from_s * from_s * from_s;
        assert_float_equal(ramp_to(&ramp, 1000 + 1000 * s), expected, 0.03 * expected);
    }
}

UNIT_TEST(above_halfway_it_is_cubic_about_the_channel) {
    struct inter_arrival_ramp ramp;
    inter_arrival_ramp_reset(&ramp, ns(1000), 70000, 100000, 300000);
    assert_float_equal(ramp.halfway, 200000, 0);
    ramp_to(&ramp, 1000 + 1710);
    assert_float_equal(ramp.rate, 100000, 1000);
    // 6000 t^3 = 100000 after 2.55 s: halfway; then 300 - 6000 (2.55 - t)^3 from about there on.
    ramp_to(&ramp, 1000 + 1710 + 2554 + 62);
    assert_float_equal(ramp.rate, 205000, 8000);
    const double epoch_ms = (double)ramp.epoch_ns / 1e6;
    assert_float_equal(epoch_ms, 1000 + 1710 + 2554, 40);
    ramp_to(&ramp, epoch_ms + 1000 * ramp.origin_s);
    assert_float_equal(ramp.rate, 300000, 2000);
}

UNIT_TEST(it_does_not_grow_beyond_twice_what_is_sent) {
    struct inter_arrival_ramp ramp;
    inter_arrival_ramp_reset(&ramp, ns(1000), 70000, 100000, 100000);
    for (double t = 1031; t < 11000; t += 31)
        assert_float_equal(inter_arrival_ramp_rate(&ramp, ns(t), 34000), 70000, 0);
    const double later = inter_arrival_ramp_rate(&ramp, ramp.updated_ns + ns(100), 36000);
    const double from_s = 0.1 - 1.7099759; // as 0.1 s after the epoch
    assert_float_equal(later, 100000 + 6000 * from_s * from_s * from_s, 10);
    inter_arrival_ramp_hold(&ramp, ramp.updated_ns + ns(60000));
    assert_float_equal(inter_arrival_ramp_rate(&ramp, ramp.updated_ns + ns(31), 0), later, 1500);
}

UNIT_TEST(a_good_channel_estimate_moves_the_plateau) {
    struct inter_arrival_ramp ramp;
    inter_arrival_ramp_reset(&ramp, ns(1000), 70000, 100000, 100000);
    inter_arrival_ramp_set_channel(&ramp, ns(1100), 90000); // below what is available: no news
    assert_float_equal(ramp.channel, 100000, 0);
    inter_arrival_ramp_set_channel(&ramp, ns(1100), 200000);
    assert_float_equal(ramp.halfway, 150000, 0);
    ramp.rate = 160000;
    inter_arrival_ramp_set_channel(&ramp, ns(1200), 160000 + 6000 * 8);
    assert_float_equal(ramp.origin_s, 2, 1e-6);
    assert_int_equal(ramp.epoch_ns, ns(1200));
}
