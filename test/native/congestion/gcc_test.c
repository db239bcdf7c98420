// GCC in virtual time, part by part, against the draft's equations and constants with values worked by hand.
#include "congestion/gcc_estimates.h"
#include "test/native/cmocka_unit.h"

#include <math.h>

enum { PACKET = 1250, NS_PER_MILLISECOND = 1000 * 1000 };

static uint64_t ns(double ms) {
    return (uint64_t)llround(ms * NS_PER_MILLISECOND);
}

static bool add(struct gcc_groups *groups, double sent_ms, double arrived_ms, struct gcc_variation *out) {
    return gcc_groups_add(groups, &(struct arrival){0, ns(sent_ms), ns(arrived_ms)}, out);
}

UNIT_TEST(packets_sent_within_5_ms_are_a_group) {
    struct gcc_groups groups = {0};
    struct gcc_variation v;
    assert_false(add(&groups, 100, 150, &v));
    assert_false(add(&groups, 103, 153, &v));
    assert_false(add(&groups, 105, 155, &v)); // 5 ms after the first: still of it
    assert_false(add(&groups, 110, 162, &v)); // the second begins: nothing to compare yet
    assert_false(add(&groups, 112, 165, &v));
    assert_true(add(&groups, 120, 175, &v)); // the third begins: 112 - 105 and 165 - 155
    assert_float_equal(v.sent_gap_ms, 7, 1e-9);
    assert_float_equal(v.d_ms, 3, 1e-9);
    assert_int_equal(v.arrived_ns, ns(165));
}

// An outage holds up packets that then arrive at once: d < 0, and less than 5 ms apart.
UNIT_TEST(what_an_outage_held_up_is_one_group) {
    struct gcc_groups groups = {0};
    struct gcc_variation v;
    add(&groups, 100, 150, &v);
    add(&groups, 110, 160, &v);
    assert_true(add(&groups, 120, 200, &v));  // held up for 30 ms: the one before is compared
    assert_false(add(&groups, 130, 201, &v)); // gap 1 of 10 ms: with it
    assert_false(add(&groups, 140, 202, &v));
    assert_true(add(&groups, 150, 210, &v)); // gap 8 ms
    assert_float_equal(v.sent_gap_ms, 140 - 110, 1e-9);
    assert_float_equal(v.d_ms, 202 - 160 - 30, 1e-9);
}

// e(0) = 0.1, q = 0.001, var_v(0) = 1; d = 2 ms at groups 10 ms apart:
// z = 2, alpha = 0.99^(30 x 10 / 1000) = 0.996989..., var_v = alpha + (1 - alpha) 4 = 1.009032...
// k = 0.101 / (1.009032 + 0.101) = 0.0909884..., m = 0.1819768..., e = (1 - k) 0.101 = 0.0918102...
UNIT_TEST(the_filter_follows_the_equations) {
    struct gcc_filter filter;
    gcc_filter_init(&filter);
    gcc_filter_update(&filter, 2, 10);
    assert_float_equal(filter.var_v, 1.0090318, 1e-6);
    assert_float_equal(filter.m_ms, 0.1819770, 1e-6);
    assert_float_equal(filter.e, 0.0918102, 1e-6);
    // z = 100 - m counts as 3 sqrt(var_v) for the variance, as itself for m. The smallest gap, 5 ms, counts.
    const double alpha = pow(0.99, 30 * 5 / 1000.0);
    const double var_v = alpha * 1.0090318 + (1 - alpha) * 9 * 1.0090318;
    const double k = 0.0928102 / (var_v + 0.0928102);
    gcc_filter_update(&filter, 100, 5);
    assert_float_equal(filter.var_v, var_v, 1e-6);
    assert_float_equal(filter.m_ms, 0.1819770 + k * (100 - 0.1819770), 1e-4);
}

UNIT_TEST(the_estimate_converges_to_the_growth) {
    struct gcc_filter filter;
    gcc_filter_init(&filter);
    for (int i = 0; i < 400; i++)
        gcc_filter_update(&filter, 0.5, 5);
    assert_float_equal(filter.m_ms, 0.5, 0.01);
    assert_float_equal(filter.var_v, 1, 0.02); // its floor
    for (int i = 0; i < 400; i++)
        gcc_filter_update(&filter, -0.5, 5);
    assert_float_equal(filter.m_ms, -0.5, 0.01);
}

