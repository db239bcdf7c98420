// A real lab against theory: round trips, rates, losses, repairs and the report's bookkeeping, through real
// TUN devices. The bounds are wide: they hold on a busy machine. How exact the link is, is the self-test's to
// say.
#include "run.h"
#include "test/native/cmocka_unit.h"

#include <jansson.h>
#include <math.h>

// Runs `probe` on the near side of a lab with this link; what it printed. `report` gets the link's; NULL: it
// is not wanted.
static json_t *measure(const char *link, const char *const *arguments, json_t **report) {
    const char *path = unit_path("report.json");
    char *argv[24] = {PROGRAM_SHAPER_PROBE, "far", PROGRAM_TRILANE_SHAPER, "--link", (char *)link, "--report",
                      (char *)path,         "--",  PROGRAM_SHAPER_PROBE};
    for (int i = 0; arguments[i]; i++)
        argv[9 + i] = (char *)arguments[i];
    struct run run;
    run_program(&run, argv);
    if (run.status != 0) fail_msg("%s: status %d: %s", link, run.status, run.err);
    json_t *result = json_loads(run.out, 0, NULL);
    if (report) *report = json_load_file(path, 0, NULL);
    if (!result || (report && !*report)) fail_msg("%s: %s", link, run.out);
    return result;
}

static double value_of(const json_t *object, const char *key) {
    json_t *value = json_object_get(object, key);
    assert_true(json_is_number(value));
    return json_number_value(value);
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
        json_t *all, *rtt = measure(cases[i].link, (const char *[]){"rtt", "100", "5000", "64", NULL}, &all);
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
        json_t *udp = measure("10mbit/20ms,queue=200p",
                              (const char *[]){"udp", directions[i], "2", "13000000", NULL}, NULL);
        assert_within(value_of(udp, "rate_bps"), 10e6, 0.02);
        assert_true(value_of(udp, "received") < value_of(udp, "numbered"));
        json_decref(udp);
        json_t *tcp =
            measure("10mbit/20ms,queue=200p", (const char *[]){"tcp", directions[i], "2", "0.5", NULL}, NULL);
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
    json_t *all, *udp = measure("4mbit/10ms,loss=10%,queue=20p",
                                (const char *[]){"udp", "down", "3", "6000000", NULL}, &all);
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

// --- a link that does all that a link may do to packets: what was lost is repaired, unseen by the end points

static uint64_t sum(const json_t *object) {
    uint64_t sum = 0;
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)object, key, value) sum += count(object, key);
    return sum;
}

static void assert_books(const json_t *report) {
    static const char *const directions[] = {"down", "up"};
    for (int i = 0; i < 2; i++) {
        const json_t *seen = json_object_get(report, directions[i]);
        const json_t *fec = json_object_get(seen, "fec");
        assert_int_equal(count(seen, "packets_in") + count(seen, "copied_packets") +
                             count(fec, "parity_packets") + count(fec, "repaired_packets"),
                         count(seen, "packets_out") + sum(json_object_get(seen, "drops")) +
                             count(fec, "parity_arrived_packets") + count(fec, "late_packets") +
                             count(seen, "left_packets"));
    }
}

// Each seventh of data and parity packets is lost, never two of a group: the receiver misses nothing but,
// perhaps, one of the last group, which did not become full.
UNIT_TEST(losses_are_repaired_unseen) {
    json_t *report;
    // The queue takes what a sender that was held up sends at once.
    json_t *udp = measure("20mbit/10ms,queue=1000p,loss_down=every:7,fec_down=4",
                          (const char *[]){"udp", "down", "1", "8000000", NULL}, &report);
    const json_t *down = json_object_get(report, "down"), *fec = json_object_get(down, "fec");
    uint64_t lost = count(json_object_get(down, "drops"), "loss");
    assert_books(report);
    assert_true(lost > 50);
    assert_int_equal(count(fec, "failed_groups"), 0);
    assert_int_equal(count(fec, "parity_packets"), count(fec, "datagrams") / 4);
    uint64_t parity_lost = count(fec, "parity_packets") - count(fec, "parity_arrived_packets");
    assert_in_range(count(fec, "repaired_packets"), lost - parity_lost - 1, lost - parity_lost);
    assert_in_range(count(udp, "received"), count(udp, "numbered") - 1, count(udp, "numbered"));
    json_decref(udp);
    json_decref(report);
}

UNIT_TEST(books_balance_whatever_the_link_does) {
    json_t *report;
    json_t *udp = measure("8mbit/40ms,queue=5p,loss=ge:2%:40%,duplicate=2%,reorder=3%:3,onoff=300ms:50ms,"
                          "fec=3,jitter=pareto:3ms,jitter_order=free",
                          (const char *[]){"udp", "up", "1.5", "9000000", NULL}, &report);
    assert_books(report);
    const json_t *up = json_object_get(report, "up"), *drops = json_object_get(up, "drops");
    assert_true(count(drops, "queue") > 0 && count(drops, "loss") > 0 && count(drops, "off") > 0);
    assert_true(count(up, "copied_packets") > 0 && count(up, "reordered_packets") > 0);
    assert_true(count(json_object_get(up, "fec"), "repaired_packets") > 0);
    json_decref(udp);
    json_decref(report);
}

// A TCP that asks for ECN is told of the queue by marks; one that does not, by drops.
UNIT_TEST(ecn_is_asked_for_where_the_queue_marks) {
    for (int ecn = 0; ecn < 2; ecn++) {
        json_t *report;
        json_t *tcp = measure(ecn ? "10mbit/20ms,aqm=codel,ecn=on" : "10mbit/20ms,aqm=codel",
                              (const char *[]){"tcp", "up", "2", "0.5", NULL}, &report);
        const json_t *up = json_object_get(report, "up");
        assert_int_equal(count(up, "marked_packets") > 0, ecn);
        assert_int_equal(count(json_object_get(up, "drops"), "aqm") > 0, !ecn);
        json_decref(tcp);
        json_decref(report);
    }
}
