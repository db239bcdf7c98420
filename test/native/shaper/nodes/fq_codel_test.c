// FQ-CoDel against RFC 8290: flows share the link by bytes, a sparse flow does not wait behind a bulky one,
// what does not fit is taken from the fattest, and CoDel drops from who queues.
#include "../ledger.h"
#include "shaper/nodes/random.h"
#include "test/native/cmocka_unit.h"

#include <math.h>

#define MS UINT64_C(1000000)

enum { PACKET_NS = 1200000, BULKY = 1, SPARSE = 2 }; // 1500 bytes at 10 Mbit/s

static const struct queue_settings fq_codel = {.discipline = QUEUE_FQ_CODEL, .limit_packets = 10240};

// One flow sends twice what the link carries, the other a packet of 200 bytes every 20 ms.
static void run_bulky_and_sparse(struct ledger *ledger, const struct queue_settings *queue) {
    ledger_link(ledger, &ten_megabit, queue);
    for (uint32_t i = 0; i < 10000; i++) {
        uint64_t now_ns = i * (uint64_t)PACKET_NS / 2;
        ledger_send(ledger, BULKY, i, 1500, 0, now_ns);
        if (i % 33 == 0) ledger_send(ledger, SPARSE, i, 200, 0, now_ns + 1);
    }
    ledger_check(ledger);
}

// Of all but the first packets, which meet both flows new.
static uint64_t longest_wait_ns(const struct ledger *ledger, uint16_t flow) {
    uint64_t longest_ns = 0;
    for (uint32_t i = 0; i < ledger->outs; i++)
        if (ledger->out[i].flow == flow && ledger->out[i].number > 0 && ledger->out[i].waited_ns > longest_ns)
            longest_ns = ledger->out[i].waited_ns;
    return longest_ns;
}

static uint32_t drops_of(const struct ledger *ledger, uint16_t flow) {
    uint32_t drops = 0;
    for (uint32_t i = 0; i < ledger->drops; i++)
        drops += ledger->drop[i].flow == flow;
    return drops;
}

LEDGER_TEST(a_sparse_flow_passes_a_bulky_one) {
    run_bulky_and_sparse(ledger, &fq_codel);
    // It waits for the packet being sent, at the most, and is sent itself.
    uint64_t sparse_ns = longest_wait_ns(ledger, SPARSE), bulky_ns = longest_wait_ns(ledger, BULKY);
    print_message("FQ-CoDel: sparse %.2f ms, bulky %.0f ms\n", (double)sparse_ns / 1e6,
                  (double)bulky_ns / 1e6);
    assert_true(sparse_ns <= PACKET_NS + 160000);
    assert_true(bulky_ns > 500 * MS);
    assert_int_equal(drops_of(ledger, SPARSE), 0);
    assert_true(ledger->link.queue.aqm_drops > 100);
    // Alone with drop-tail it would wait behind the other.
    run_bulky_and_sparse(ledger, &(struct queue_settings){.limit_packets = 100});
    assert_true(longest_wait_ns(ledger, SPARSE) > 100 * MS);
}

LEDGER_TEST(what_does_not_fit_is_taken_from_the_fattest) {
    struct queue_settings small = fq_codel;
    small.limit_packets = 50;
    run_bulky_and_sparse(ledger, &small);
    assert_int_equal(drops_of(ledger, SPARSE), 0);
    assert_true(ledger->link.queue.drops > 1000);
    assert_int_equal(ledger->link.queue.peak_packets, 50);
    // Half of its packets at once, from the head: the first that was dropped is the oldest, and 25 follow it.
    uint32_t first = 0;
    while (ledger->drop[first].reason != DROP_QUEUE)
        first++;
    for (uint32_t i = 1; i < 25; i++) {
        assert_int_equal(ledger->drop[first + i].time_ns, ledger->drop[first].time_ns);
        assert_int_equal(ledger->drop[first + i].number, ledger->drop[first].number + i);
    }
    assert_true(ledger->drop[first + 25].time_ns > ledger->drop[first].time_ns);
}

