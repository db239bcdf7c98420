// link: its rate in steps and by traces, in virtual time, against what is worked out another way.
#include "ledger.h"
#include "shaper/nodes/random.h"
#include "shaper/nodes/trace.h"
#include "test/native/cmocka_unit.h"

#define MS UINT64_C(1000000)

static const struct queue_settings no_limit = {0};

static struct rate_settings steps_of(uint32_t count, const struct step *steps) {
    struct rate_settings rate = {.kind = RATE_STEPS, .steps_bps = {.count = count}};
    memcpy(rate.steps_bps.step, steps, count * sizeof *steps);
    return rate;
}

static struct trace *trace_of(const char *text) {
    char error[256];
    struct trace *trace = trace_open(unit_file("trace", text), error, sizeof error);
    if (!trace) fail_msg("%s", error);
    return trace;
}

LEDGER_TEST(what_is_left_of_a_packet_goes_on_at_the_new_rate) {
    struct rate_settings rate =
        steps_of(3, (struct step[]){{0, 1000000}, {9 * MS, 3000000}, {20 * MS, 500000}});
    ledger_link(ledger, &rate, &no_limit);
    // 12000 bits: 4000 from 5 to 9 ms, the other 8000 at 3 Mbit/s.
    ledger_send(ledger, 0, 0, 1500, 0, 5 * MS);
    assert_int_equal(ledger->link.node.kind->due_ns(&ledger->link.node), 9 * MS + 2666666);
    // The fraction counts: 2/3 ns at 3 Mbit/s, then 24000 bits, ends at 19666666.67.
    ledger_send(ledger, 0, 1, 1500, 0, 9 * MS);
    ledger_send(ledger, 0, 2, 1500, 0, 9 * MS);
    // 1000 bits until 20 ms, 11000 at 500 kbit/s.
    ledger_send(ledger, 0, 3, 1500, 0, 9 * MS);
    ledger_advance(ledger, 1000 * MS);
    static const uint64_t ends_ns[] = {11666666, 15666666, 19666666, 42000000};
    assert_int_equal(ledger->outs, 4);
    for (int i = 0; i < 4; i++)
        assert_int_equal(ledger->out[i].time_ns, ends_ns[i]);
    assert_int_equal(ledger->link.busy_ns, 37 * MS);
}

static struct steps random_steps(struct random *random) {
    struct steps steps = {.count = 1 + (uint32_t)(random_next(random) % STEPS_MAX)};
    for (uint32_t i = 0; i < steps.count; i++) {
        uint64_t gap_ns =
            random_next(random) % 3 ? random_next(random) % (30 * MS) : random_next(random) % 100;
        steps.step[i].at_ns = i == 0 ? 0 : steps.step[i - 1].at_ns + 1 + gap_ns;
        steps.step[i].value = random_next(random) % 2 ? 1000000 + random_next(random) % 99000000
                                                      : 1 + random_next(random) % 3000000;
    }
    return steps;
}

// Billionths of a bit that the steps carry up to a time.
static unsigned __int128 carried(const struct steps *steps, uint64_t now_ns) {
    unsigned __int128 sum = 0;
    for (uint32_t i = 0; i < steps->count && steps->step[i].at_ns < now_ns; i++) {
        uint64_t end_ns =
            i + 1 < steps->count && steps->step[i + 1].at_ns < now_ns ? steps->step[i + 1].at_ns : now_ns;
        sum += (unsigned __int128)steps->step[i].value * (end_ns - steps->step[i].at_ns);
    }
    return sum;
}

// A link that always has something to send: the n-th packet has left when the steps have carried all bits up
// to it, in the very nanosecond.
LEDGER_TEST(steps_are_followed_exactly) {
    struct random random;
    random_open(&random, 3, 1);
    for (int round = 0; round < 300; round++) {
        struct rate_settings rate = {.kind = RATE_STEPS, .steps_bps = random_steps(&random)};
        ledger_link(ledger, &rate, &no_limit);
        for (uint32_t i = 0; i < 300; i++)
            ledger_send(ledger, 0, i, 60 + (uint32_t)(random_next(&random) % 1441), 0, 0);
        ledger_advance(ledger, UINT64_MAX / 2);
        assert_int_equal(ledger->outs, 300);
        unsigned __int128 bits = 0;
        for (uint32_t i = 0; i < 300; i++) {
            uint64_t end_ns = ledger->out[i].time_ns;
            bits += (unsigned __int128)ledger->out[i].size_bytes * 8000000000u;
            assert_true(carried(&rate.steps_bps, end_ns) <= bits);
            assert_true(carried(&rate.steps_bps, end_ns + 1) > bits);
        }
        ledger_check(ledger);
        link_close(&ledger->link);
    }
}

