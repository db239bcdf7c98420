// wakeup_compensation: the lead settles where wake-ups need it, waiting awake and wake-ups keep to their
// budget, and what a wake-up takes is learned.
#include "shaper/tun/wakeup_compensation.h"
#include "test/native/cmocka_unit.h"

enum { WAKES = 20000 };

// What wake-ups on a machine with this lateness come to, with something due every `interval_ns`.
struct outcome {
    int late; // wake-ups of the last half
    int wakes;
    uint64_t latest_ns; // of the last half, beyond what the machine was late
    uint64_t awake_ns;
    uint64_t total_ns;
    uint64_t spent_ns; // CPU time, without waiting awake
    uint64_t wake_ns;  // as learned
};

static const uint64_t wake_cost_ns = 25000, packet_cost_ns = 5500;

static struct outcome run(uint64_t interval_ns, bool queued, uint64_t (*lateness_ns)(int wake)) {
    struct wakeup_compensation wakeup_compensation;
    struct outcome outcome = {0};
    uint64_t spent_ns = 0;
    const uint64_t start_ns = 1000000000;
    uint64_t now_ns = start_ns, due_ns = start_ns + interval_ns;
    wakeup_compensation_open(&wakeup_compensation, now_ns);
    srand(17);
    for (int i = 0; due_ns < start_ns + WAKES * interval_ns; i++) {
        uint64_t timer_ns = wakeup_compensation_timer_ns(&wakeup_compensation, due_ns);
        bool asleep = timer_ns > now_ns;
        uint64_t machine_ns = asleep ? lateness_ns(i) : 0;
        uint64_t woke_ns = (asleep ? timer_ns : now_ns) + machine_ns;
        if (asleep) wakeup_compensation_slept(&wakeup_compensation, timer_ns, woke_ns);
        uint64_t wait_ns = wakeup_compensation_woke(&wakeup_compensation, due_ns, woke_ns);
        if (woke_ns < due_ns && wait_ns > 0) assert_true(woke_ns + wait_ns == due_ns);
        if (woke_ns >= due_ns) assert_true(wait_ns == 0);
        if (due_ns > start_ns + WAKES / 2 * interval_ns && woke_ns > due_ns) {
            outcome.late++;
            uint64_t late_ns = woke_ns - due_ns;
            if (late_ns > machine_ns && late_ns - machine_ns > outcome.latest_ns)
                outcome.latest_ns = late_ns - machine_ns;
        }
        outcome.awake_ns += wait_ns;
        outcome.wakes++;
        now_ns = woke_ns > due_ns ? woke_ns : due_ns;
        uint64_t packets = 0;
        for (; due_ns <= now_ns; packets++)
            due_ns += interval_ns;
        spent_ns += wake_cost_ns + packets * packet_cost_ns;
        wakeup_compensation_spent(&wakeup_compensation, spent_ns, queued, now_ns);
    }
    outcome.spent_ns = spent_ns;
    outcome.total_ns = now_ns - start_ns;
    outcome.wake_ns = wakeup_compensation.wake_ns;
    return outcome;
}

static uint64_t spread_ns(int wake) {
    (void)wake;
    return 20000 + (uint64_t)(rand() % 40000);
}

static uint64_t mostly_prompt_ns(int wake) {
    return wake % 100 == 0 ? 7000000 : 30000;
}

UNIT_TEST(three_of_four_wake_ups_are_on_time) {
    struct outcome outcome = run(1000000, false, spread_ns);
    assert_true(outcome.late < WAKES / 2 * 0.30 && outcome.late > WAKES / 2 * 0.20);
    assert_true(outcome.awake_ns <= outcome.total_ns / 16 + 4000000);
}

UNIT_TEST(rare_stalls_do_not_move_the_lead) {
    struct outcome outcome = run(1000000, false, mostly_prompt_ns);
    assert_true(outcome.late < WAKES / 2 * 0.35);
    assert_true(outcome.awake_ns <= outcome.total_ns / 100);
}

// At 80 000 wake-ups a second there is no time to wait: the share holds, and packets are late instead.
UNIT_TEST(waiting_awake_keeps_to_its_share) {
    struct outcome outcome = run(12000, true, spread_ns);
    assert_true(outcome.awake_ns <= outcome.total_ns / 16 + 4000000);
    outcome = run(300000, false, spread_ns);
    assert_true(outcome.awake_ns <= outcome.total_ns / 16 + 4000000);
}

