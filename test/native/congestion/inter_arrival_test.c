// Inter-Arrival in virtual time: packet trains made by hand, and what its detector, its states and the whole
// are to decide of them.
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

// A train of packets sent 10 ms apart, each arriving 20 ms and `delay_ms` after it was sent.
struct train {
    struct inter_arrival_detector detector;
    double sent_ms, delay_ms;
};

static struct train new_train(void) {
    struct train train = {.sent_ms = 1000};
    inter_arrival_detector_init(&train.detector);
    return train;
}

// The next packet's delay is `more_ms` longer.
static enum inter_arrival_usage next(struct train *train, double more_ms) {
    train->sent_ms += 10;
    train->delay_ms += more_ms;
    const struct arrival packet = at(train->sent_ms, train->sent_ms + 20 + train->delay_ms);
    inter_arrival_detector_add(&train->detector, &packet);
    return inter_arrival_detector_judge(&train->detector);
}

// x is 0 from the second packet on: after n of them var = 10^6 (49/50)^n, sigma its root.
static struct train steady_train(int packets) {
    struct train train = new_train();
    for (int i = 0; i < packets; i++)
        assert_int_equal(next(&train, 0), INTER_ARRIVAL_STEADY);
    return train;
}

UNIT_TEST(a_steady_train_has_the_variance_of_its_memory) {
    struct train train = steady_train(101);
    assert_int_equal(train.detector.samples, 100);
    assert_float_equal(train.detector.mean_us, 0, 1e-6);
    assert_float_equal(train.detector.variance_us2, 1e6 * pow(0.98, 100), 1);
    for (int i = 0; i < 300; i++)
        next(&train, 0);
    assert_float_equal(train.detector.variance_us2, 1e4, 1e-6); // its floor
}

// 50 ms more each time.
UNIT_TEST(nothing_is_told_of_fewer_than_ten_samples) {
    struct train train = new_train();
    next(&train, 0);
    for (int i = 0; i < 9; i++)
        assert_int_equal(next(&train, 50), INTER_ARRIVAL_STEADY);
    assert_int_equal(next(&train, 50), INTER_ARRIVAL_OVER_USING);
}

// sigma is at its floor, 100 us. After x = 400 us mu is 8 us and sigma sqrt((49 x 10^4 + 392^2) / 50) = 113.5
// us: more than 14 mu = 112. After x = 600 us mu is 12 us and sigma 129.3 us: less than 168.
UNIT_TEST(a_mean_beyond_a_14th_of_sigma_is_over_use) {
    struct train train = steady_train(402);
    assert_int_equal(next(&train, 0.4), INTER_ARRIVAL_STEADY);
    assert_float_equal(train.detector.mean_us, 8, 1e-3);
    assert_float_equal(sqrt(train.detector.variance_us2), 113.47, 1e-2);
    train = steady_train(402);
    assert_int_equal(next(&train, 0.6), INTER_ARRIVAL_OVER_USING);
    assert_float_equal(train.detector.mean_us, 12, 1e-3);
    assert_float_equal(train.detector.delay_us, 600, 1e-3);
    assert_int_equal(train.detector.drift.usage, INTER_ARRIVAL_STEADY); // S = D = 600 us < 5 sigma
    // Told once: the queue is now to drain. It does: mu falls below 0, and S is 0.
    assert_int_equal(next(&train, 0), INTER_ARRIVAL_DRAINING);
    assert_int_equal(next(&train, -0.6), INTER_ARRIVAL_STEADY);
    assert_float_equal(train.detector.mean_us, -0.475, 1e-2);
}

// sigma is 100 us again. 0.3 ms more, twice: S = D = 0.6 ms exceed 5 sigma = 0.59 ms, but not 1 ms: over-use
// stands until they shrink. From 1 ms on it counts as draining.
UNIT_TEST(below_a_millisecond_over_use_stands) {
    struct train train = steady_train(402);
    assert_int_equal(next(&train, 0.3), INTER_ARRIVAL_STEADY);
    assert_int_equal(next(&train, 0.3), INTER_ARRIVAL_OVER_USING);
    assert_int_equal(train.detector.drift.usage, INTER_ARRIVAL_OVER_USING);
    for (int i = 0; i < 50; i++)
        assert_int_equal(next(&train, 0), INTER_ARRIVAL_OVER_USING);
    assert_int_equal(next(&train, 0.5), INTER_ARRIVAL_DRAINING);
}

