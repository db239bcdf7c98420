// cubic_n in virtual time, against RFC 9438's equations as they stand there.
#include "congestion/congestion.h"
#include "congestion/cubic_n.h"
#include "test/native/cmocka_unit.h"

#include <math.h>

enum { PACKET = 1200, NS_PER_MILLISECOND = 1000 * 1000 };
static const double RFC_C = 0.4, RFC_BETA = 0.7;

struct flow {
    const struct congestion_controller *controller;
    void *state;
    uint64_t now_ns, rtt_ns;
};

static struct flow open_flow(unsigned flows, uint64_t window_packets, unsigned rtt_ms) {
    const struct congestion_start start = {PACKET, window_packets};
    struct flow flow = {.controller = &cubic_n[flows - 1],
                        .now_ns = 1000 * (uint64_t)NS_PER_MILLISECOND,
                        .rtt_ns = (uint64_t)rtt_ms * NS_PER_MILLISECOND};
    flow.state = flow.controller->open(flow.controller, &start);
    assert_non_null(flow.state);
    return flow;
}

static void close_flow(struct flow *flow) {
    flow->controller->close(flow->state);
}

static struct congestion_window look(const struct flow *flow) {
    struct congestion_window window;
    flow->controller->window(flow->state, &window);
    return window;
}

static double packets(const struct flow *flow) {
    return (double)look(flow).window_bytes / PACKET;
}

static struct congestion_rtt rtt_of(const struct flow *flow) {
    return (struct congestion_rtt){
        .latest_ns = flow->rtt_ns, .smoothed_ns = flow->rtt_ns, .min_ns = flow->rtt_ns};
}

// One packet acknowledged that was sent a round trip ago.
static void ack(struct flow *flow, bool app_limited) {
    const struct congestion_packet packet = {.sent_ns = flow->now_ns - flow->rtt_ns, .bytes = PACKET};
    flow->controller->acked(flow->state, &(struct congestion_acked){.now_ns = flow->now_ns,
                                                                    .in_flight_bytes = PACKET,
                                                                    .app_limited = app_limited,
                                                                    .rtt = rtt_of(flow),
                                                                    .packets = &packet,
                                                                    .packet_count = 1});
}

// A window's packets acknowledged, spread over a round trip.
static void round_trip(struct flow *flow, bool app_limited) {
    const uint64_t count = look(flow).window_bytes / PACKET;
    for (uint64_t i = 0; i < count; i++) {
        flow->now_ns += flow->rtt_ns / count;
        ack(flow, app_limited);
    }
}

static void lose_sent_at(struct flow *flow, uint64_t sent_ns) {
    const struct congestion_packet packet = {
        .sent_ns = sent_ns, .bytes = PACKET, .ack_eliciting = true, .after_acked = true};
    flow->controller->lost(flow->state, &(struct congestion_lost){.now_ns = flow->now_ns,
                                                                  .in_flight_bytes = PACKET,
                                                                  .space = 2,
                                                                  .rtt = rtt_of(flow),
                                                                  .packets = &packet,
                                                                  .packet_count = 1});
}

// Then a round trip until packets sent after it are acknowledged.
static void lose(struct flow *flow) {
    lose_sent_at(flow, flow->now_ns - flow->rtt_ns / 2);
    flow->now_ns += flow->rtt_ns + 1;
    ack(flow, false);
}

UNIT_TEST(constants_are_those_of_n_flows) {
    assert_float_equal(cubic_n_beta(1), 0.7, 1e-9);
    assert_float_equal(cubic_n_alpha(1), 3 * 0.3 / 1.7, 1e-9);
    assert_float_equal(cubic_n_beta(2), 0.85, 1e-9);
    assert_float_equal(cubic_n_alpha(2), 0.973, 5e-4);
    for (unsigned n = 1; n <= CUBIC_N_MOST; n++) {
        // N Reno flows at loss rate p: N sqrt(1.5 / p). AIMD: sqrt(alpha (1 + beta) / (2 (1 - beta) p)).
        const double beta = cubic_n_beta(n);
        assert_float_equal(sqrt(cubic_n_alpha(n) * (1 + beta) / (2 * (1 - beta))), n * sqrt(1.5), 1e-6);
    }
}