// Packets every 12 us (1 Gbit/s) leave many at a wake-up, none of them later than a gap. A wake-up for each
// of those every 120 us (100 Mbit/s) would take a quarter of a core: while packets queue it is less than 8 %.
UNIT_TEST(a_busy_link_wakes_us_no_more_often_than_agreed) {
    struct outcome outcome = run(12000, true, spread_ns);
    assert_true((uint64_t)outcome.wakes <= outcome.total_ns / WAKEUP_COMPENSATION_GAP_NS + 1500);
    assert_true(outcome.latest_ns <= WAKEUP_COMPENSATION_GAP_NS);
    outcome = run(120000, true, spread_ns);
    assert_true(outcome.spent_ns <= outcome.total_ns / 14 + 42000000);
    assert_true(outcome.latest_ns <= WAKEUP_COMPENSATION_GAP_NS);
}

// Packets every 250 us (2000 a second each way, as the self-test sends) that do not queue each have a wake-up
// of their own; and the savings give one to each of those that queue at first.
UNIT_TEST(packets_that_do_not_queue_are_each_on_time) {
    struct outcome outcome = run(250000, false, spread_ns);
    assert_true(outcome.wakes >= WAKES - 2);
    outcome = run(250000, true, spread_ns);
    assert_true(outcome.wakes < WAKES * 3 / 4 && outcome.wakes > WAKES / 4);
}

UNIT_TEST(a_budget_used_up_is_told_and_comes_back) {
    struct wakeup_compensation wakeup_compensation;
    uint64_t now_ns = 1000000000, spent_ns = 0;
    wakeup_compensation_open(&wakeup_compensation, now_ns);
    assert_false(wakeup_compensation_busy(&wakeup_compensation, now_ns));
    int free_wakes = 0;
    for (; !wakeup_compensation_busy(&wakeup_compensation, now_ns) && free_wakes < 10000; free_wakes++) {
        wakeup_compensation_woke(&wakeup_compensation, now_ns, now_ns);
        spent_ns += wake_cost_ns + packet_cost_ns;
        wakeup_compensation_spent(&wakeup_compensation, spent_ns, true, now_ns);
    }
    assert_true(free_wakes > 1000 && free_wakes < 2000); // 40 ms of them
    uint64_t due_ns = now_ns + 20000;
    assert_true(wakeup_compensation_timer_ns(&wakeup_compensation, due_ns) > due_ns);
    assert_true(wakeup_compensation_timer_ns(&wakeup_compensation, due_ns) <=
                now_ns + WAKEUP_COMPENSATION_GAP_NS);
    assert_true(wakeup_compensation_woke(&wakeup_compensation, due_ns, now_ns) ==
                0); // no waiting awake either
    now_ns += WAKEUP_COMPENSATION_GAP_NS;
    wakeup_compensation_spent(&wakeup_compensation, spent_ns, true, now_ns);
    assert_false(wakeup_compensation_busy(&wakeup_compensation, now_ns));
    assert_true(wakeup_compensation_timer_ns(&wakeup_compensation, now_ns + 500000) <= now_ns + 500000);
}

UNIT_TEST(what_a_wake_up_takes_is_its_median) {
    assert_true(labs((long)run(1000000, false, spread_ns).wake_ns - 40000) < 6000);
    assert_true(labs((long)run(1000000, false, mostly_prompt_ns).wake_ns - 30000) < 3000);
}

UNIT_TEST(an_arrival_is_set_back_no_further_than_we_slept) {
    struct wakeup_compensation wakeup_compensation;
    wakeup_compensation_open(&wakeup_compensation, 1000000000);
    wakeup_compensation.wake_ns = 35000;
    assert_int_equal(wakeup_compensation_arrived_ns(&wakeup_compensation, 1000000000, 1000500000),
                     1000465000);
    assert_int_equal(wakeup_compensation_arrived_ns(&wakeup_compensation, 1000000000, 1000035000),
                     1000000000);
    assert_int_equal(wakeup_compensation_arrived_ns(&wakeup_compensation, 1000000000, 1000002000),
                     1000000000);
    assert_int_equal(wakeup_compensation_arrived_ns(&wakeup_compensation, 1000000000, 1000000000),
                     1000000000);
    assert_int_equal(wakeup_compensation_found_ns(1000000000, 1000500000), 1000250000);
}