// 60 groups, 5 ms apart, without growth; the threshold falls only a little.
static struct gcc_detector calm(uint64_t *now_ns) {
    struct gcc_detector detector;
    gcc_detector_init(&detector);
    *now_ns = ns(1000);
    for (int i = 0; i < 60; i++) {
        *now_ns += ns(5);
        assert_int_equal(gcc_detector_update(&detector, 0, *now_ns), GCC_NORMAL);
    }
    return detector;
}

static enum gcc_signal after(struct gcc_detector *detector, uint64_t *now_ns, double ms, double m_ms) {
    *now_ns += ns(ms);
    return gcc_detector_update(detector, m_ms, *now_ns);
}

// M = 60 m, th = 12.5 ms at first: m = 0.25 ms is above it.
UNIT_TEST(over_use_takes_10_ms_above_the_threshold) {
    uint64_t now_ns;
    struct gcc_detector detector = calm(&now_ns);
    assert_int_equal(after(&detector, &now_ns, 5, 0.25), GCC_NORMAL);
    assert_int_equal(after(&detector, &now_ns, 5, 0.26), GCC_NORMAL); // 5 ms above it
    assert_int_equal(after(&detector, &now_ns, 4, 0.27), GCC_NORMAL); // 9 ms
    assert_int_equal(after(&detector, &now_ns, 1, 0.28), GCC_OVER_USE);
    assert_int_equal(after(&detector, &now_ns, 5, 0.28), GCC_OVER_USE);
    assert_int_equal(after(&detector, &now_ns, 5, 0.27), GCC_NORMAL); // still above it, but falling
    assert_int_equal(after(&detector, &now_ns, 5, 0.1), GCC_NORMAL);
    assert_int_equal(after(&detector, &now_ns, 5, 0.3), GCC_NORMAL); // the 10 ms begin anew
    assert_int_equal(after(&detector, &now_ns, 9, 0.3), GCC_NORMAL);
}

UNIT_TEST(under_use_is_told_at_once) {
    uint64_t now_ns;
    struct gcc_detector detector = calm(&now_ns);
    assert_int_equal(after(&detector, &now_ns, 5, -0.19), GCC_NORMAL); // M = -11.4, th = 11.8
    assert_int_equal(after(&detector, &now_ns, 5, -0.22), GCC_UNDER_USE);
}

UNIT_TEST(few_groups_count_for_less) {
    struct gcc_detector detector;
    gcc_detector_init(&detector);
    for (uint64_t i = 1; i <= 12; i++) // M = i m
        assert_int_equal(gcc_detector_update(&detector, 1, ns(1000 + 10.0 * (double)i)), GCC_NORMAL);
    assert_true(detector.over_since_ns == 0);
    for (uint64_t i = 13; i <= 14; i++)
        gcc_detector_update(&detector, 1, ns(1000 + 10.0 * (double)i));
    assert_true(detector.over_since_ns > 0);
}

UNIT_TEST(the_threshold_follows_fast_and_falls_slowly) {
    struct gcc_detector detector;
    uint64_t now_ns = ns(1000);
    gcc_detector_init(&detector);
    gcc_detector_update(&detector, 0, now_ns);
    detector.count = 100;                // the factor is 60
    after(&detector, &now_ns, 10, 0.05); // M = 3: 12.5 - 10 x 0.00018 x 9.5
    assert_float_equal(detector.threshold_ms, 12.4829, 1e-9);
    after(&detector, &now_ns, 10, 0.4); // M = 24: + 10 x 0.01 x 11.5171
    assert_float_equal(detector.threshold_ms, 12.4829 + 1.15171, 1e-9);
    const double before = detector.threshold_ms;
    after(&detector, &now_ns, 10, 0.5); // M = 30 is 16.4 above it: too far, unchanged
    assert_float_equal(detector.threshold_ms, before, 1e-9);
    after(&detector, &now_ns, 10, -0.4); // |M| counts
    assert_float_equal(detector.threshold_ms, before + 0.1 * (24 - before), 1e-9);
    const double third = detector.threshold_ms;
    after(&detector, &now_ns, 5000, 0.05); // counts as 100 ms
    assert_float_equal(detector.threshold_ms, third + 100 * 0.00018 * (3 - third), 1e-9);
    for (int i = 0; i < 2000; i++)
        after(&detector, &now_ns, 100, 0);
    assert_float_equal(detector.threshold_ms, 6, 1e-9); // its floor
}

static void update(struct gcc_rate *rate, double ms, enum gcc_signal signal, double incoming_bps) {
    gcc_rate_update(rate, &(struct gcc_feedback){rate->updated_ns + ns(ms), signal, incoming_bps, 50});
}