// x of +-1 ms in turn keep mu near 0 and sigma near 1 ms. A queue of 0.1 ms more each time drifts: D = 7
// sigma comes first, S = 5 sigma before it.
UNIT_TEST(a_sum_beyond_5_sigma_is_over_use) {
    struct train train = new_train();
    next(&train, 0);
    double flip = 1;
    for (int i = 0; i < 400; i++, flip = -flip)
        assert_int_equal(next(&train, flip), INTER_ARRIVAL_STEADY);
    const double sigma = sqrt(train.detector.variance_us2);
    assert_float_equal(sigma, 1000, 30);
    assert_float_equal(train.detector.sum_us, 0, 1e-3);
    int grown = 0;
    enum inter_arrival_usage usage = INTER_ARRIVAL_STEADY;
    for (; usage == INTER_ARRIVAL_STEADY && grown < 100; grown++, flip = -flip)
        usage = next(&train, flip + 0.06);
    assert_int_equal(usage, INTER_ARRIVAL_OVER_USING);
    // S is what grew, and the 1 ms that every other packet adds: 5 sigma of about 1 ms less 1 ms, by 0.06 ms.
    assert_in_range(grown, (5 - 1 - 0.3) / 0.06, (5 - 1 + 0.3) / 0.06 + 2);
    assert_int_equal(train.detector.slope.usage, INTER_ARRIVAL_STEADY); // mu = 60 us: less than sigma / 14
    assert_int_equal(train.detector.drift.usage, INTER_ARRIVAL_OVER_USING);
    assert_int_equal(next(&train, flip), INTER_ARRIVAL_DRAINING);
}

UNIT_TEST(a_shrinking_queue_is_under_use_until_it_is_forgotten) {
    struct train train = new_train();
    train.delay_ms = 30;
    next(&train, 0);
    for (int i = 0; i < 300; i++)
        next(&train, 0);
    assert_int_equal(next(&train, -10), INTER_ARRIVAL_UNDER_USING);
    assert_float_equal(train.detector.sum_us, -10000 + sqrt(train.detector.variance_us2) / 8, 1);
    int held = 1;
    while (next(&train, 0) == INTER_ARRIVAL_UNDER_USING)
        held++;
    // sigma begins at sqrt((49 x 2317 + 9800^2) / 50) = 1.39 ms or so, and S gains an eighth of it each time.
    assert_in_range(held, 20, 200);
    assert_float_equal(train.detector.sum_us, 0, 1e-6);
}

// --- The states ---

UNIT_TEST(two_decreases_step_up_and_five_increases_step_down) {
    struct inter_arrival_states s;
    inter_arrival_states_init(&s);
    assert_int_equal(s.rtt_ns, ns(80));
    double t = 1000;
    assert_true(inter_arrival_states_delay(&s, ns(t)));
    inter_arrival_states_decreased(&s, ns(t));
    assert_int_equal(s.state, INTER_ARRIVAL_STABLE);
    assert_false(inter_arrival_states_delay(&s, ns(t + 79))); // within the same round trip
    inter_arrival_states_decreased(&s, ns(t + 79));
    assert_int_equal(s.state, INTER_ARRIVAL_STABLE);
    inter_arrival_states_decreased(&s, ns(t += 80));
    assert_int_equal(s.state, INTER_ARRIVAL_DELAY);
    inter_arrival_states_decreased(&s, ns(t += 80));
    inter_arrival_states_increased(&s, ns(t += 80)); // forgets that decrease
    inter_arrival_states_decreased(&s, ns(t += 80));
    assert_int_equal(s.state, INTER_ARRIVAL_DELAY);
    inter_arrival_states_decreased(&s, ns(t += 80));
    assert_int_equal(s.state, INTER_ARRIVAL_COMPETING_FLOW);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(s.state, INTER_ARRIVAL_COMPETING_FLOW);
        inter_arrival_states_increased(&s, ns(t += 80));
    }
    assert_int_equal(s.state, INTER_ARRIVAL_DELAY);
    for (int i = 0; i < 5; i++)
        inter_arrival_states_increased(&s, ns(t += 80));
    assert_int_equal(s.state, INTER_ARRIVAL_STABLE);
}

UNIT_TEST(losses_alone_are_packet_loss_and_with_delay_tcp) {
    struct inter_arrival_states s;
    inter_arrival_states_init(&s);
    double t = 1000;
    for (int i = 0; i < 2; i++, t += 100) {
        assert_true(inter_arrival_states_loss(&s, ns(t)));
        inter_arrival_states_decreased(&s, ns(t));
    }
    assert_int_equal(s.state, INTER_ARRIVAL_PACKET_LOSS);
    inter_arrival_states_init(&s);
    for (int i = 0; i < 2; i++, t += 100) {
        assert_true(inter_arrival_states_delay(&s, ns(t)));
        assert_true(inter_arrival_states_loss(&s, ns(t)));
        inter_arrival_states_decreased(&s, ns(t));
    }
    assert_int_equal(s.state, INTER_ARRIVAL_DELAY);
    for (int i = 0; i < 2; i++, t += 100)
        inter_arrival_states_decreased(&s, ns(t));
    assert_int_equal(s.state, INTER_ARRIVAL_COMPETING_TCP);
}