// The largest excess over the steps' integral in any window that ends with a departure, in billionths of a
// bit. A window begins right after a departure.
static void assert_never_exceeded(const struct ledger *ledger, const struct steps *steps) {
    __int128 least = 0, sent = 0;
    for (uint32_t i = 0; i < ledger->outs; i++) {
        const struct ledger_entry *out = &ledger->out[i];
        if (i > 0) {
            sent += (__int128)out->size_bytes * 8000000000u;
            __int128 excess = sent - (__int128)carried(steps, out->time_ns + 1) - least;
            assert_true(excess <= 0); // times are whole nanoseconds
        }
        __int128 ahead = sent - (__int128)carried(steps, out->time_ns);
        if (i == 0 || ahead < least) least = ahead;
    }
}

LEDGER_TEST(steps_are_never_exceeded_in_any_window) {
    struct random random;
    random_open(&random, 4, 1);
    for (int round = 0; round < 300; round++) {
        struct rate_settings rate = {.kind = RATE_STEPS, .steps_bps = random_steps(&random)};
        struct queue_settings queue = {.discipline = (enum queue_discipline)(round % 5),
                                       .limit_packets = round % 3 ? 20 : 0};
        ledger_link(ledger, &rate, &queue);
        uint64_t now_ns = 0;
        for (uint32_t i = 0; i < 400; i++) {
            if (random_next(&random) % 4 == 0) now_ns += random_next(&random) % (20 * MS);
            ledger_send(ledger, (uint16_t)(i % 3), i, 60 + (uint32_t)(random_next(&random) % 1441), 0,
                        now_ns);
            ledger_check(ledger);
        }
        ledger_advance(ledger, UINT64_MAX / 2);
        assert_never_exceeded(ledger, &rate.steps_bps);
        ledger_check(ledger);
        link_close(&ledger->link);
    }
}

