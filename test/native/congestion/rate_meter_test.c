// The rate meter in virtual time.
#include "congestion/rate_meter.h"
#include "test/native/cmocka_unit.h"

enum { NS_PER_MILLISECOND = 1000 * 1000 };

// `bytes` in each of `steps` steps of a millisecond after *now_ns.
static void feed(struct rate_meter *meter, uint64_t *now_ns, int steps, uint64_t bytes) {
    for (int i = 0; i < steps; i++) {
        *now_ns += NS_PER_MILLISECOND;
        rate_meter_add(meter, *now_ns, bytes);
    }
}

UNIT_TEST(measures_the_last_half_second) {
    struct rate_meter meter = {0};
    uint64_t now_ns = 5000;
    rate_meter_add(&meter, now_ns, 1000000); // the clock starts
    feed(&meter, &now_ns, 99, 125);
    assert_float_equal(rate_meter_bps(&meter), 0, 0); // too little to tell
    feed(&meter, &now_ns, 1, 125);
    assert_float_equal(rate_meter_bps(&meter), 1e6, 1e4);
    feed(&meter, &now_ns, 1900, 125);
    assert_float_equal(rate_meter_bps(&meter), 1e6, 1e4);
    feed(&meter, &now_ns, 250, 375);
    assert_float_equal(rate_meter_bps(&meter), 2e6, 4e4); // half of it three times as fast
    feed(&meter, &now_ns, 250, 375);
    assert_float_equal(rate_meter_bps(&meter), 3e6, 3e4);
    now_ns += 10000ull * NS_PER_MILLISECOND;
    rate_meter_add(&meter, now_ns, 0);
    assert_float_equal(rate_meter_bps(&meter), 0, 0);
}

UNIT_TEST(pauses_do_not_count) {
    struct rate_meter meter = {0};
    uint64_t now_ns = 1;
    feed(&meter, &now_ns, 600, 125);
    rate_meter_pause(&meter);
    now_ns += 3000ull * NS_PER_MILLISECOND;
    feed(&meter, &now_ns, 1, 1000000); // the answer to something sent after the pause
    assert_float_equal(rate_meter_bps(&meter), 1e6, 1e4);
    feed(&meter, &now_ns, 600, 250);
    assert_float_equal(rate_meter_bps(&meter), 2e6, 2e4);
}

UNIT_TEST(times_that_go_back_count_as_the_last) {
    struct rate_meter meter = {0};
    uint64_t now_ns = 1000ull * NS_PER_MILLISECOND;
    feed(&meter, &now_ns, 600, 100);
    for (int i = 0; i < 250; i++) {
        feed(&meter, &now_ns, 2, 100);
        rate_meter_add(&meter, now_ns - 50 * NS_PER_MILLISECOND, 50);
    }
    assert_float_equal(rate_meter_bps(&meter), 1e6, 2e4);
}