UNIT_TEST(events_expire_after_10_seconds) {
    struct inter_arrival_states s;
    inter_arrival_states_init(&s);
    inter_arrival_states_delay(&s, ns(1000));
    inter_arrival_states_loss(&s, ns(11000)); // 10 s later: not yet
    assert_int_equal(s.delays.count, 1);
    inter_arrival_states_loss(&s, ns(11100));
    assert_int_equal(s.delays.count, 0);
    inter_arrival_states_delay(&s, ns(21200));
    assert_int_equal(s.losses.count, 0);
}

// --- The whole ---

struct sender {
    void *state;
    double now_ms, rtt_ms;
    uint64_t number;
};

static struct congestion_window look(const struct sender *s) {
    struct congestion_window window;
    inter_arrival.window(s->state, &window);
    return window;
}

static struct congestion_rtt rtt_of(const struct sender *s) {
    return (struct congestion_rtt){
        .latest_ns = ns(s->rtt_ms), .smoothed_ns = ns(s->rtt_ms), .min_ns = ns(40)};
}

static struct sender open_sender(void) {
    const struct congestion_start start = {PACKET, 10};
    struct sender s = {.state = inter_arrival.open(&inter_arrival, &start), .now_ms = 1000, .rtt_ms = 40};
    assert_non_null(s.state);
    return s;
}

// A packet sent `gap_ms` after the last, and acknowledged one by one.
static void packet(struct sender *s, double gap_ms, double more_rtt_ms) {
    s->now_ms += gap_ms + more_rtt_ms;
    s->rtt_ms += more_rtt_ms;
    inter_arrival.sent(s->state, &(struct congestion_sent){ns(s->now_ms - s->rtt_ms), PACKET, PACKET});
    const struct congestion_packet one = {++s->number, ns(s->now_ms - s->rtt_ms), PACKET, true, true};
    inter_arrival.acked(s->state, &(struct congestion_acked){.now_ns = ns(s->now_ms),
                                                             .in_flight_bytes = 2 * PACKET,
                                                             .rtt = rtt_of(s),
                                                             .packets = &one,
                                                             .packet_count = 1});
}

static void lose(struct sender *s) {
    const struct congestion_packet one = {++s->number, ns(s->now_ms - s->rtt_ms), PACKET, true, true};
    inter_arrival.lost(s->state, &(struct congestion_lost){ns(s->now_ms), 2 * PACKET, 2, rtt_of(s), &one, 1});
}

// Ten packets sent 1 ms apart that arrive 2 ms apart: 625 kB/s, of which 0.7 are 3.5 Mbit/s.
static struct sender probed(void) {
    struct sender s = open_sender();
    assert_int_equal(look(&s).pacing_bps, 9600 * 1000);
    assert_int_equal(look(&s).window_bytes, 10 * PACKET);
    assert_int_equal(look(&s).phase, CONGESTION_SLOW_START);
    for (int i = 0; i < 10; i++)
        packet(&s, 1, 1);
    assert_float_equal((double)look(&s).pacing_bps, 3.5e6, 1e3);
    assert_int_equal(look(&s).phase, CONGESTION_AVOIDANCE);
    assert_true(look(&s).window_bytes > 3.5e6 / 8);
    return s;
}

UNIT_TEST(the_probe_sets_the_first_rate) {
    struct sender s = probed();
    inter_arrival.close(s.state);
}

UNIT_TEST(a_loss_keeps_70_percent_once_in_a_round_trip) {
    struct sender s = probed();
    lose(&s);
    assert_float_equal((double)look(&s).pacing_bps, 0.7 * 3.5e6, 1e3);
    lose(&s);
    assert_float_equal((double)look(&s).pacing_bps, 0.7 * 3.5e6, 1e3);
    s.now_ms += s.rtt_ms + 20;
    lose(&s);
    assert_float_equal((double)look(&s).pacing_bps, 0.49 * 3.5e6, 1e3);
    inter_arrival.close(s.state);
}

// After steady packets the delay jumps by so many milliseconds: over-use. Returns what is kept of the rate.
static double kept_after_a_jump(double jump_ms) {
    struct sender s = probed();
    for (int i = 0; i < 200; i++)
        packet(&s, 2.857, 0);
    const double before = (double)look(&s).pacing_bps;
    assert_true(before > 3.5e6);
    packet(&s, 2.857, jump_ms);
    const double after = (double)look(&s).pacing_bps;
    packet(&s, 2.857, 0); // draining: held
    assert_float_equal((double)look(&s).pacing_bps, after, 1);
    inter_arrival.close(s.state);
    return after / before;
}

// The round trip is 50 ms, and after the jump (3 x 50 + 50 + jump) / 4: D / RTT is 0.23, 0.8 and 2.6.
UNIT_TEST(a_delay_event_takes_5_percent_or_90) {
    assert_float_equal(kept_after_a_jump(12), 0.95, 0.002);
    assert_float_equal(kept_after_a_jump(50), 0.95, 0.002);
    assert_float_equal(kept_after_a_jump(400), 0.1, 0.002);
}