UNIT_TEST(loss_keeps_beta_once_for_a_window) {
    for (unsigned n = 1; n <= CUBIC_N_MOST; n++) {
        struct flow flow = open_flow(n, 1000, 100);
        assert_int_equal(look(&flow).ssthresh_bytes, UINT64_MAX);
        const uint64_t noticed_ns = flow.now_ns;
        lose_sent_at(&flow, noticed_ns - 2);
        assert_float_equal(packets(&flow), 1000 * cubic_n_beta(n), 0.01);
        assert_int_equal(look(&flow).ssthresh_bytes, look(&flow).window_bytes);
        assert_int_equal(look(&flow).phase, CONGESTION_RECOVERY);
        flow.now_ns += 10;
        lose_sent_at(&flow, noticed_ns - 1); // the same window's
        assert_float_equal(packets(&flow), 1000 * cubic_n_beta(n), 0.01);
        lose_sent_at(&flow, noticed_ns + 1);
        assert_float_equal(packets(&flow), 1000 * cubic_n_beta(n) * cubic_n_beta(n), 0.01);
        close_flow(&flow);
    }
}

UNIT_TEST(window_is_never_below_two_packets) {
    struct flow flow = open_flow(1, 3, 100);
    for (int i = 0; i < 5; i++)
        lose(&flow);
    assert_true(packets(&flow) >= 2);
    assert_true(packets(&flow) < 2.6); // and what the last ACK added
    close_flow(&flow);
}

UNIT_TEST(window_follows_w_cubic) {
    for (unsigned n = 1; n <= CUBIC_N_MOST; n++) {
        struct flow flow = open_flow(n, 2000, 200);
        lose(&flow);
        const uint64_t epoch_ns = flow.now_ns;
        const double beta = n == 1 ? RFC_BETA : cubic_n_beta(n);
        const double k_s = cbrt(2000 * (1 - beta) / RFC_C);
        while ((double)(flow.now_ns - epoch_ns) / 1e9 < 2 * k_s) {
            round_trip(&flow, false);
            const double t_s = (double)(flow.now_ns - epoch_ns) / 1e9;
            const double w_cubic = RFC_C * pow(t_s - k_s, 3) + 2000;
            if (fabs(packets(&flow) / w_cubic - 1) > 0.02)
                fail_msg("n = %u, t = %.2f s: %.1f packets, W_cubic %.1f", n, t_s, packets(&flow), w_cubic);
        }
        close_flow(&flow);
    }
}

// On a short path W_est leads: alpha_N packets in a round trip until the window of before, then N.
UNIT_TEST(short_paths_are_reno_friendly) {
    for (unsigned n = 1; n <= CUBIC_N_MOST; n++) {
        struct flow flow = open_flow(n, 40, 10);
        lose(&flow);
        for (bool passed = false; packets(&flow) < 60;) {
            const double before = packets(&flow);
            round_trip(&flow, false);
            const double gained = packets(&flow) - before;
            const double slow = cubic_n_alpha(n);
            if (packets(&flow) < 40)
                assert_float_equal(gained, slow, 0.1 * slow);
            else if (passed)
                assert_float_equal(gained, n, 0.1 * n);
            passed = packets(&flow) >= 40;
        }
        close_flow(&flow);
    }
}

UNIT_TEST(fast_convergence_lowers_the_plateau) {
    for (unsigned n = 1; n <= 2; n++) {
        const double beta = cubic_n_beta(n);
        struct flow flow = open_flow(n, 2000, 200);
        lose(&flow);
        const double at_loss = packets(&flow);
        assert_true(at_loss < 2000);
        lose(&flow);
        const uint64_t epoch_ns = flow.now_ns;
        const double w_max = at_loss * (1 + beta) / 2;
        const double k_s = cbrt((w_max - at_loss * beta) / RFC_C);
        while ((double)(flow.now_ns - epoch_ns) / 1e9 < k_s)
            round_trip(&flow, false);
        assert_float_equal(packets(&flow), w_max, 0.02 * w_max);
        close_flow(&flow);
    }
}

UNIT_TEST(slow_start_doubles_and_ends_by_loss) {
    struct flow flow = open_flow(2, 10, 100);
    round_trip(&flow, false);
    assert_float_equal(packets(&flow), 20, 0.01);
    assert_int_equal(look(&flow).phase, CONGESTION_SLOW_START);
    round_trip(&flow, true); // the application has no more to send
    assert_float_equal(packets(&flow), 20, 0.01);
    lose(&flow);
    assert_int_equal(look(&flow).phase, CONGESTION_AVOIDANCE);
    close_flow(&flow);
}

