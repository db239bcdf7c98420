// What GCC makes of a link, in virtual time: how much of it it uses, how long the queue gets, and what it
// does when the link halves.
#include "congestion/gcc.h"
#include "paced_path.h"
#include "test/native/cmocka_unit.h"

enum { PACKET = 1250 };

static const double rates_bps[] = {1e6, 5e6, 20e6};
static const double rtts_s[] = {0.03, 0.12};
static const uint64_t acks_every[] = {1, 2, 10};

static void uses_the_link_and_keeps_the_queue_short(void **state) {
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 2; j++)
            for (size_t k = 0; k < 3; k++) {
                const struct paced_path path = {.rate_bps = rates_bps[i],
                                                .rtt_s = rtts_s[j],
                                                .buffer_s = 0.5,
                                                .jitter_s = 0.0005,
                                                .ack_every = acks_every[k],
                                                .packet_bytes = PACKET,
                                                .seed = 1};
                // 8 % a second from the initial window's rate, 0.83 Mbit/s at 120 ms: 20 Mbit/s take 42 s.
                struct paced_span span = {.from_s = 60, .to_s = 120};
                simulate_paced(&gcc, &path, &span, 1);
                print_message("%2.0f Mbit/s, %3.0f ms, ACK every %2u: %.3f, queue %.1f, at most %.1f ms\n",
                              path.rate_bps / 1e6, path.rtt_s * 1e3, (unsigned)path.ack_every,
                              span.utilization, span.mean_queue_s * 1e3, span.most_queue_s * 1e3);
                assert_true(span.utilization >= 0.9);
                // Near convergence the rate gains g = 37 kbit/s in a second at 30 ms, 22 at 120 ms. A queue
                // that grows by 2 % of the time is noticed (th = 6 ms over 60 groups of 5 ms), 4 % while th
                // is 12 ms: it gets to 0.02^2 C / 2 g = 0.1 s, or four times that, at 20 Mbit/s and 30 ms;
                // 0.18 s at 120 ms.
                assert_true(span.mean_queue_s <= (path.rate_bps < 10e6 ? 0.05 : 0.3));
                assert_true(span.lost < 0.001);
            }
}

static void backs_off_when_the_link_halves(void **state) {
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 3; k++) {
            const struct paced_path path = {.rate_bps = rates_bps[i],
                                            .changed_bps = rates_bps[i] / 2,
                                            .changes_s = 60,
                                            .rtt_s = 0.03,
                                            .buffer_s = 0.5,
                                            .jitter_s = 0.0005,
                                            .ack_every = acks_every[k],
                                            .packet_bytes = PACKET,
                                            .seed = 2};
            struct paced_span spans[] = {{.from_s = 60, .to_s = 65}, {.from_s = 70, .to_s = 110}};
            simulate_paced(&gcc, &path, spans, 2);
            print_message(
                "%2.0f Mbit/s, ACK every %2u: queue at most %.0f ms, lost %.3f; then %.3f, queue %.1f ms\n",
                path.rate_bps / 1e6, (unsigned)path.ack_every, spans[0].most_queue_s * 1e3, spans[0].lost,
                spans[1].utilization, spans[1].mean_queue_s * 1e3);
            assert_true(spans[0].most_queue_s <= 0.5); // half of the queue: it did not wait for a loss
            assert_true(spans[0].lost < 0.001);
            assert_true(spans[1].utilization >= 0.9);
            assert_true(spans[1].mean_queue_s <= 0.1);
        }
}

// A queue too short for the delay to tell: the loss-based controller keeps the rate near the link's.
static void short_queues_are_told_by_losses(void **state) {
    const struct paced_path path = {.rate_bps = 5e6,
                                    .rtt_s = 0.03,
                                    .buffer_s = 0.004,
                                    .jitter_s = 0.0005,
                                    .ack_every = 2,
                                    .packet_bytes = PACKET,
                                    .seed = 3};
    struct paced_span span = {.from_s = 20, .to_s = 60};
    simulate_paced(&gcc, &path, &span, 1);
    print_message("short queue: %.3f, lost %.3f\n", span.utilization, span.lost);
    assert_true(span.utilization >= 0.9);
    assert_true(span.lost < 0.15);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uses_the_link_and_keeps_the_queue_short),
        cmocka_unit_test(backs_off_when_the_link_halves),
        cmocka_unit_test(short_queues_are_told_by_losses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
