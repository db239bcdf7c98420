// What sprout_ewma comes to on links of fixed rate, in virtual time, by how often its receiver acknowledges.
// The numbers expected are those of another simulation of the same links, written by somebody else in another
// language, packet by packet: utilization over 20 s, and the mean queue over the second half.
#include "simulated_path.h"
#include "test/native/cmocka_unit.h"

#include <math.h>

enum { PACKET = 1350 };

static const struct {
    double mbit, rtt_ms;
    uint64_t ack_every;
    double utilization, queue_ms;
} expected[] = {
    {5, 30, 1, 0.9987, 67.200},
    {5, 120, 1, 0.8562, 4.782},
    {5, 300, 1, 0.9356, 6.496},
    {20, 30, 1, 0.9951, 69.360},
    {20, 120, 1, 0.8534, 3.936},
    {20, 300, 1, 0.8751, 13.898},
    {5, 30, 2, 0.9985, 66.120},
    {5, 120, 2, 0.8491, 5.046},
    {5, 300, 2, 0.9230, 6.740},
    {20, 30, 2, 0.9941, 69.090},
    {20, 120, 2, 0.8336, 4.355},
    {20, 300, 2, 0.8733, 14.197},
    {5, 30, ACKS_AS_CHROMIUM, 0.9978, 5.051},
    {5, 120, ACKS_AS_CHROMIUM, 0.5510, 10.073},
    {5, 300, ACKS_AS_CHROMIUM, 0.6000, 19.414},
    {20, 30, ACKS_AS_CHROMIUM, 0.6776, 2.792},
    {20, 120, ACKS_AS_CHROMIUM, 0.2148, 3.351},
    {20, 300, ACKS_AS_CHROMIUM, 0.3417, 12.007},
};

static struct simulated_span over(double mbit, double rtt_ms, uint64_t ack_every) {
    const struct simulated_path path = {.rate_bps = mbit * 1e6,
                                        .rtt_s = rtt_ms / 1e3,
                                        .buffer_s = INFINITY,
                                        .ack_every = ack_every,
                                        .packet_bytes = PACKET,
                                        .seed = 1};
    struct simulated_span halves[] = {{.from_s = 0, .to_s = 10}, {.from_s = 10, .to_s = 20}};
    simulate_path(&sprout_ewma, &path, halves, 2);
    halves[1].utilization = (halves[0].utilization + halves[1].utilization) / 2;
    return halves[1];
}

// Where ACKs are held back, a packet may arrive at the very moment at which one is due, and what comes first
// decides what all that follows comes to: 4 % for the queue there.
UNIT_TEST(links_are_used_as_another_simulation_has_it) {
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const double utilization = expected[i].utilization, queue_ms = expected[i].queue_ms;
        const struct simulated_span found = over(expected[i].mbit, expected[i].rtt_ms, expected[i].ack_every);
        print_message(
            "%g Mbit/s, %g ms, %.2f packets per ACK: utilization %.4f (%.4f), queue %.3f (%.3f) ms\n",
            expected[i].mbit, expected[i].rtt_ms, found.packets_per_ack, found.utilization, utilization,
            found.mean_queue_s * 1e3, queue_ms);
        const double queue_off = expected[i].ack_every == ACKS_AS_CHROMIUM ? 0.04 : 0.02;
        assert_float_equal(found.utilization, utilization, 0.02 * utilization);
        assert_float_equal(found.mean_queue_s * 1e3, queue_ms, queue_off * queue_ms);
    }
}

UNIT_TEST(short_paths_are_full_with_a_queue_of_the_rest_of_100_ms) {
    for (double mbit = 5; mbit <= 20; mbit *= 2) {
        const struct simulated_span found = over(mbit, 30, 1);
        assert_true(found.utilization >= 0.99);
        assert_true(found.mean_queue_s * 1e3 >= 66 && found.mean_queue_s * 1e3 <= 70);
    }
}

// A tenth of the ACKs leaves a fraction of a fast link.
UNIT_TEST(seldom_acks_cost_utilization) {
    const double rtts_ms[] = {30, 120, 300};
    for (size_t i = 0; i < 3; i++) {
        const struct simulated_span each = over(20, rtts_ms[i], 1);
        const struct simulated_span seldom = over(20, rtts_ms[i], ACKS_AS_CHROMIUM);
        assert_true(seldom.packets_per_ack > 8);
        assert_true(seldom.utilization < 0.75 * each.utilization);
    }
}
