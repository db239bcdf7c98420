// PIE against RFC 8033: the controller and its table of steps, the measured rate of departures, the burst
// allowance, the safeguards against unlucky drops, marks, rest, and what it does to senders.
#include "../aimd.h"
#include "../datagram.h"
#include "../ledger.h"
#include "test/native/cmocka_unit.h"

#include <math.h>

#define MS UINT64_C(1000000)

enum { PACKET_NS = 1000000 }; // 1250 bytes at 10 Mbit/s

static const struct queue_settings pie = {.discipline = QUEUE_PIE};

static struct packet *datagram(struct ledger *ledger, uint32_t number) {
    struct packet *packet = packet_take(&ledger->pool);
    assert_non_null(packet);
    datagram_make(packet, 4, 0, number, 1222, 0);
    return packet;
}

// The RFC's text, in seconds.
struct controller {
    double probability, delay_old_s;
};

static void update(struct controller *controller, double delay_s) {
    double p = 0.125 * (delay_s - 0.015) + 1.25 * (delay_s - controller->delay_old_s);
    double before = controller->probability;
    if (before < 0.000001)
        p /= 2048;
    else if (before < 0.00001)
        p /= 512;
    else if (before < 0.0001)
        p /= 128;
    else if (before < 0.001)
        p /= 32;
    else if (before < 0.01)
        p /= 8;
    else if (before < 0.1)
        p /= 2;
    if (before >= 0.1 && p > 0.02) p = 0.02;
    controller->probability += p;
    if (delay_s < 0.0075 && controller->delay_old_s < 0.0075) controller->probability *= 0.98;
    if (controller->probability < 0) controller->probability = 0;
    if (controller->probability > 1) controller->probability = 1;
    controller->delay_old_s = delay_s;
}

// A queue whose length is set from outside, at each update another: up and down through the whole table.
LEDGER_TEST(probability_follows_the_controller) {
    struct queue *queue = calloc(1, sizeof *queue);
    assert_non_null(queue);
    queue_open(queue, &ledger->pool, NULL, &pie, 1, 1);
    for (uint32_t i = 0; i < 14; i++)
        queue_put(queue, datagram(ledger, i), false, 0);
    assert_true(queue->pie.active);
    queue->pie.departure_ns = 16384 * 800; // 10 Mbit/s
    struct controller controller = {0};
    double most = 0, least_after = 1;
    uint64_t now_ns = 0;
    for (uint32_t turn = 1; turn <= 6000; turn++) {
        update(&controller, (double)queue->size_bytes * 800 / 1e9);
        now_ns += 15 * MS;
        struct packet *packet = queue_get(queue, now_ns);
        uint32_t wanted = turn < 1500   ? 10 + turn % 40
                          : turn < 4500 ? 6
                          : turn < 5000 ? 100 + turn % 10 * 5
                                        : 3;
        for (; packet; packet = queue->packets >= wanted ? queue_remove(queue, &queue->fifo) : NULL)
            packet_return(&ledger->pool, packet);
        while (queue->packets < wanted)
            queue_add(queue, &queue->fifo, datagram(ledger, turn));
        queue->pie.measuring = false;
        queue->pie.departure_ns = 16384 * 800;
        assert_true(fabs(queue->pie.drop_probability - controller.probability) < 1e-9);
        if (queue->pie.drop_probability > most) most = queue->pie.drop_probability;
        if (turn > 1500 && queue->pie.drop_probability < least_after)
            least_after = queue->pie.drop_probability;
    }
    assert_true(most > 0.5 && least_after < 1e-6); // all rows of the table
    free(queue);
}

