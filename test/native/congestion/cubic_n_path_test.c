// What cubic_n comes to on a link, in virtual time: how much buffer it needs, and what random loss leaves of
// it.
#include "congestion/cubic_n.h"
#include "simulated_path.h"
#include "test/native/cmocka_unit.h"

#include <math.h>

enum { PACKET = 1250 };

// A flow that keeps beta of a window of BDP + buffer leaves the link busy if beta (BDP + buffer) >= BDP.
UNIT_TEST(full_link_takes_a_buffer_of_one_over_beta_less_one) {
    const double rate_bps = 20e6, rtt_s = 0.05, bdp = rate_bps / 8 * rtt_s;
    for (unsigned n = 1; n <= CUBIC_N_MOST; n++) {
        const double enough = (1 / cubic_n_beta(n) - 1) * bdp;
        struct simulated_path path = {.rate_bps = rate_bps,
                                      .rtt_s = rtt_s,
                                      .buffer_s = enough * 8 / rate_bps,
                                      .ack_every = 1,
                                      .packet_bytes = PACKET,
                                      .seed = 1};
        struct simulated_span full = {.from_s = 20, .to_s = 120}, part = full;
        simulate_path(&cubic_n[n - 1], &path, &full, 1);
        path.buffer_s /= 4;
        simulate_path(&cubic_n[n - 1], &path, &part, 1);
        print_message("n = %u: buffer %.3f BDP %.4f, %.3f BDP %.4f\n", n, enough / bdp, full.utilization,
                      enough / bdp / 4, part.utilization);
        assert_true(full.utilization >= 0.98);
        assert_true(part.utilization < full.utilization - 0.005);
        assert_true(full.reductions > 5);
    }
}

// N sqrt(1.5 / p) packets, as N Reno flows.
UNIT_TEST(random_loss_leaves_the_window_of_n_reno_flows) {
    static const double rates[] = {0.01, 0.02};
    for (unsigned n = 1; n <= CUBIC_N_MOST; n++)
        for (size_t i = 0; i < 2; i++) {
            const struct simulated_path path = {.rate_bps = 1e9,
                                                .rtt_s = 0.05,
                                                .buffer_s = 0.008,
                                                .loss = rates[i],
                                                .ack_every = 1,
                                                .packet_bytes = PACKET,
                                                .seed = 7};
            struct simulated_span result = {.from_s = 10, .to_s = 2000};
            simulate_path(&cubic_n[n - 1], &path, &result, 1);
            const double expected = n * sqrt(1.5 / rates[i]);
            print_message("n = %u, p = %.2f: %.1f packets, expected %.1f\n", n, rates[i],
                          result.window_packets, expected);
            assert_float_equal(result.window_packets, expected, 0.15 * expected);
        }
}
