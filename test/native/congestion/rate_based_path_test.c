// What the controllers that set a rate make of a link, in virtual time: how much of it they use, how long the
// queue gets, and what they do when the link halves.
#include "simulated_path.h"
#include "test/native/cmocka_unit.h"

enum { RATES = 3, ACK_RULES = 3 };
static const double rates_bps[RATES] = {1e6, 5e6, 20e6};

static struct simulated_path path_of(double rate_bps, uint64_t ack_every) {
    return (struct simulated_path){.rate_bps = rate_bps,
                                   .rtt_s = 0.03,
                                   .buffer_s = 0.5,
                                   .jitter_s = 0.0005,
                                   .ack_every = ack_every,
                                   .packet_bytes = 1250,
                                   .seed = 1,
                                   .paced = true};
}

// From the initial window's rate GCC grows by 8 % a second, 0.83 Mbit/s at 120 ms: 20 Mbit/s take 42 s.
//
// Near convergence its rate gains g = 37 kbit/s in a second at 30 ms, 22 at 120 ms. A queue that grows by 2 %
// of the time is noticed (th = 6 ms over 60 groups of 5 ms), 4 % while th is 12 ms: it gets to 0.02^2 C / 2 g
// = 0.1 s, or four times that, at 20 Mbit/s and 30 ms; 0.18 s at 120 ms.
static const struct use {
    const struct congestion_controller *controller;
    double rtt_s, from_s, to_s;
    uint64_t acks_every[ACK_RULES];
    double queue_most_s, fast_queue_most_s; // mean; on the fastest link
} uses[] = {
    {&gcc, 0.03, 60, 120, {1, 2, 10}, 0.05, 0.3},
    {&gcc, 0.12, 60, 120, {1, 2, 10}, 0.05, 0.3},
    {&inter_arrival, 0.03, 20, 80, {1, 2}, 0.02, 0.02},
};

UNIT_TEST(uses_the_link_and_keeps_the_queue_short) {
    for (const struct use *use = uses; use < uses + sizeof uses / sizeof *uses; use++)
        for (size_t i = 0; i < RATES; i++)
            for (size_t k = 0; k < ACK_RULES && use->acks_every[k]; k++) {
                struct simulated_path path = path_of(rates_bps[i], use->acks_every[k]);
                path.rtt_s = use->rtt_s;
                struct simulated_span span = {.from_s = use->from_s, .to_s = use->to_s};
                simulate_path(use->controller, &path, &span, 1);
                print_message(
                    "%s: %2.0f Mbit/s, %3.0f ms, ACK every %2u: %.3f, queue %.1f, at most %.1f ms\n",
                    use->controller->name, path.rate_bps / 1e6, path.rtt_s * 1e3, (unsigned)path.ack_every,
                    span.utilization, span.mean_queue_s * 1e3, span.most_queue_s * 1e3);
                assert_true(span.utilization >= 0.9);
                assert_true(span.mean_queue_s <=
                            (i + 1 < RATES ? use->queue_most_s : use->fast_queue_most_s));
                assert_true(span.lost < 0.001);
            }
}

// Inter-Arrival is told of over-use once; then it holds the rate while the queue grows, so that losses have
// to end it. What it keeps afterwards is low, for its least delay is the faster link's (inter_arrival.c). GCC
// does not wait for a loss: it needs no more than half of the queue.
static const struct halving {
    const struct congestion_controller *controller;
    double buffer_s, settles_s; // how long it may take
    uint64_t acks_every[ACK_RULES];
    double lost_most; // meanwhile; half of it would be lost if it did nothing
    double utilization_least, queue_most_s, lost_then_most;
} halvings[] = {
    {&gcc, 0.5, 5, {1, 2, 10}, 0.001, 0.9, 0.1, 1},
    {&inter_arrival, 0.1, 2, {1, 2}, 0.25, 0.7, 0.02, 0.001},
};

UNIT_TEST(backs_off_when_the_link_halves) {
    for (const struct halving *row = halvings; row < halvings + sizeof halvings / sizeof *halvings; row++)
        for (size_t i = 0; i < RATES; i++)
            for (size_t k = 0; k < ACK_RULES && row->acks_every[k]; k++) {
                struct simulated_path path = path_of(rates_bps[i], row->acks_every[k]);
                path.buffer_s = row->buffer_s;
                path.changed_bps = path.rate_bps / 2;
                path.changes_s = 60;
                path.seed = 2;
                struct simulated_span spans[] = {{.from_s = 60, .to_s = 60 + row->settles_s},
                                                 {.from_s = 70, .to_s = 110}};
                simulate_path(row->controller, &path, spans, 2);
                print_message("%s: %2.0f Mbit/s, ACK every %2u: queue at most %.0f ms, lost %.3f; then %.3f, "
                              "queue %.1f ms, lost %.4f\n",
                              row->controller->name, path.rate_bps / 1e6, (unsigned)path.ack_every,
                              spans[0].most_queue_s * 1e3, spans[0].lost, spans[1].utilization,
                              spans[1].mean_queue_s * 1e3, spans[1].lost);
                assert_true(spans[0].most_queue_s <= 0.5);
                assert_true(spans[0].lost < row->lost_most);
                assert_true(spans[1].utilization >= row->utilization_least);
                assert_true(spans[1].mean_queue_s <= row->queue_most_s);
                assert_true(spans[1].lost < row->lost_then_most);
            }
}

// A queue too short for the delay to tell: GCC's loss-based controller keeps the rate near the link's.
UNIT_TEST(short_queues_are_told_by_losses) {
    struct simulated_path path = path_of(5e6, 2);
    path.buffer_s = 0.004;
    path.seed = 3;
    struct simulated_span span = {.from_s = 20, .to_s = 60};
    simulate_path(&gcc, &path, &span, 1);
    print_message("short queue: %.3f, lost %.3f\n", span.utilization, span.lost);
    assert_true(span.utilization >= 0.9);
    assert_true(span.lost < 0.15);
}
