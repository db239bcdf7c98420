// sprout_ewma by hand-made trains of packets: what is a sample, what a forced tick, and what it does not
// react to.
#include "congestion/congestion.h"
#include "test/native/cmocka_unit.h"

enum { PACKET = 1000, INITIAL_PACKETS = 10, BEGIN_MS = 1000 };
static const uint64_t NS_PER_MILLISECOND = 1000 * 1000;
// Bytes per millisecond.
static const double INITIAL_RATE = INITIAL_PACKETS * PACKET / 100.0;

struct flow {
    void *state;
    uint64_t numbers;
    uint64_t min_rtt_ms; // 0: no sample yet
};

static uint64_t ns(double ms) {
    return (uint64_t)((BEGIN_MS + ms) * (double)NS_PER_MILLISECOND + 0.5);
}

static struct flow open_flow(void) {
    const struct congestion_start start = {PACKET, INITIAL_PACKETS};
    struct flow flow = {.state = sprout_ewma.open(&sprout_ewma, &start)};
    assert_non_null(flow.state);
    return flow;
}

static void close_flow(struct flow *flow) {
    sprout_ewma.close(flow->state);
}

static void send_at(struct flow *flow, double ms) {
    sprout_ewma.sent(flow->state, &(struct congestion_sent){.now_ns = ns(ms), .bytes = PACKET});
}

// One ACK for `count` packets that were sent at `sent_ms`, with so much delay told.
static void ack(struct flow *flow, double ms, double delay_ms, size_t count, const double *sent_ms) {
    struct congestion_packet packets[16];
    assert_true(count <= 16);
    for (size_t i = 0; i < count; i++)
        packets[i] =
            (struct congestion_packet){.number = flow->numbers++, .sent_ns = ns(sent_ms[i]), .bytes = PACKET};
    const uint64_t rtt_ns = flow->min_rtt_ms * NS_PER_MILLISECOND;
    sprout_ewma.acked(flow->state, &(struct congestion_acked){
                                       .now_ns = ns(ms),
                                       .ack_delay_ns = (uint64_t)(delay_ms * (double)NS_PER_MILLISECOND),
                                       .rtt = {.latest_ns = rtt_ns, .smoothed_ns = rtt_ns, .min_ns = rtt_ns},
                                       .packets = packets,
                                       .packet_count = count,
                                   });
}

static void ack_one(struct flow *flow, double ms, double sent_ms) {
    ack(flow, ms, 0, 1, &sent_ms);
}

static struct congestion_window look(const struct flow *flow) {
    struct congestion_window window;
    sprout_ewma.window(flow->state, &window);
    return window;
}

static void expect_rate(const struct flow *flow, double rate) {
    assert_float_equal((double)look(flow).window_bytes, 100 * rate, 1);
}

static double after(double rate, double bytes, double tick_ms) {
    return 7 * rate / 8 + bytes / tick_ms / 8;
}

UNIT_TEST(it_begins_with_the_initial_window_in_100_ms_unpaced) {
    struct flow flow = open_flow();
    const struct congestion_window window = look(&flow);
    assert_int_equal(window.window_bytes, INITIAL_PACKETS * PACKET);
    assert_int_equal(window.pacing_bps, 0);
    assert_true(sprout_ewma.is_unpaced && sprout_ewma_acks.is_unpaced);
    assert_false(congestion_find("cubic-n1")->is_unpaced);
    assert_true(window.ssthresh_bytes == UINT64_MAX);
    close_flow(&flow);
}

// Packets 3 ms apart, all of one burst: the first sample comes with the packet that arrives 20 ms or more
// after the first, which counts itself.
UNIT_TEST(a_tick_of_20_ms_is_a_sample) {
    struct flow flow = open_flow();
    for (int i = 0; i <= 20; i++)
        send_at(&flow, 3 * i);
    for (int i = 0; i < 7; i++)
        ack_one(&flow, 50 + 3 * i, 3 * i);
    expect_rate(&flow, INITIAL_RATE);
    ack_one(&flow, 71, 21);
    const double first = after(INITIAL_RATE, 8 * PACKET, 21);
    expect_rate(&flow, first);
    for (int i = 8; i < 14; i++)
        ack_one(&flow, 50 + 3 * i, 3 * i);
    expect_rate(&flow, first);
    ack_one(&flow, 92, 42);
    expect_rate(&flow, after(first, 7 * PACKET, 21));
    close_flow(&flow);
}

// The delay that the receiver tells is taken off: it arrived then.
UNIT_TEST(arrivals_are_without_the_told_delay) {
    struct flow flow = open_flow();
    for (int i = 0; i <= 8; i++)
        send_at(&flow, 4 * i);
    ack_one(&flow, 50, 0);
    const double second = 4;
    ack(&flow, 80, 11, 1, &second); // 19 ms after the first
    expect_rate(&flow, INITIAL_RATE);
    const double third = 8;
    ack(&flow, 81, 11, 1, &third);
    expect_rate(&flow, after(INITIAL_RATE, 3 * PACKET, 20));
    close_flow(&flow);
}

