// The pacer in virtual time.
#include "quic_io/pacer.h"

#include "base/clock.h"
#include "test/native/cmocka_unit.h"

enum { PACKET = 1350, WINDOW = 100 * PACKET };
static const uint64_t RTT_NS = 50 * NS_PER_MS;

// Sends whenever it may, for `duration_ns` from `now_ns`, looking every `step_ns`. Returns the packets sent.
static size_t send_for(struct pacer *pacer, uint64_t now_ns, uint64_t duration_ns, uint64_t step_ns,
                       size_t *most) {
    size_t sent = 0;
    *most = 0;
    for (uint64_t t = now_ns; t < now_ns + duration_ns; t += step_ns) {
        size_t at_once = 0;
        while (pacer_may_send(pacer, t) && at_once < 10000) {
            pacer_sent(pacer, PACKET, t);
            at_once++;
        }
        sent += at_once;
        if (at_once > *most) *most = at_once;
    }
    return sent;
}

UNIT_TEST(first_flight_is_an_initial_window) {
    struct pacer pacer;
    pacer_init(&pacer, PACKET, 10);
    pacer_update(&pacer, 10 * PACKET, RTT_NS, true);
    size_t most;
    assert_int_equal(send_for(&pacer, NS_PER_S, 1, 1, &most), 10);
}

UNIT_TEST(spreads_the_window) {
    const struct {
        bool slow_start;
        double gain;
    } cases[] = {{true, 2.0}, {false, 1.25}};
    for (size_t i = 0; i < 2; i++) {
        struct pacer pacer;
        size_t most;
        pacer_init(&pacer, PACKET, 10);
        pacer_update(&pacer, WINDOW, RTT_NS, cases[i].slow_start);
        send_for(&pacer, NS_PER_S, RTT_NS, 10 * NS_PER_US, &most); // the first flight is over
        size_t sent = send_for(&pacer, NS_PER_S + RTT_NS, 20 * RTT_NS, 10 * NS_PER_US, &most);
        double expected = 20 * 100 * cases[i].gain;
        assert_true((double)sent > expected * 0.99 && (double)sent < expected * 1.01);
        assert_true(most <= 2);
    }
}

UNIT_TEST(a_rate_of_the_controllers_own_holds) {
    struct pacer pacer;
    size_t most;
    pacer_init(&pacer, PACKET, 10);
    pacer_set_rate(&pacer, 8 * PACKET * 1000); // a packet in a millisecond
    size_t sent = send_for(&pacer, NS_PER_S, 20 * RTT_NS, 10 * NS_PER_US, &most);
    assert_in_range(sent, 1000, 1002);
    assert_true(most <= 2); // no first flight
    sent = send_for(&pacer, NS_PER_S + 60 * RTT_NS, 20 * RTT_NS, 10 * NS_PER_US, &most);
    assert_in_range(sent, 1000, 1002);
    assert_true(most <= 2); // nor one after a silence
}

UNIT_TEST(a_late_timer_costs_nothing) {
    struct pacer pacer;
    size_t most;
    pacer_init(&pacer, PACKET, 10);
    pacer_update(&pacer, 1000 * PACKET, RTT_NS, false); // 25 packets in a millisecond
    send_for(&pacer, NS_PER_S, RTT_NS, NS_PER_MS, &most);
    size_t sent = send_for(&pacer, NS_PER_S + RTT_NS, 10 * RTT_NS, NS_PER_MS, &most);
    assert_true(sent > 12400 && sent < 12600);
    assert_true(most <= 27);
}

UNIT_TEST(silence_refills_to_an_initial_window) {
    struct pacer pacer;
    size_t most;
    pacer_init(&pacer, PACKET, 10);
    pacer_update(&pacer, WINDOW, RTT_NS, false);
    send_for(&pacer, NS_PER_S, RTT_NS, 10 * NS_PER_US, &most);
    assert_int_equal(send_for(&pacer, NS_PER_S + 3 * RTT_NS, 1, 1, &most), 10);
    // Half a round trip is not silence.
    assert_in_range(send_for(&pacer, NS_PER_S + 3 * RTT_NS + RTT_NS / 2, 1, 1, &most), 1, 3);
}

UNIT_TEST(says_when_to_come_again) {
    struct pacer pacer;
    pacer_init(&pacer, PACKET, 10);
    pacer_update(&pacer, WINDOW, RTT_NS, false);
    uint64_t now_ns = NS_PER_S;
    for (int i = 0; i < 1000; i++) {
        while (pacer_may_send(&pacer, now_ns))
            pacer_sent(&pacer, PACKET, now_ns);
        uint64_t next_ns = pacer_next_ns(&pacer);
        assert_true(next_ns > now_ns);
        assert_true(next_ns - now_ns < RTT_NS);
        if (next_ns - NS_PER_US > now_ns) assert_false(pacer_may_send(&pacer, next_ns - NS_PER_US));
        assert_true(pacer_may_send(&pacer, next_ns));
        now_ns = next_ns;
    }
}
