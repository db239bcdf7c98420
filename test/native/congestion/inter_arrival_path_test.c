// What Inter-Arrival makes of a link, in virtual time: how much of it it uses, how long the queue gets, and
// what it does when the link halves.
#include "congestion/inter_arrival.h"
#include "paced_path.h"
#include "test/native/cmocka_unit.h"

enum { PACKET = 1250 };

static const double rates_bps[] = {1e6, 5e6, 20e6};
static const uint64_t acks_every[] = {1, 2};

static void uses_the_link_and_keeps_the_queue_short(void **state) {
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 2; k++) {
            const struct paced_path path = {.rate_bps = rates_bps[i],
                                            .rtt_s = 0.03,
                                            .buffer_s = 0.5,
                                            .jitter_s = 0.0005,
                                            .ack_every = acks_every[k],
                                            .packet_bytes = PACKET,
                                            .seed = 1};
            struct paced_span span = {.from_s = 20, .to_s = 80};
            simulate_paced(&inter_arrival, &path, &span, 1);
            print_message("%2.0f Mbit/s, ACK every %u: %.3f, queue %.1f, at most %.1f ms\n",
                          path.rate_bps / 1e6, (unsigned)path.ack_every, span.utilization,
                          span.mean_queue_s * 1e3, span.most_queue_s * 1e3);
            assert_true(span.utilization >= 0.9);
            assert_true(span.mean_queue_s <= 0.02);
            assert_true(span.lost < 0.001);
        }
}

// Over-use is told once; then the rate is held while the queue grows, so that losses have to end it. What it
// keeps afterwards is low, for its least delay is the faster link's (inter_arrival.c).
static void backs_off_when_the_link_halves(void **state) {
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 2; k++) {
            const struct paced_path path = {.rate_bps = rates_bps[i],
                                            .changed_bps = rates_bps[i] / 2,
                                            .changes_s = 60,
                                            .rtt_s = 0.03,
                                            .buffer_s = 0.1,
                                            .jitter_s = 0.0005,
                                            .ack_every = acks_every[k],
                                            .packet_bytes = PACKET,
                                            .seed = 2};
            struct paced_span spans[] = {{.from_s = 60, .to_s = 62}, {.from_s = 70, .to_s = 110}};
            simulate_paced(&inter_arrival, &path, spans, 2);
            print_message("%2.0f Mbit/s, ACK every %u: lost %.3f; then %.3f, queue %.1f ms, lost %.4f\n",
                          path.rate_bps / 1e6, (unsigned)path.ack_every, spans[0].lost, spans[1].utilization,
                          spans[1].mean_queue_s * 1e3, spans[1].lost);
            assert_true(spans[0].lost < 0.25); // half of it would be lost otherwise
            assert_true(spans[1].lost < 0.001);
            assert_true(spans[1].utilization >= 0.7);
            assert_true(spans[1].mean_queue_s <= 0.02);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uses_the_link_and_keeps_the_queue_short),
        cmocka_unit_test(backs_off_when_the_link_halves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
