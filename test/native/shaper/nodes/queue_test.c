// queue: limits, drop-tail and drop-head, ECN marks, changes of discipline, and the cost of a long queue.
#include "../datagram.h"
#include "../ledger.h"
#include "shaper/nodes/ecn.h"
#include "shaper/nodes/random.h"
#include "shaper/nodes/trace.h"
#include "test/native/cmocka_unit.h"

#include <time.h>

#define MS UINT64_C(1000000)

// `count` packets at once, 1000 bytes each: the first is being sent at 1 Mbit/s, 8 ms a packet.
static void burst(struct ledger *ledger, const struct queue_settings *queue, uint32_t count) {
    struct rate_settings rate = constant_rate(1000000);
    ledger_link(ledger, &rate, queue);
    for (uint32_t i = 0; i < count; i++)
        ledger_send(ledger, 0, i, 1000, 0, 0);
    ledger_check(ledger);
}

static void assert_sent(const struct ledger *ledger, const uint32_t *numbers, uint32_t count) {
    assert_int_equal(ledger->outs, count);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(ledger->out[i].number, numbers[i]);
}

LEDGER_TEST(limits_hold_in_packets_bytes_and_time) {
    static const struct queue_settings limits[] = {
        {.limit_packets = 3}, {.limit_bytes = 3999}, {.limit_ns = 24 * MS}, {.limit_ns = 32 * MS - 1}};
    for (size_t l = 0; l < sizeof limits / sizeof limits[0]; l++)
        for (int discipline = QUEUE_DROP_TAIL; discipline < QUEUE_DISCIPLINES; discipline++) {
            struct queue_settings queue = limits[l];
            queue.discipline = (enum queue_discipline)discipline;
            burst(ledger, &queue, 10);
            assert_int_equal(ledger->link.queue.packets, 3);
            assert_int_equal(ledger->link.queue.peak_packets, 3);
            assert_int_equal(ledger->link.queue.peak_bytes, 3000);
            assert_int_equal(ledger->link.queue.drops, 6);
            assert_int_equal(ledger->drop[0].reason, DROP_QUEUE);
            ledger_advance(ledger, 100 * MS);
            assert_int_equal(ledger->outs, 4);
            ledger_check(ledger);
        }
}

LEDGER_TEST(drop_tail_drops_what_comes_and_drop_head_what_waits) {
    struct queue_settings queue = {.discipline = QUEUE_DROP_TAIL, .limit_bytes = 3000};
    burst(ledger, &queue, 6);
    ledger_advance(ledger, 100 * MS);
    assert_sent(ledger, (uint32_t[]){0, 1, 2, 3}, 4);
    queue.discipline = QUEUE_DROP_HEAD;
    burst(ledger, &queue, 6);
    ledger_advance(ledger, 100 * MS);
    assert_sent(ledger, (uint32_t[]){0, 3, 4, 5}, 4);
    // What fits no empty queue takes all others with it; an idle link takes anything.
    queue.limit_bytes = 1200;
    burst(ledger, &queue, 2);
    ledger_send(ledger, 0, 2, 1201, 0, MS);
    ledger_advance(ledger, 100 * MS);
    assert_sent(ledger, (uint32_t[]){0}, 1);
    ledger_send(ledger, 0, 3, 1201, 0, 200 * MS);
    ledger_advance(ledger, 300 * MS);
    assert_sent(ledger, (uint32_t[]){0, 3}, 2);
}

// What is being sent is waited for too, and the rate of now counts.
LEDGER_TEST(waiting_time_is_that_of_the_present_rate) {
    struct rate_settings rate = {.kind = RATE_STEPS,
                                 .steps_bps = {.count = 2, .step = {{0, 1000000}, {50 * MS, 100000}}}};
    struct queue_settings queue = {.limit_ns = 20 * MS};
    ledger_link(ledger, &rate, &queue);
    for (uint32_t i = 0; i < 5; i++) // waits of 0, 8, 16, 24 and 24 ms
        ledger_send(ledger, 0, i, 1000, 0, 0);
    assert_int_equal(ledger->drops, 2);
    ledger_send(ledger, 0, 5, 1000, 0, 4 * MS); // 4 + 2 * 8
    assert_int_equal(ledger->drops, 2);
    ledger_send(ledger, 0, 6, 1000, 0, 60 * MS); // 80 ms to send from here on
    ledger_send(ledger, 0, 7, 1000, 0, 119 * MS);
    assert_int_equal(ledger->drops, 3);
    ledger_send(ledger, 0, 8, 1000, 0, 120 * MS);
    assert_int_equal(ledger->drops, 3);
    ledger_check(ledger);
}

