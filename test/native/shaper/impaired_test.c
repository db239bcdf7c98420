// A real lab whose link does all that a link may do to packets: what was lost is repaired, unseen by the end
// points, and the report's books balance.
#include "run.h"
#include "test/native/cmocka_unit.h"

#include <jansson.h>

// Runs `probe` on the near side of a lab with this link; what it printed. `report` gets the link's.
static json_t *measure(const char *link, const char *const arguments[4], json_t **report) {
    char *argv[16] = {PROGRAM_SHAPER_PROBE,
                      "far",
                      PROGRAM_TRILANE_SHAPER,
                      "--link",
                      (char *)link,
                      "--report",
                      (char *)(uintptr_t)unit_path("report.json"),
                      "--",
                      PROGRAM_SHAPER_PROBE};
    for (int i = 0; i < 4; i++)
        argv[9 + i] = (char *)arguments[i];
    struct run run;
    run_program(&run, argv);
    if (run.status != 0) fail_msg("%s: status %d: %s", link, run.status, run.err);
    json_t *result = json_loads(run.out, 0, NULL);
    *report = json_load_file(unit_path("report.json"), 0, NULL);
    if (!result || !*report) fail_msg("%s: %s", link, run.out);
    return result;
}

static uint64_t count(const json_t *object, const char *key) {
    json_t *value = json_object_get(object, key);
    if (!json_is_integer(value)) fail_msg("no %s", key);
    return (uint64_t)json_integer_value(value);
}

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
                          (const char *[]){"udp", "down", "1", "8000000"}, &report);
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
                          (const char *[]){"udp", "up", "1.5", "9000000"}, &report);
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
                              (const char *[]){"tcp", "up", "2", "0.5"}, &report);
        const json_t *up = json_object_get(report, "up");
        assert_int_equal(count(up, "marked_packets") > 0, ecn);
        assert_int_equal(count(json_object_get(up, "drops"), "aqm") > 0, !ecn);
        json_decref(tcp);
        json_decref(report);
    }
}
