// CoDel against RFC 8289: when the first packet is dropped, by which law the next ones are, when it stops and
// where it begins again, and what it does to a sender that listens.
#include "../aimd.h"
#include "../ledger.h"
#include "test/native/cmocka_unit.h"

#include <math.h>

#define MS UINT64_C(1000000)

enum { PACKET_NS = 1000000 }; // 1250 bytes at 10 Mbit/s

static const struct queue_settings codel = {.discipline = QUEUE_CODEL};

// A packet every period_ns, from start to end.
static void send_stream(struct ledger *ledger, uint64_t start_ns, uint64_t end_ns, uint64_t period_ns,
                        uint8_t ecn) {
    for (uint64_t now_ns = start_ns; now_ns < end_ns; now_ns += period_ns)
        ledger_send(ledger, 0, (uint32_t)(now_ns / period_ns), 1250, ecn, now_ns);
}

LEDGER_TEST(first_drop_comes_an_interval_after_the_target_was_passed) {
    ledger_link(ledger, &ten_megabit, &codel);
    send_stream(ledger, 0, 1000 * MS, PACKET_NS * 9 / 10, 0);
    // The first packet that had waited 5 ms when it was taken, and the first to be taken 100 ms later.
    uint64_t above_ns = 0;
    for (uint32_t i = 0; i < ledger->outs && above_ns == 0; i++)
        if (ledger->out[i].waited_ns >= 5 * MS + PACKET_NS) above_ns = ledger->out[i].time_ns - PACKET_NS;
    assert_true(above_ns > 40 * MS);
    assert_int_equal(ledger->drop[0].time_ns, above_ns + 100 * MS);
    assert_int_equal(ledger->drop[0].reason, DROP_AQM);
    ledger_check(ledger);
}

// Each drop comes interval / sqrt(count) after the one before was due, at the next moment at which the link
// takes a packet.
LEDGER_TEST(drops_follow_the_control_law) {
    ledger_link(ledger, &ten_megabit, &codel);
    send_stream(ledger, 0, 3000 * MS, PACKET_NS / 2, 0);
    assert_true(ledger->drops > 200);
    double due_ns = (double)ledger->drop[0].time_ns;
    for (uint32_t i = 1; i < 200; i++) {
        due_ns += 1e8 / sqrt(i);
        double seen_ns = (double)ledger->drop[i].time_ns;
        assert_true(seen_ns >= due_ns - i && seen_ns < due_ns + PACKET_NS); // whole nanoseconds
    }
    assert_int_equal(ledger->link.queue.aqm_drops, ledger->drops);
    assert_int_equal(ledger->link.queue.drops, 0);
}

LEDGER_TEST(short_queues_are_left_alone) {
    struct rate_settings rate = constant_rate(10000000);
    ledger_link(ledger, &rate, &codel);
    // Bursts of 90 ms that drain each time: the queue is good.
    for (uint64_t burst = 0; burst < 50; burst++) {
        for (uint32_t i = 0; i < 90; i++)
            ledger_send(ledger, 0, i, 1250, 0, burst * 100 * MS);
    }
    ledger_advance(ledger, 10000 * MS);
    assert_int_equal(ledger->drops, 0);
    // On a slow link one packet alone takes longer than the target: never more than one waits.
    rate = constant_rate(500000);
    ledger_link(ledger, &rate, &codel);
    for (uint32_t i = 0; i < 300; i++) {
        ledger_send(ledger, 0, i, 1250, 0, i * 20 * MS);
        if (i == 0) ledger_send(ledger, 0, i, 1250, 0, 0);
    }
    ledger_advance(ledger, 10000 * MS);
    assert_true(ledger->out[200].waited_ns >= 20 * MS);
    assert_int_equal(ledger->drops, 0);
}

LEDGER_TEST(it_begins_again_where_it_was_left) {
    ledger_link(ledger, &ten_megabit, &codel);
    send_stream(ledger, 0, 1000 * MS, PACKET_NS * 8 / 10, 0);
    uint32_t count = ledger->link.queue.codel.count;
    assert_true(ledger->link.queue.codel.dropping && count > 20);
    ledger_advance(ledger, 1500 * MS); // it drains: the state is left
    uint32_t left_at = ledger->link.queue.codel.count, last = ledger->link.queue.codel.last_count;
    assert_false(ledger->link.queue.codel.dropping);
    assert_true(left_at >= count && last == 1);
    uint32_t before = ledger->drops;
    send_stream(ledger, 1500 * MS, 1800 * MS, PACKET_NS * 8 / 10, 0);
    assert_true(ledger->drops > before + 1);
    double gap_ns = (double)(ledger->drop[before + 1].time_ns - ledger->drop[before].time_ns);
    assert_true(fabs(gap_ns - 1e8 / sqrt(left_at - last)) <= PACKET_NS);
    // Long after, it begins at one.
    ledger_advance(ledger, 5000 * MS);
    before = ledger->drops;
    send_stream(ledger, 5000 * MS, 5400 * MS, PACKET_NS * 8 / 10, 0);
    gap_ns = (double)(ledger->drop[before + 1].time_ns - ledger->drop[before].time_ns);
    assert_true(fabs(gap_ns - 1e8) <= PACKET_NS);
}

// The same times, and nothing lost.
LEDGER_TEST(packets_are_marked_instead) {
    struct queue_settings marking = codel;
    marking.ecn = true;
    ledger_link(ledger, &ten_megabit, &marking);
    send_stream(ledger, 0, 1000 * MS, PACKET_NS * 9 / 10, 2);
    ledger_advance(ledger, 2000 * MS);
    assert_int_equal(ledger->drops, 0);
    uint32_t marks = 0;
    double due_ns = 0;
    for (uint32_t i = 0; i < ledger->outs; i++) {
        if (ledger->out[i].ecn != 3) continue;
        double seen_ns = (double)(ledger->out[i].time_ns - PACKET_NS);
        if (marks == 0)
            due_ns = seen_ns;
        else
            due_ns += 1e8 / sqrt(marks);
        assert_true(seen_ns >= due_ns - marks && seen_ns < due_ns + PACKET_NS);
        marks++;
    }
    assert_true(marks > 20);
    assert_int_equal(marks, ledger->link.queue.marks);
    // Who does not speak ECN is dropped from.
    ledger_link(ledger, &ten_megabit, &marking);
    send_stream(ledger, 0, 1000 * MS, PACKET_NS * 9 / 10, 0);
    assert_true(ledger->drops > 20);
    assert_int_equal(ledger->link.queue.marks, 0);
}

LEDGER_TEST(a_sender_that_listens_keeps_the_queue_short_and_the_link_busy) {
    struct aimd tail = aimd_run(ledger, &ten_megabit, &(struct queue_settings){.limit_packets = 1000});
    struct aimd aqm = aimd_run(ledger, &ten_megabit, &codel);
    print_message("drop-tail: %.1f ms, %.1f %%; CoDel: %.1f ms, %.1f %%\n", tail.mean_wait_ms,
                  100 * tail.utilization, aqm.mean_wait_ms, 100 * aqm.utilization);
    assert_true(tail.mean_wait_ms > 80);
    assert_true(aqm.mean_wait_ms < 10);
    assert_true(aqm.utilization > 0.8);
}