// By a trace, the opportunities to come are counted, and what is left of the packet being sent.
LEDGER_TEST(waiting_time_is_that_of_the_trace) {
    char error[256];
    struct trace *trace = trace_open(unit_file("trace", "10\n20\n100\n"), error, sizeof error);
    assert_non_null(trace);
    struct rate_settings rate = {.kind = RATE_TRACE, .trace = trace};
    struct queue_settings queue = {.limit_ns = 30 * MS};
    ledger_link(ledger, &rate, &queue);
    ledger_send(ledger, 0, 0, 1000, 0, 0); // 10 ms
    ledger_send(ledger, 0, 1, 1000, 0, 0); // 10 ms
    ledger_send(ledger, 0, 2, 1500, 0, 0); // 20 ms
    ledger_send(ledger, 0, 3, 100, 0, 0);  // 100 ms: two opportunities hold 3000 bytes
    assert_int_equal(ledger->drops, 1);
    assert_int_equal(ledger->drop[0].number, 3);
    ledger_advance(ledger, 10 * MS); // 500 bytes of the second are left
    ledger_send(ledger, 0, 4, 100, 0, 10 * MS);
    assert_int_equal(ledger->drops, 2); // 500 and 1500 before it are more than the next opportunity holds
    queue.limit_ns = 90 * MS;
    link_steer(&ledger->link, &rate, &queue, 10 * MS);
    ledger_send(ledger, 0, 5, 500, 0, 10 * MS);
    assert_int_equal(ledger->drops, 2);
    ledger_send(ledger, 0, 6, 700, 0, 10 * MS); // 2500: the same opportunity, at 100 ms
    ledger_send(ledger, 0, 7, 100, 0, 10 * MS); // 3200: the one after
    assert_int_equal(ledger->drops, 3);
    ledger_check(ledger);
    link_close(&ledger->link);
    trace_close(trace);
}

static uint16_t checksum_of(const uint8_t *header) {
    uint32_t sum = 0;
    for (int i = 0; i < 20; i += 2)
        sum += (uint32_t)header[i] << 8 | header[i + 1];
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)~sum;
}

UNIT_TEST(ecn_marks_only_who_speaks_it) {
    struct packet packet, before;
    for (uint32_t i = 0; i < 20000; i++) {
        uint8_t ecn = i % 4;
        int version = i / 4 % 2 ? 4 : 6;
        datagram_make(&packet, version, (uint16_t)(i * 7), i, 4, ecn);
        before = packet;
        assert_true(ecn_mark(&packet) == (ecn != 0));
        datagram_mark(&before, ecn == 0 ? 0 : 3); // works the checksum out anew
        assert_memory_equal(packet.bytes, before.bytes, packet.size_bytes);
        if (version == 4) assert_int_equal(checksum_of(packet.bytes), 0);
    }
    // Nothing that is too short or something else is touched.
    memset(&packet, 0x4f, sizeof packet);
    packet.size_bytes = 19;
    assert_false(ecn_mark(&packet));
    memset(&packet, 0x6f, sizeof packet);
    packet.size_bytes = 39;
    assert_false(ecn_mark(&packet));
    memset(&packet, 0x5f, sizeof packet);
    packet.size_bytes = 100;
    assert_false(ecn_mark(&packet));
    assert_int_equal(packet.bytes[1], 0x5f);
}