// At 10 Mbit/s, 2^14 bytes take 13.1 ms; when the rate changes, the average follows.
LEDGER_TEST(rate_of_departures_is_measured) {
    struct rate_settings rate = {.kind = RATE_STEPS,
                                 .steps_bps = {.count = 2, .step = {{0, 10000000}, {2000 * MS, 20000000}}}};
    ledger_link(ledger, &rate, &pie);
    for (uint64_t now_ns = 0; now_ns < 4000 * MS; now_ns += PACKET_NS / 4) {
        ledger_send(ledger, 0, 0, 1250, 0, now_ns);
        if (now_ns == 1900 * MS)
            assert_true(fabs(ledger->link.queue.pie.departure_ns / 13107200 - 1) < 0.001);
    }
    assert_true(fabs(ledger->link.queue.pie.departure_ns / 6553600 - 1) < 0.001);
}

// 150 ms from when it becomes active, whatever comes.
LEDGER_TEST(bursts_are_let_through) {
    ledger_link(ledger, &ten_megabit, &pie);
    uint64_t active_ns = 0;
    for (uint64_t now_ns = 0; now_ns < 2000 * MS; now_ns += PACKET_NS / 4) {
        ledger_send(ledger, 0, 0, 1250, 0, now_ns);
        if (ledger->link.queue.pie.active && active_ns == 0) active_ns = now_ns;
    }
    assert_true(active_ns > 0 && ledger->drops > 100);
    assert_true(ledger->drop[0].time_ns >= active_ns + 150 * MS);
    assert_true(ledger->drop[0].time_ns < active_ns + 500 * MS);
    for (uint32_t i = 0; i < ledger->drops; i++)
        assert_int_equal(ledger->drop[i].reason, DROP_AQM);
    ledger_check(ledger);
}

// Where the queue has been short for long, without ever being empty, a burst is let through as at first.
LEDGER_TEST(the_allowance_is_renewed_in_calm) {
    ledger_link(ledger, &ten_megabit, &pie);
    for (uint32_t i = 0; i < 3; i++)
        ledger_send(ledger, 0, i, 1250, 0, 0);
    for (uint64_t now_ns = PACKET_NS; now_ns < 10000 * MS; now_ns += PACKET_NS)
        ledger_send(ledger, 0, 0, 1250, 0, now_ns);
    assert_int_equal(ledger->link.queue.packets, 2);
    assert_int_equal(ledger->link.queue.pie.burst_allowance_ns, 150 * MS);
    for (uint64_t now_ns = 10000 * MS; now_ns < 11000 * MS; now_ns += PACKET_NS / 4)
        ledger_send(ledger, 0, 0, 1250, 0, now_ns);
    assert_true(ledger->drops > 20 && ledger->drop[0].time_ns >= 10150 * MS);
}

// However much the queue may hold: a sender that fills any queue meets a short one.
LEDGER_TEST(the_limit_does_not_matter) {
    struct queue_settings queue = pie;
    queue.limit_packets = 100000;
    struct aimd huge = aimd_run(ledger, &ten_megabit, &queue);
    assert_true(huge.mean_wait_ms < 25);
    assert_int_equal(ledger->drop[0].reason, DROP_AQM);
}

// 12 Mbit/s that do not listen, over a link of 10: one in six is dropped, and the queue is 15 ms long.
LEDGER_TEST(overload_is_held_at_the_target) {
    ledger_link(ledger, &ten_megabit, &pie);
    for (uint64_t i = 0; i < 72000; i++)
        ledger_send(ledger, 0, (uint32_t)i, 1250, 0, i * PACKET_NS * 10 / 12);
    double wait_ns = 0;
    uint32_t count = 0, drops = 0, closest = UINT32_MAX, furthest = 0;
    for (uint32_t i = 0; i < ledger->outs; i++)
        if (ledger->out[i].time_ns > 30000 * MS) {
            wait_ns += (double)(ledger->out[i].waited_ns - PACKET_NS); // in the queue
            count++;
        }
    for (uint32_t i = 0; i < ledger->drops; i++)
        if (ledger->drop[i].time_ns > 30000 * MS) {
            uint32_t gap = ledger->drop[i].number - ledger->drop[i - 1].number;
            if (gap < closest) closest = gap;
            if (gap > furthest) furthest = gap;
            drops++;
        }
    print_message("PIE: %.2f ms, %.4f dropped, %u to %u apart\n", wait_ns / count / 1e6,
                  (double)drops / (drops + count), closest, furthest);
    assert_true(fabs(wait_ns / count / 1e6 - 15) < 1.5);
    assert_true(fabs((double)drops / (drops + count) - 1.0 / 6) < 0.005);
    // Not before 0.85 of probability has come together, and not after 8.5.
    assert_true(closest >= 3 && furthest <= 80);
    ledger_check(ledger);
}