UNIT_TEST(the_end_of_a_burst_is_a_forced_tick) {
    struct flow flow = open_flow();
    const double burst_ms[] = {0, 1, 2};
    for (size_t i = 0; i < 3; i++)
        send_at(&flow, burst_ms[i]);
    send_at(&flow, 7.1); // more than 5 ms after the last of them
    send_at(&flow, 12.1);
    send_at(&flow, 13);
    ack(&flow, 50, 0, 3, burst_ms);
    const double forced = after(INITIAL_RATE, 3 * PACKET, 20);
    expect_rate(&flow, forced);
    // The clock starts anew: the 40 ms between are nobody's. And 5 ms are not more than 5 ms.
    ack_one(&flow, 90, 7.1);
    ack_one(&flow, 109, 12.1);
    expect_rate(&flow, forced);
    send_at(&flow, 14);
    ack_one(&flow, 112, 13);
    expect_rate(&flow, after(forced, 3 * PACKET, 22));
    close_flow(&flow);
}

UNIT_TEST(nothing_sent_yet_is_a_forced_tick_too) {
    struct flow flow = open_flow();
    send_at(&flow, 0);
    send_at(&flow, 0);
    ack_one(&flow, 50, 0);
    expect_rate(&flow, INITIAL_RATE); // of two sent at one moment it is the last that counts
    ack_one(&flow, 51, 0);
    expect_rate(&flow, after(INITIAL_RATE, 2 * PACKET, 20));
    close_flow(&flow);
}

// A burst whose last packet is lost has no end.
UNIT_TEST(the_end_of_a_burst_may_be_lost) {
    struct flow flow = open_flow();
    const double sent_ms[] = {0, 1, 10, 11, 20, 21};
    for (size_t i = 0; i < 6; i++)
        send_at(&flow, sent_ms[i]);
    ack_one(&flow, 50, 0);
    ack_one(&flow, 60, 10); // that sent at 1 ms is lost
    expect_rate(&flow, INITIAL_RATE);
    ack_one(&flow, 61, 11);
    expect_rate(&flow, after(INITIAL_RATE, 3 * PACKET, 20));
    close_flow(&flow);
}

UNIT_TEST(many_pauses_are_known_at_once) {
    enum { BURSTS = 3000, KNOWN = 1024 };
    struct flow flow = open_flow();
    for (int i = 0; i < BURSTS; i++)
        send_at(&flow, 10 * i);
    // The newest of them alone are known to have ended a burst (and the very last).
    ack_one(&flow, 40000, 0);
    expect_rate(&flow, INITIAL_RATE);
    double rate = INITIAL_RATE;
    double bytes = 2 * PACKET;
    for (int i = BURSTS - 1 - KNOWN; i < BURSTS; i++) {
        ack_one(&flow, 40001, 10 * i);
        rate = after(rate, bytes, 20);
        bytes = PACKET;
    }
    assert_true(rate < 2 * PACKET / 20.0);
    expect_rate(&flow, rate);
    close_flow(&flow);
}

UNIT_TEST(long_paths_have_the_rate_times_their_round_trip) {
    struct flow flow = open_flow();
    flow.min_rtt_ms = 30;
    send_at(&flow, 0);
    send_at(&flow, 1);
    ack_one(&flow, 50, 0);
    assert_int_equal(look(&flow).window_bytes, (uint64_t)(100 * INITIAL_RATE));
    flow.min_rtt_ms = 300;
    send_at(&flow, 2);
    ack_one(&flow, 51, 1);
    assert_int_equal(look(&flow).window_bytes, (uint64_t)(300 * INITIAL_RATE));
    close_flow(&flow);
}

UNIT_TEST(losses_change_nothing) {
    struct flow flow = open_flow();
    const struct congestion_packet packet = {
        .sent_ns = ns(0), .bytes = PACKET, .ack_eliciting = true, .after_acked = true};
    send_at(&flow, 0);
    for (int i = 1; i < 100; i++)
        sprout_ewma.lost(flow.state,
                         &(struct congestion_lost){
                             .now_ns = ns(100 * i), .space = 2, .packets = &packet, .packet_count = 1});
    expect_rate(&flow, INITIAL_RATE);
    close_flow(&flow);
}

// Single small packets now and then: two packets are always allowed, and two in a tick are where it began.
UNIT_TEST(the_window_is_never_below_two_packets) {
    struct flow flow = open_flow();
    for (int i = 0; i < 60; i++) {
        const struct congestion_packet packet = {.sent_ns = ns(100 * i), .bytes = 40};
        sprout_ewma.sent(flow.state, &(struct congestion_sent){.now_ns = ns(100 * i), .bytes = 40});
        sprout_ewma.acked(flow.state, &(struct congestion_acked){
                                          .now_ns = ns(100 * i + 50), .packets = &packet, .packet_count = 1});
    }
    assert_int_equal(look(&flow).window_bytes, 2 * PACKET);
    double at_ms = 10000;
    for (int i = 0; i < 60; i++, at_ms += 100) {
        const double sent_ms[] = {at_ms, at_ms};
        send_at(&flow, at_ms);
        send_at(&flow, at_ms);
        ack(&flow, at_ms + 50, 0, 2, sent_ms);
    }
    assert_float_equal((double)look(&flow).window_bytes, 10 * PACKET, PACKET / 10.0);
    close_flow(&flow);
}

UNIT_TEST(one_of_them_asks_for_single_acks) {
    assert_true(congestion_find("sprout-ewma")->wants_single_acks);
    assert_false(congestion_find("sprout-ewma-acks")->wants_single_acks);
    assert_false(congestion_find("cubic-n1")->wants_single_acks);
}