UNIT_TEST(far_from_convergence_it_gains_8_percent_a_second) {
    struct gcc_rate rate = {.bps = 1e6, .state = GCC_INCREASE};
    update(&rate, 1000, GCC_NORMAL, 1e6);
    assert_float_equal(rate.bps, 1.08e6, 1e-3);
    for (int i = 0; i < 10; i++)
        update(&rate, 100, GCC_NORMAL, 1e6);
    assert_float_equal(rate.bps, 1.08 * 1.08e6, 1e-3);
    update(&rate, 30000, GCC_NORMAL, 1e6); // at most a second counts
    assert_float_equal(rate.bps, 1.08 * 1.08 * 1.08e6, 1e-3);
    update(&rate, 1000, GCC_NORMAL, 0.85e6); // 1.5 R = 1.275e6 ends the increase
    assert_float_equal(rate.bps, 1.275e6, 1e-3);
    update(&rate, 1000, GCC_NORMAL, 0.5e6); // but reduces nothing
    assert_float_equal(rate.bps, 1.275e6, 1e-3);
}

UNIT_TEST(over_use_keeps_85_percent_of_what_came_in) {
    struct gcc_rate rate = {.bps = 3e6, .state = GCC_INCREASE};
    update(&rate, 100, GCC_OVER_USE, 2e6);
    assert_float_equal(rate.bps, 1.7e6, 1e-3);
    assert_int_equal(rate.state, GCC_DECREASE);
    update(&rate, 100, GCC_OVER_USE, 2.4e6); // never up
    assert_float_equal(rate.bps, 1.7e6, 1e-3);
    update(&rate, 100, GCC_OVER_USE, 1.8e6);
    assert_float_equal(rate.bps, 1.53e6, 1e-3);
    update(&rate, 100, GCC_OVER_USE, 0); // unknown: of the rate itself
    assert_float_equal(rate.bps, 1.53e6 * 0.85, 1e-3);
}

UNIT_TEST(states_change_as_the_drafts_table_says) {
    const enum gcc_state by_signal[3][3] = {
        // by state: Increase, Decrease, Hold
        [GCC_NORMAL] = {GCC_INCREASE, GCC_HOLD, GCC_INCREASE},
        [GCC_OVER_USE] = {GCC_DECREASE, GCC_DECREASE, GCC_DECREASE},
        [GCC_UNDER_USE] = {GCC_HOLD, GCC_HOLD, GCC_HOLD},
    };
    for (int signal = 0; signal < 3; signal++)
        for (int from = 0; from < 3; from++) {
            struct gcc_rate rate = {.bps = 1e6, .state = (enum gcc_state)from};
            update(&rate, 100, (enum gcc_signal)signal, 1e6);
            assert_int_equal(rate.state, by_signal[signal][from]);
            if (rate.state == GCC_HOLD) assert_float_equal(rate.bps, 1e6, 0);
        }
}

// Close to the mean of 2 Mbit/s, sigma at least sqrt(400 x 2e6) = 28.3 kbit/s, 3 sigma = 84.9 kbit/s.
UNIT_TEST(near_convergence_it_gains_half_a_packet_in_a_response_time) {
    struct gcc_rate rate = {.bps = 2e6, .state = GCC_INCREASE};
    update(&rate, 100, GCC_OVER_USE, 2e6);
    update(&rate, 100, GCC_NORMAL, 1.7e6); // Hold
    const double start = rate.bps;         // 1.7 Mbit/s
    assert_float_equal(start, 1.7e6, 1e-3);
    update(&rate, 100, GCC_NORMAL, 1.91e6); // 90 kbit/s below: far
    assert_float_equal(rate.bps, start * pow(1.08, 0.1), 1e-3);
    // Near. Response time 150 ms, alpha = 0.5 x 100 / 150; A / 30 = 57103 bits are 6 packets of 9517 bits.
    const double before = rate.bps, bits = before / 30 / 6;
    update(&rate, 100, GCC_NORMAL, 1.92e6);
    assert_float_equal(rate.bps - before, bits / 3, 0.1);
    update(&rate, 600, GCC_NORMAL, 1.92e6); // at most one response time counts
    assert_float_equal(rate.bps - before, bits / 3 + 0.5 * (before + bits / 3) / 30 / 6, 0.1);
    const double third = rate.bps;
    update(&rate, 10, GCC_NORMAL, 1.92e6); // 0.5 x 10 / 150 of 9.5 kbit: at least 1000 bit/s
    assert_float_equal(rate.bps - third, 1000, 0.1);
    update(&rate, 1000, GCC_NORMAL, 2.09e6); // above the mean: forgotten, multiplicative again
    assert_float_equal(rate.bps, 1.08 * (third + 1000), 1);
    assert_false(rate.has_average);
}