UNIT_TEST(slow_start_ends_by_delay) {
    struct flow flow = open_flow(1, 10, 100);
    for (int i = 0; i < 3; i++)
        round_trip(&flow, false);
    flow.rtt_ns += 20 * (uint64_t)NS_PER_MILLISECOND;
    round_trip(&flow, false);
    assert_int_equal(look(&flow).phase, CONGESTION_CONSERVATIVE_SLOW_START);
    const double before = packets(&flow);
    round_trip(&flow, false);
    assert_float_equal(packets(&flow), 1.25 * before, 0.05 * before);
    for (int i = 0; i < 6; i++)
        round_trip(&flow, false);
    assert_int_equal(look(&flow).phase, CONGESTION_AVOIDANCE);
    assert_true(look(&flow).ssthresh_bytes <= look(&flow).window_bytes);
    close_flow(&flow);
}

// What t does not count: otherwise the window would leap when there is something to send again.
UNIT_TEST(idle_and_limited_times_do_not_count) {
    struct flow busy = open_flow(1, 500, 50), idle = open_flow(1, 500, 50), limited = open_flow(1, 500, 50);
    struct flow *const all[] = {&busy, &idle, &limited};
    for (size_t i = 0; i < 3; i++) {
        lose(all[i]);
        round_trip(all[i], false);
    }
    const double before = packets(&busy);
    idle.now_ns += 30ull * 1000 * NS_PER_MILLISECOND;
    idle.controller->sent(idle.state, &(struct congestion_sent){idle.now_ns, PACKET, 0});
    for (int i = 0; i < 100; i++)
        round_trip(&limited, true);
    assert_float_equal(packets(&limited), before, 0.01);
    for (size_t i = 0; i < 3; i++)
        for (int j = 0; j < 40; j++)
            round_trip(all[i], false);
    assert_true(packets(&busy) > before + 50);
    assert_float_equal(packets(&idle), packets(&busy), 0.5);
    assert_float_equal(packets(&limited), packets(&busy), 0.5);
    for (size_t i = 0; i < 3; i++)
        close_flow(all[i]);
}

UNIT_TEST(persistent_congestion_starts_over) {
    struct flow flow = open_flow(2, 100, 100);
    ack(&flow, false); // the first sample
    const uint64_t first_ns = flow.now_ns + 1, step_ns = flow.rtt_ns;
    struct congestion_packet gone[6];
    for (uint64_t i = 0; i < 6; i++)
        gone[i] = (struct congestion_packet){i, first_ns + i * step_ns, PACKET, true, false};
    flow.now_ns = first_ns + 8 * step_ns;
    struct congestion_lost lost = {
        .now_ns = flow.now_ns, .space = 2, .rtt = rtt_of(&flow), .packets = gone, .packet_count = 6};
    gone[3].after_acked = true; // something came through: an ordinary loss
    flow.controller->lost(flow.state, &lost);
    assert_float_equal(packets(&flow), 0.85 * 101, 0.01);
    gone[3].after_acked = false;
    flow.controller->lost(flow.state, &lost);
    assert_int_equal(look(&flow).window_bytes, 2 * PACKET);
    assert_int_equal(look(&flow).phase, CONGESTION_SLOW_START);
    flow.now_ns += 2 * flow.rtt_ns;
    round_trip(&flow, false);
    assert_float_equal(packets(&flow), 4, 0.01);
    close_flow(&flow);
}

UNIT_TEST(persistent_congestion_needs_a_sample) {
    struct flow flow = open_flow(1, 100, 100);
    const struct congestion_packet gone[] = {{0, flow.now_ns, PACKET, true, false},
                                             {1, flow.now_ns + 20 * flow.rtt_ns, PACKET, true, false}};
    flow.controller->lost(flow.state, &(struct congestion_lost){.now_ns = flow.now_ns + 30 * flow.rtt_ns,
                                                                .rtt = rtt_of(&flow),
                                                                .packets = gone,
                                                                .packet_count = 2});
    assert_float_equal(packets(&flow), 70, 0.01);
    close_flow(&flow);
}

UNIT_TEST(controllers_are_found_by_name) {
    assert_ptr_equal(congestion_find("cubic-n2"), &cubic_n[1]);
    assert_null(congestion_find("cubic-n9"));
    assert_null(congestion_find("cubic"));
    for (size_t i = 0; congestion_at(i); i++)
        assert_ptr_equal(congestion_find(congestion_at(i)->name), congestion_at(i));
}