LEDGER_TEST(opportunities_are_accurate_to_the_byte) {
    struct trace *trace = trace_of("2\n2\n5\n10\n");
    struct rate_settings rate = {.kind = RATE_TRACE, .trace = trace};
    ledger_link(ledger, &rate, &no_limit);
    assert_true(ledger->link.node.kind->due_ns(&ledger->link.node) == NODE_NEVER);
    ledger_send(ledger, 0, 0, 1000, 0, 0);
    ledger_send(ledger, 0, 1, 1000, 0, 0);
    ledger_send(ledger, 0, 2, 1000, 0,
                MS); // its last byte is the 3000th, the second opportunity's last
    ledger_send(ledger, 0, 3, 1500, 0, MS);
    ledger_send(ledger, 0, 4, 60, 0, MS);
    assert_int_equal(ledger->link.node.kind->due_ns(&ledger->link.node), 2 * MS);
    ledger_advance(ledger, 5 * MS - 1);
    assert_int_equal(ledger->outs, 3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(ledger->out[i].time_ns, 2 * MS);
    ledger_send(ledger, 0, 5, 1440, 0, 5 * MS); // comes right after the opportunity at 5 ms
    assert_int_equal(ledger->outs, 4);
    assert_int_equal(ledger->out[3].time_ns, 5 * MS);
    ledger_send(ledger, 0, 6, 60, 0, 5 * MS);
    ledger_advance(ledger, 12 * MS); // 60 + 1440 fill the one at 10 ms, the trace begins again
    assert_int_equal(ledger->outs, 7);
    assert_int_equal(ledger->out[5].time_ns, 10 * MS);
    assert_int_equal(ledger->out[6].time_ns, 12 * MS);
    assert_int_equal(ledger->link.busy_ns, 12 * MS);
    // What an idle link does not use is gone: at 25 ms it waits for 30, whatever it has missed.
    ledger_send(ledger, 0, 7, 100, 0, 25 * MS);
    assert_int_equal(ledger->link.node.kind->due_ns(&ledger->link.node), 30 * MS);
    link_close(&ledger->link);
    trace_close(trace);
}

LEDGER_TEST(a_trace_played_once_ends) {
    struct trace *trace = trace_of("1\n2\n");
    struct rate_settings rate = {.kind = RATE_TRACE, .trace = trace, .trace_once = true};
    ledger_link(ledger, &rate, &no_limit);
    for (uint32_t i = 0; i < 3; i++)
        ledger_send(ledger, 0, i, 1500, 0, 0);
    ledger_advance(ledger, 1000000 * MS);
    assert_int_equal(ledger->outs, 2);
    assert_true(ledger->link.node.kind->due_ns(&ledger->link.node) == NODE_NEVER);
    ledger_send(ledger, 0, 3, 1500, 0, 1000001 * MS);
    ledger_check(ledger);
    assert_int_equal(ledger->link.node.kind->held(&ledger->link.node), 2);
    link_close(&ledger->link);
    trace_close(trace);
}

// The same, written as plainly as can be: every millisecond's opportunities one after the other.
struct plain_link {
    uint32_t sizes[5000];
    uint32_t first, count; // of those that wait
    uint32_t left_bytes;   // of the first
};

static uint32_t plain_use(struct plain_link *plain, uint64_t at_ns, struct ledger_entry *out) {
    uint32_t room_bytes = 1500, outs = 0;
    while (room_bytes > 0 && plain->first < plain->count) {
        if (plain->left_bytes == 0) plain->left_bytes = plain->sizes[plain->first];
        if (plain->left_bytes > room_bytes) {
            plain->left_bytes -= room_bytes;
            break;
        }
        room_bytes -= plain->left_bytes;
        plain->left_bytes = 0;
        out[outs].time_ns = at_ns;
        out[outs++].number = plain->first++;
    }
    return outs;
}

LEDGER_TEST(traces_are_followed_however_the_link_wakes) {
    struct random random;
    random_open(&random, 5, 1);
    static struct plain_link plain;
    static struct ledger_entry expected[5000];
    for (int round = 0; round < 200; round++) {
        char text[4000];
        size_t size = 0;
        uint64_t times_ms[100], time_ms = random_next(&random) % 3;
        uint32_t count = 1 + (uint32_t)(random_next(&random) % 100);
        for (uint32_t i = 0; i < count; i++) {
            if (random_next(&random) % 3) time_ms += random_next(&random) % 10;
            if (i + 1 == count) time_ms++; // a length above 0
            times_ms[i] = time_ms;
            size += (size_t)snprintf(text + size, sizeof text - size, "%u\n", (unsigned)time_ms);
        }
        struct trace *trace = trace_of(text);
        struct rate_settings rate = {.kind = RATE_TRACE, .trace = trace};
        const uint64_t zero_ns = random_next(&random) % (5 * MS);
        ledger_link(ledger, &rate, &no_limit);
        link_start(&ledger->link, zero_ns);
        memset(&plain, 0, sizeof plain);
        uint64_t now_ns = zero_ns, passed = 0;
        uint32_t outs = 0;
        for (uint32_t i = 0; i < 1000; i++) {
            if (random_next(&random) % 2)
                now_ns += random_next(&random) % (random_next(&random) % 30 ? 4 * MS : 200 * MS);
            if (random_next(&random) % 3 == 0) now_ns += (MS - (now_ns - zero_ns) % MS) % MS; // with it
            for (;; passed++) {
                uint64_t at_ns =
                    zero_ns + (passed / count * times_ms[count - 1] + times_ms[passed % count]) * MS;
                if (at_ns > now_ns) break;
                outs += plain_use(&plain, at_ns, expected + outs);
            }
            uint32_t size_bytes = 60 + (uint32_t)(random_next(&random) % 1441);
            plain.sizes[plain.count++] = size_bytes;
            while (random_next(&random) % 2 && ledger->link.node.kind->due_ns(&ledger->link.node) <= now_ns)
                ledger_advance(ledger, ledger->link.node.kind->due_ns(&ledger->link.node));
            ledger_send(ledger, 0, i, size_bytes, 0, now_ns);
            assert_int_equal(ledger->outs, outs);
        }
        assert_true(outs > 0);
        for (uint32_t i = 0; i < outs; i++) {
            assert_int_equal(ledger->out[i].number, expected[i].number);
            assert_int_equal(ledger->out[i].time_ns, expected[i].time_ns);
        }
        ledger_check(ledger);
        link_close(&ledger->link);
        trace_close(trace);
    }
}

// What was sent at the rate of each step counts.
LEDGER_TEST(a_link_is_steered_behind_a_step) {
    const struct rate_settings stepped = steps_of(2, (struct step[]){{0, 1000000}, {6 * MS, 2000000}}),
                               megabit = constant_rate(1000000);
    ledger_link(ledger, &stepped, &no_limit);
    ledger_send(ledger, 0, 0, 1500, 0, 0);
    link_steer(&ledger->link, &megabit, &no_limit, 7 * MS); // 500 bytes are left
    assert_int_equal(ledger->link.node.kind->due_ns(&ledger->link.node), 11 * MS);
    link_close(&ledger->link);
}

// From every kind of rate to every other while a packet is being sent.
LEDGER_TEST(a_steered_link_loses_nothing) {
    struct trace *trace = trace_of("1\n");
    struct rate_settings megabit = constant_rate(1000000), double_rate = constant_rate(2000000),
                         by_trace = {.kind = RATE_TRACE, .trace = trace}, unlimited = {0};
    ledger_link(ledger, &megabit, &no_limit);
    for (uint32_t i = 0; i < 8; i++)
        ledger_send(ledger, 0, i, 1500, 0, 0);
    link_steer(&ledger->link, &double_rate, &no_limit, 6 * MS); // half of the first is left
    assert_int_equal(ledger->link.node.kind->due_ns(&ledger->link.node), 9 * MS);
    link_steer(&ledger->link, &double_rate, &no_limit, 12 * MS); // the same again changes nothing
    assert_int_equal(ledger->link.node.kind->due_ns(&ledger->link.node), 15 * MS);
    link_steer(&ledger->link, &by_trace, &no_limit,
               16 * MS + MS / 2); // 1500 - 375 bytes of the third are left
    assert_int_equal(ledger->outs, 2);
    assert_int_equal(ledger->link.left_bytes, 1125);
    ledger_advance(ledger, 17 * MS); // those, and 375 of the fourth
    assert_int_equal(ledger->outs, 3);
    assert_int_equal(ledger->link.left_bytes, 1125);
    link_steer(&ledger->link, &megabit, &no_limit, 17 * MS + MS / 4);
    assert_int_equal(ledger->link.node.kind->due_ns(&ledger->link.node), 17 * MS + MS / 4 + 9 * MS);
    link_steer(&ledger->link, &unlimited, &no_limit, 20 * MS);
    assert_int_equal(ledger->outs, 8);
    assert_int_equal(ledger->link.node.kind->held(&ledger->link.node), 0);
    ledger_send(ledger, 0, 8, 1500, 0, 21 * MS);
    assert_int_equal(ledger->outs, 9);
    link_steer(&ledger->link, &by_trace, &no_limit, 21 * MS);
    ledger_send(ledger, 0, 9, 1500, 0, 21 * MS);
    assert_int_equal(ledger->link.node.kind->due_ns(&ledger->link.node), 22 * MS);
    link_steer(&ledger->link, &double_rate, &no_limit, 21 * MS);
    assert_int_equal(ledger->link.node.kind->due_ns(&ledger->link.node), 27 * MS);
    // The last bits of a packet are a byte yet to be sent.
    link_steer(&ledger->link, &by_trace, &no_limit, 27 * MS - 1);
    assert_int_equal(ledger->link.left_bytes, 1);
    assert_int_equal(ledger->link.node.kind->due_ns(&ledger->link.node), 27 * MS);
    ledger_advance(ledger, 100 * MS);
    ledger_check(ledger);
    for (uint32_t i = 0; i < 10; i++)
        assert_int_equal(ledger->out[i].number, i);
    link_close(&ledger->link);
    trace_close(trace);
}
