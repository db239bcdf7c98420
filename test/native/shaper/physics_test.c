// A real lab against theory: round trips, rates, losses and the report's bookkeeping, through real TUN
// devices. The bounds are wide: they hold on a busy machine. How exact the link is, is the self-test's to
// say.
#include "run.h"
#include "test/native/cmocka_unit.h"

#include <jansson.h>
#include <math.h>

// Runs `probe` on the near side of a lab with this link; what it printed.
static json_t *measure(const char *link, const char *const *arguments) {
    char *argv[24] = {PROGRAM_SHAPER_PROBE,
                      "far",
                      PROGRAM_TRILANE_SHAPER,
                      "--link",
                      (char *)link,
                      "--report",
                      (char *)(uintptr_t)unit_path("report.json"),
                      "--",
                      PROGRAM_SHAPER_PROBE};
    for (int i = 0; arguments[i]; i++)
        argv[9 + i] = (char *)arguments[i];
    struct run run;
    run_program(&run, argv);
    if (run.status != 0) fail_msg("%s: status %d: %s", link, run.status, run.err);
    json_t *result = json_loads(run.out, 0, NULL);
    if (!result) fail_msg("%s: %s", link, run.out);
    return result;
}

static double value_of(const json_t *object, const char *key) {
    json_t *value = json_object_get(object, key);
    assert_true(json_is_number(value));
    return json_number_value(value);
}

static json_t *report(void) {
    json_error_t error;
    json_t *report = json_load_file(unit_path("report.json"), 0, &error);
    if (!report) fail_msg("%s: %s", unit_path("report.json"), error.text);
    return report;
}

static void assert_within(double value, double expected, double share) {
    if (fabs(value - expected) > expected * share)
        fail_msg("%g is not within %g of %g", value, share, expected);
}

UNIT_TEST(round_trip_is_delay_plus_transmission) {
    static const struct {
        const char *link;
        double least_us;
    } cases[] = {
        {"unlimited/50ms", 50000},
        {"100mbit/20ms", 20000 + 2 * 92 * 8 / 100.0},
        {"1mbit/0ms", 2 * 92 * 8},
        {"down=1mbit,up=2mbit,delay_down=10ms,delay_up=30ms", 40000 + 92 * 8 + 92 * 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        json_t *rtt = measure(cases[i].link, (const char *[]){"rtt", "100", "5000", "64", NULL});
        json_t *all = report();
        assert_int_equal(value_of(rtt, "received"), 100);
        // A packet that woke the shaper is taken to have come a usual wake-up before it was read: one for
        // which it woke sooner leaves that much early, in each direction (wakeup_compensation.h). Wake-ups
        // that become quicker leave half of them early by a part of that.
        const double wake_us = value_of(all, "wake_ns") / 1e3;
        if (value_of(rtt, "median_us") < cases[i].least_us - wake_us ||
            value_of(rtt, "min_us") < cases[i].least_us - 2 * wake_us)
            fail_msg("%s: %g us at least and %g in the median, woken within %g us", cases[i].link,
                     value_of(rtt, "min_us"), value_of(rtt, "median_us"), wake_us);
        // The quickest: on a busy machine the others have waited for the echo to be let run.
        assert_true(value_of(rtt, "min_us") <= cases[i].least_us + 1000);
        static const char *const directions[] = {"down", "up"};
        for (int k = 0; k < 2; k++)
            assert_true(value_of(json_object_get(json_object_get(all, directions[k]), "late_ns"), "p50") <=
                        1e6);
        json_decref(all);
        json_decref(rtt);
    }
}

UNIT_TEST(saturated_link_carries_its_rate) {
    static const char *const directions[] = {"down", "up"};
    // The queue bridges moments in which a busy machine does not let the sender run.
    for (int i = 0; i < 2; i++) {
        json_t *udp =
            measure("10mbit/20ms,queue=200p", (const char *[]){"udp", directions[i], "2", "13000000", NULL});
        assert_within(value_of(udp, "rate_bps"), 10e6, 0.02);
        assert_true(value_of(udp, "received") < value_of(udp, "numbered"));
        json_decref(udp);
        json_t *tcp =
            measure("10mbit/20ms,queue=200p", (const char *[]){"tcp", directions[i], "2", "0.5", NULL});
        assert_within(value_of(tcp, "rate_bps"), 10e6 * 1448 / 1500, 0.02);
        json_decref(tcp);
    }
}

static uint64_t count(const json_t *direction, const char *key) {
    return (uint64_t)value_of(direction, key);
}

static uint64_t dropped(const json_t *direction) {
    const json_t *drops = json_object_get(direction, "drops");
    return count(drops, "queue") + count(drops, "loss") + count(drops, "not_ip") + count(drops, "refused");
}

// Loss after the link, and the books: what went in came out, was dropped or is still inside.
UNIT_TEST(losses_are_as_asked_and_every_packet_is_in_the_report) {
    json_t *udp =
        measure("4mbit/10ms,loss=10%,queue=20p", (const char *[]){"udp", "down", "3", "6000000", NULL});
    json_t *all = report();
    static const char *const directions[] = {"down", "up"};
    for (int i = 0; i < 2; i++) {
        json_t *direction = json_object_get(all, directions[i]);
        assert_int_equal(count(direction, "packets_in"), count(direction, "packets_out") +
                                                             dropped(direction) +
                                                             count(direction, "left_packets"));
    }
    json_t *down = json_object_get(all, "down");
    assert_int_equal(count(down, "packets_out"), value_of(udp, "received"));
    assert_int_equal(count(json_object_get(down, "drops"), "not_ip"), 0);
    assert_int_equal(count(down, "queue_peak_packets"), 20);
    double lost = value_of(json_object_get(down, "drops"), "loss");
    double sent = lost + value_of(down, "packets_out");
    assert_true(fabs(lost - sent * 0.1) <= 4 * sqrt(sent * 0.1 * 0.9));
    assert_true(count(json_object_get(down, "drops"), "queue") > 0);
    json_decref(all);
    json_decref(udp);
}
