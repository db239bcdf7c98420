// punctual: the lead settles where wake-ups need it, and waiting awake stays a small share of the time.
#include "shaper/punctual.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { WAKES = 20000 };

// What wake-ups on a machine with this lateness come to, one every `interval_ns`.
struct outcome {
    int late; // of the last half
    uint64_t awake_ns;
    uint64_t total_ns;
};

static struct outcome run(uint64_t interval_ns, uint64_t (*lateness_ns)(int wake)) {
    struct punctual punctual;
    struct outcome outcome = {0};
    const uint64_t start_ns = 1000000000;
    uint64_t now_ns = start_ns;
    punctual_open(&punctual, now_ns);
    srand(17);
    for (int i = 0; i < WAKES; i++) {
        uint64_t due_ns = now_ns + interval_ns;
        uint64_t timer_ns = punctual_timer_ns(&punctual, due_ns);
        assert_true(timer_ns <= due_ns);
        uint64_t asleep_until_ns = timer_ns > now_ns ? timer_ns : now_ns;
        uint64_t woke_ns = asleep_until_ns + lateness_ns(i);
        uint64_t wait_ns = punctual_woke(&punctual, timer_ns, due_ns, woke_ns);
        if (woke_ns < due_ns && wait_ns > 0) assert_true(woke_ns + wait_ns == due_ns);
        if (woke_ns >= due_ns) assert_true(wait_ns == 0);
        if (i >= WAKES / 2 && woke_ns > due_ns) outcome.late++;
        outcome.awake_ns += wait_ns;
        now_ns = woke_ns > due_ns ? woke_ns : due_ns;
    }
    outcome.total_ns = now_ns - start_ns;
    return outcome;
}

static uint64_t spread_ns(int wake) {
    (void)wake;
    return 20000 + (uint64_t)(rand() % 40000);
}

static uint64_t mostly_prompt_ns(int wake) {
    return wake % 100 == 0 ? 7000000 : 30000;
}

static void three_of_four_wake_ups_are_on_time(void **state) {
    (void)state;
    struct outcome outcome = run(1000000, spread_ns);
    assert_true(outcome.late < WAKES / 2 * 0.30 && outcome.late > WAKES / 2 * 0.20);
    assert_true(outcome.awake_ns <= outcome.total_ns / 32 + 2000000);
}

static void rare_stalls_do_not_move_the_lead(void **state) {
    (void)state;
    struct outcome outcome = run(1000000, mostly_prompt_ns);
    assert_true(outcome.late < WAKES / 2 * 0.35);
    assert_true(outcome.awake_ns <= outcome.total_ns / 100);
}

// At 80 000 wake-ups a second there is no time to wait: the share holds, and packets are late instead.
static void waiting_awake_keeps_to_its_share(void **state) {
    (void)state;
    struct outcome outcome = run(12000, spread_ns);
    assert_true(outcome.awake_ns <= outcome.total_ns / 32 + 2000000);
    outcome = run(100000, spread_ns);
    assert_true(outcome.awake_ns <= outcome.total_ns / 32 + 2000000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_of_four_wake_ups_are_on_time),
        cmocka_unit_test(rare_stalls_do_not_move_the_lead),
        cmocka_unit_test(waiting_awake_keeps_to_its_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