// Big packets, small packets, more or less of them: each gets a quarter of the bytes.
LEDGER_TEST(bulky_flows_share_by_bytes) {
    static const uint32_t sizes[] = {1500, 300, 700, 1000};
    ledger_link(ledger, &ten_megabit, &fq_codel);
    for (uint64_t now_ns = 0; now_ns < 5000 * MS; now_ns += MS / 4) {
        // 48, 9.6, 22.4 and 32 Mbit/s
        for (uint16_t flow = 0; flow < 4; flow++)
            ledger_send(ledger, flow, 0, sizes[flow], 0, now_ns);
    }
    double bytes[4] = {0}, all = 0;
    for (uint32_t i = 0; i < ledger->outs; i++) {
        bytes[ledger->out[i].flow] += ledger->out[i].size_bytes;
        all += ledger->out[i].size_bytes;
    }
    for (int flow = 0; flow < 4; flow++)
        assert_true(fabs(bytes[flow] / all - 0.25) < 0.005);
    ledger_check(ledger);
}

// Flows of different keys rarely share a queue: 100 of them nearly all have one of their own.
LEDGER_TEST(flows_have_queues_of_their_own) {
    struct rate_settings rate = constant_rate(1000);
    uint32_t queues = 0, shared_at_other_seed = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        ledger_seeded_link(ledger, &rate, &fq_codel, seed, 1);
        for (uint32_t i = 0; i < 201; i++) // the first packet is being sent
            ledger_send(ledger, (uint16_t)(i % 100), i, 100, 0, 0);
        queues += ledger->link.queue.fq_codel.backlogged;
        shared_at_other_seed += ledger->link.queue.fq_codel.backlogged < 100;
        link_close(&ledger->link);
    }
    // Of 100 among 1024, 4.7 are expected to fall where there already is one.
    assert_true(queues > 20 * 93 && queues < 20 * 98);
    assert_true(shared_at_other_seed > 10);
}

static void assert_heap(const struct fq_codel *fq) {
    uint32_t backlogged = 0;
    uint64_t most_bytes = 0;
    for (uint32_t i = 0; i < FQ_CODEL_FLOWS; i++) {
        const struct fq_flow *flow = &fq->flows[i];
        if (!flow->list.first) continue;
        backlogged++;
        if (flow->list.size_bytes > most_bytes) most_bytes = flow->list.size_bytes;
        assert_true(flow->place < fq->backlogged);
        assert_int_equal(fq->fattest[flow->place], i);
    }
    assert_int_equal(backlogged, fq->backlogged);
    if (backlogged > 0) assert_int_equal(fq->flows[fq->fattest[0]].list.size_bytes, most_bytes);
}

LEDGER_TEST(the_fattest_is_always_known) {
    struct random random;
    random_open(&random, 8, 1);
    for (int round = 0; round < 10; round++) {
        struct queue_settings queue = fq_codel;
        queue.limit_packets = round % 2 ? 100 : 0;
        queue.limit_bytes = round % 3 ? 60000 : 0;
        queue.limit_ns = round % 4 ? 0 : 80 * MS;
        ledger_link(ledger, &ten_megabit, &queue);
        uint64_t now_ns = 0, flows = 1 + random_next(&random) % 200;
        for (uint32_t i = 0; i < 3000; i++) {
            now_ns += random_next(&random) % (2 * MS) * (random_next(&random) % 100 ? 1 : 100) / 2;
            ledger_send(ledger, (uint16_t)(random_next(&random) % flows), i,
                        60 + (uint32_t)(random_next(&random) % 1441), 0, now_ns);
            assert_heap(&ledger->link.queue.fq_codel);
        }
        ledger_check(ledger);
        ledger_advance(ledger, UINT64_MAX / 2);
        assert_int_equal(ledger->link.queue.fq_codel.backlogged, 0);
        assert_int_equal(ledger->link.queue.packets, 0);
        link_close(&ledger->link);
    }
}

// Twenty flows that each send a packet whenever their last one is long gone, and together all that the link
// carries: were each new every time, the bulky one would never have its turn.
LEDGER_TEST(new_flows_do_not_starve_old_ones) {
    enum { FLOWS = 20, PACKETS = 20000, FIRST_FLOW = 100 };
    ledger_link(ledger, &ten_megabit, &fq_codel);
    for (uint32_t i = 0; i < PACKETS; i++) {
        uint64_t now_ns = i * (uint64_t)PACKET_NS;
        ledger_send(ledger, (uint16_t)(FIRST_FLOW + i % FLOWS), i, 1500, 0, now_ns);
        if (i % 2) ledger_send(ledger, BULKY, i, 1500, 0, now_ns);
    }
    uint32_t bulky = 0;
    for (uint32_t i = 0; i < ledger->outs; i++)
        bulky += ledger->out[i].flow == BULKY;
    print_message("FQ-CoDel: a bulky flow among %d: 1 of %.1f packets\n", FLOWS,
                  (double)ledger->outs / bulky);
    assert_true(bulky > ledger->outs / (FLOWS + 2));
}