// Whatever the disciplines and limits, all that was in the queue comes out, flow by flow in order.
LEDGER_TEST(changing_the_discipline_loses_nothing) {
    struct random random;
    random_open(&random, 6, 1);
    for (int round = 0; round < 300; round++) {
        struct queue_settings queue = {.discipline = (enum queue_discipline)(round % 5)};
        ledger_link(ledger, &ten_megabit, &queue);
        uint64_t now_ns = 0, drops = 0;
        for (uint32_t i = 0; i < 300; i++) {
            now_ns += random_next(&random) % (2 * MS);
            ledger_send(ledger, (uint16_t)(random_next(&random) % 5), i,
                        60 + (uint32_t)(random_next(&random) % 1441), (uint8_t)(random_next(&random) % 4),
                        now_ns);
            if (i % 20 == 19) {
                uint64_t held = ledger->link.node.kind->held(&ledger->link.node);
                drops = ledger->drops;
                queue =
                    (struct queue_settings){.discipline = (enum queue_discipline)(random_next(&random) % 5),
                                            .limit_packets = random_next(&random) % 2 * 10,
                                            .ecn = random_next(&random) % 2};
                link_steer(&ledger->link, &ten_megabit, &queue, now_ns);
                assert_int_equal(ledger->drops, drops);
                assert_int_equal(ledger->link.node.kind->held(&ledger->link.node), held);
            }
            ledger_check(ledger);
        }
        ledger_advance(ledger, UINT64_MAX / 2);
        assert_int_equal(ledger->link.node.kind->held(&ledger->link.node), 0);
        ledger_check(ledger);
        uint32_t last[5] = {0};
        for (uint32_t i = 0; i < ledger->outs; i++) {
            const struct ledger_entry *out = &ledger->out[i];
            assert_true(out->number >= last[out->flow]);
            last[out->flow] = out->number;
        }
        link_close(&ledger->link);
    }
}

LEDGER_TEST(closing_gives_back_what_is_held) {
    for (int discipline = QUEUE_DROP_TAIL; discipline < QUEUE_DISCIPLINES; discipline++) {
        burst(ledger, &(struct queue_settings){.discipline = (enum queue_discipline)discipline}, 500);
        link_close(&ledger->link);
        assert_int_equal(ledger->link.node.kind->held(&ledger->link.node), 0);
        assert_int_equal(ledger->drops, 0);
    }
    struct packet_slab *slabs = ledger->pool.slabs;
    for (int i = 0; i < 500; i++) // all are there again: the pool does not grow
        assert_non_null(packet_take(&ledger->pool));
    assert_ptr_equal(ledger->pool.slabs, slabs);
}

static double cpu_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

// A packet in and one out, with so many standing: the least of several tries.
static double cost_s(enum queue_discipline discipline, uint32_t standing) {
    enum { TURNS = 20000, TRIES = 5 };
    struct packet_pool pool = {0};
    struct queue *queue = malloc(sizeof *queue);
    assert_non_null(queue);
    // At its limit from time to time: what is dropped is looked for, too.
    struct queue_settings settings = {.discipline = discipline, .limit_packets = standing};
    double least_s = 1e9;
    queue_open(queue, &pool, NULL, &settings, 1, 1);
    for (uint32_t i = 0; i < standing; i++) {
        struct packet *packet = packet_take(&pool);
        assert_non_null(packet);
        datagram_make(packet, 4, (uint16_t)i, i, 4, 0);
        queue_put(queue, packet, false, 0);
    }
    for (int t = 0; t < TRIES; t++) {
        double start_s = cpu_s();
        for (uint32_t i = 0; i < TURNS; i++) {
            struct packet *packet = queue_get(queue, 0);
            if (!packet) break; // FQ-CoDel drops half of the one flow
            queue_put(queue, packet, false, 0);
            packet = packet_take(&pool);
            datagram_make(packet, 4, (uint16_t)i, i, 4, 0);
            queue_put(queue, packet, false, 0);
        }
        double took_s = cpu_s() - start_s;
        if (took_s < least_s) least_s = took_s;
    }
    free(queue);
    packet_pool_close(&pool);
    return least_s / TURNS;
}

// 10 000 packets lie further apart in memory than 10; a scan of them would cost a thousand times as much.
UNIT_TEST(long_queues_cost_as_short_ones) {
    for (int discipline = QUEUE_DROP_TAIL; discipline < QUEUE_DISCIPLINES; discipline++) {
        double few_s = cost_s((enum queue_discipline)discipline, 10);
        double many_s = cost_s((enum queue_discipline)discipline, 10000);
        print_message("discipline %d: %.0f ns a packet with 10 queued, %.0f with 10000\n", discipline,
                      few_s * 1e9, many_s * 1e9);
        assert_true(many_s < 100 * few_s);
    }
}
