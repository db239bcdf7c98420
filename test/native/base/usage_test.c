// usage: what work costs this process, and counters of perf_event_open, which not every machine has.
#include "base/clock.h"
#include "base/usage.h"
#include "test/native/cmocka_unit.h"

#include <linux/perf_event.h>
#include <pthread.h>

static const uint64_t work_ns = 30 * NS_PER_MS;

static void *work(void *unused) {
    struct usage_meter none = {.cycles = {.fd = -1}};
    (void)unused;
    const struct usage from = usage_now(&none);
    // By the process's own clock: another process may have the CPU meanwhile.
    for (struct usage now = from;
         now.user_us + now.system_us - from.user_us - from.system_us < work_ns / 1000;)
        now = usage_now(&none);
    return NULL;
}

UNIT_TEST(work_is_counted_once) {
    struct usage_meter meter;
    struct usage sum = {0};
    usage_meter_open(&meter, true);
    const struct usage from = usage_now(&meter);
    work(NULL);
    usage_add(&meter, &sum, &from);
    assert_in_range(sum.user_us + sum.system_us, work_ns / 1000, 20 * work_ns / 1000);
    if (meter.cycles.why)
        assert_int_equal(sum.cycles, 0);
    else
        assert_true(sum.cycles > 0);
    usage_meter_close(&meter);
}

UNIT_TEST(waiting_is_a_voluntary_switch) {
    struct usage_meter meter;
    struct usage sum = {0};
    usage_meter_open(&meter, false);
    const struct usage from = usage_now(&meter);
    const struct timespec wait = {.tv_nsec = 1000000};
    for (int i = 0; i < 5; i++)
        nanosleep(&wait, NULL);
    usage_add(&meter, &sum, &from);
    assert_true(sum.voluntary >= 5);
    usage_meter_close(&meter);
}

// A clock that every kernel with such events has, whatever the machine: it counts nanoseconds on a CPU.
static uint64_t counted(bool with_threads) {
    struct perf_counter counter;
    pthread_t thread;
    perf_counter_open(&counter, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, with_threads);
    if (counter.why) {
        print_message("%s\n", counter.why);
        skip();
    }
    assert_int_equal(pthread_create(&thread, NULL, work, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    const uint64_t count = perf_counter_read(&counter);
    perf_counter_close(&counter);
    return count;
}

UNIT_TEST(threads_are_counted_where_they_are_asked_for) {
    assert_true(counted(true) >= work_ns / 2);
    assert_true(counted(false) < work_ns / 2);
}

UNIT_TEST(what_is_not_there_has_a_reason) {
    struct perf_counter counter;
    perf_counter_open(&counter, PERF_TYPE_HARDWARE, 9999, false);
    assert_int_equal(counter.fd, -1);
    assert_true(strlen(counter.why) > 0);
    assert_int_equal(perf_counter_read(&counter), 0);
    perf_counter_close(&counter);
}