UNIT_TEST(losses_above_10_percent_take_half_of_their_share) {
    assert_float_equal(gcc_rate_after_losses(1e6, 20, 100), 0.9e6, 1e-3);
    assert_float_equal(gcc_rate_after_losses(1e6, 11, 100), 0.945e6, 1e-3);
    assert_float_equal(gcc_rate_after_losses(1e6, 10, 100), 1e6, 1e-3);
    assert_float_equal(gcc_rate_after_losses(1e6, 2, 100), 1e6, 1e-3);
    assert_float_equal(gcc_rate_after_losses(1e6, 1, 100), 1.05e6, 1e-3);
    assert_float_equal(gcc_rate_after_losses(1e6, 0, 100), 1.05e6, 1e-3);
}

// The whole: packets of a rate, acknowledged one by one after a round trip that grows by `growth` seconds per
// second, of which every `lost_every`th is lost.
struct sender {
    void *state;
    uint64_t now_ns, number;
    double rtt_ms;
};

static struct congestion_window look(const struct sender *s) {
    struct congestion_window window;
    gcc.window(s->state, &window);
    return window;
}

static struct sender open_sender(double rtt_ms) {
    const struct congestion_start start = {PACKET, 10};
    struct sender s = {.state = gcc.open(&gcc, &start), .now_ns = ns(1000), .rtt_ms = rtt_ms};
    assert_non_null(s.state);
    return s;
}

static void send_for(struct sender *s, double seconds, double rate_bps, double growth, uint64_t lost_every) {
    const double gap_ms = PACKET * 8e3 / rate_bps;
    for (double passed = 0; passed < seconds * 1000; passed += gap_ms) {
        s->now_ns += ns(gap_ms);
        s->rtt_ms += growth * gap_ms;
        const struct congestion_rtt rtt = {
            .latest_ns = ns(s->rtt_ms), .smoothed_ns = ns(s->rtt_ms), .min_ns = ns(10)};
        const struct congestion_packet packet = {++s->number, s->now_ns - ns(s->rtt_ms), PACKET, true, true};
        if (lost_every > 0 && s->number % lost_every == 0)
            gcc.lost(s->state, &(struct congestion_lost){s->now_ns, 100 * PACKET, 2, rtt, &packet, 1});
        else
            gcc.acked(s->state, &(struct congestion_acked){.now_ns = s->now_ns,
                                                           .in_flight_bytes = 100 * PACKET,
                                                           .rtt = rtt,
                                                           .packets = &packet,
                                                           .packet_count = 1});
    }
}

UNIT_TEST(the_first_round_trip_makes_the_initial_window_a_rate) {
    struct sender s = open_sender(50);
    assert_int_equal(look(&s).window_bytes, 10 * PACKET);
    assert_int_equal(look(&s).pacing_bps, 0);
    assert_int_equal(look(&s).phase, CONGESTION_SLOW_START);
    send_for(&s, 0.001, 1e6, 0, 0);
    assert_int_equal(look(&s).pacing_bps, 10 * PACKET * 8 / 0.05);
    assert_int_equal(look(&s).phase, CONGESTION_AVOIDANCE);
    assert_true(look(&s).window_bytes > look(&s).pacing_bps / 8 / 2); // no limit
    gcc.close(s.state);
}

UNIT_TEST(a_growing_delay_reduces_the_rate_and_losses_do) {
    struct sender s = open_sender(50);
    send_for(&s, 3, 2e6, 0, 0);
    assert_float_equal((double)look(&s).pacing_bps, 2e6 * pow(1.08, 2.95), 0.02e6);
    const double before = (double)look(&s).pacing_bps;
    send_for(&s, 1, 2e6, 0, 20); // 5 %: held
    assert_true((double)look(&s).pacing_bps >= before);
    send_for(&s, 1, 2e6, 0, 0);
    send_for(&s, 0.4, 2e6, 0.1, 0); // 0.5 ms in 5 ms: M = 30
    assert_float_equal((double)look(&s).pacing_bps, 0.85 * 2e6, 0.05e6);
    send_for(&s, 2, 2e6, 0, 0);
    const double recovered = (double)look(&s).pacing_bps;
    send_for(&s, 1, 2e6, 0, 5); // 20 %, ten reports: 0.9^10
    assert_float_equal((double)look(&s).pacing_bps, recovered * pow(0.9, 9), 0.12 * recovered);
    gcc.close(s.state);
}