LEDGER_TEST(packets_are_marked_while_few_are) {
    struct queue_settings marking = pie;
    marking.ecn = true;
    ledger_link(ledger, &ten_megabit, &marking);
    uint64_t now_ns = 0;
    for (uint32_t i = 0; i < 20000; i++) {
        uint32_t drops = ledger->drops;
        uint64_t marks = ledger->link.queue.marks;
        now_ns += i < 10000 ? PACKET_NS * 20 / 21 : PACKET_NS * 2 / 3; // 1 of 21 too many, then 1 of 3
        ledger_send(ledger, 0, i, 1250, 2, now_ns);
        if (ledger->link.queue.marks > marks) assert_true(ledger->link.queue.pie.drop_probability <= 0.1);
        if (ledger->drops > drops) assert_true(ledger->link.queue.pie.drop_probability > 0.1);
    }
    assert_true(ledger->link.queue.marks > 20 && ledger->drops > 20);
    ledger_advance(ledger, 100000 * MS);
    uint32_t marked = 0;
    for (uint32_t i = 0; i < ledger->outs; i++)
        marked += ledger->out[i].ecn == 3;
    assert_int_equal(marked, ledger->link.queue.marks);
    ledger_check(ledger);
}

// After an hour of silence it is as it was at first, and getting there takes no time.
LEDGER_TEST(an_idle_queue_rests) {
    ledger_link(ledger, &ten_megabit, &pie);
    for (uint64_t i = 0; i < 10000; i++)
        ledger_send(ledger, 0, (uint32_t)i, 1250, 0, i * PACKET_NS * 10 / 12);
    assert_true(ledger->link.queue.pie.drop_probability > 0.05);
    uint32_t drops = ledger->drops;
    ledger_send(ledger, 0, 0, 1250, 0, 3600000 * MS);
    assert_true(ledger->link.queue.pie.drop_probability == 0 && ledger->link.queue.pie.departure_ns == 0);
    assert_int_equal(ledger->link.queue.pie.updated_ns, 3600000 * MS);
    assert_int_equal(ledger->link.queue.pie.burst_allowance_ns, 150 * MS);
    for (uint32_t i = 0; i < 100; i++)
        ledger_send(ledger, 0, i, 1250, 0, 3600000 * MS + i);
    assert_int_equal(ledger->drops, drops);
}

LEDGER_TEST(same_seed_same_drops) {
    uint64_t digests[3];
    for (uint64_t run = 0; run < 3; run++) {
        ledger_seeded_link(ledger, &ten_megabit, &pie, run == 2 ? 8 : 7, 3);
        for (uint64_t i = 0; i < 6000; i++)
            ledger_send(ledger, 0, (uint32_t)i, 1250, 0, i * PACKET_NS * 10 / 12);
        digests[run] = 0;
        for (uint32_t i = 0; i < ledger->drops; i++)
            digests[run] = digests[run] * 31 + ledger->drop[i].number;
        link_close(&ledger->link);
    }
    assert_true(digests[0] == digests[1] && digests[0] != digests[2]);
}

LEDGER_TEST(a_sender_that_listens_keeps_the_queue_short_and_the_link_busy) {
    struct aimd aqm = aimd_run(ledger, &ten_megabit, &pie);
    print_message("PIE: %.1f ms, %.1f %%\n", aqm.mean_wait_ms, 100 * aqm.utilization);
    assert_true(aqm.mean_wait_ms < 25);
    assert_true(aqm.utilization > 0.85);
}
