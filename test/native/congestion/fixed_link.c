#include "fixed_link.h"
#include "test/native/cmocka_unit.h"

#include <stdlib.h>

enum { FLIGHT = 1 << 14, INITIAL_PACKETS = 10, ACK_PACKETS_MOST = 10, CHROMIUM_FROM_PACKETS = 100 };
static const double MAX_ACK_DELAY_S = 0.025;

// Packets number `first` to `first + count - 1`, all of them.
struct ack {
    uint64_t first, count;
    uint64_t received_ns; // by the sender
    uint64_t delay_ns;
};

struct simulation {
    const struct fixed_link *link;
    const struct congestion_controller *controller;
    void *state;
    uint64_t now_ns;
    uint64_t sent, arrived, acknowledged;         // numbers: those below have been
    uint64_t sent_ns[FLIGHT], arrival_ns[FLIGHT]; // rings, by number
    double link_free_ns;
    struct ack acks[FLIGHT]; // on their way, a ring
    uint64_t acks_made, acks_taken;
    uint64_t held_from;   // the first packet of the next ACK
    uint64_t held_due_ns; // UINT64_MAX: none is held back
    uint64_t min_rtt_ns;
    double queue_ns, queued;
};

static uint64_t half_rtt_ns(const struct simulation *s) {
    return (uint64_t)(s->link->rtt_s * 1e9 / 2);
}

static uint64_t window_bytes(const struct simulation *s) {
    struct congestion_window window;
    s->controller->window(s->state, &window);
    return window.window_bytes;
}

static void send_packet(struct simulation *s) {
    const uint64_t bytes = s->link->packet_bytes;
    const double now_ns = (double)s->now_ns;
    const double begin_ns = s->link_free_ns > now_ns ? s->link_free_ns : now_ns;
    if (now_ns > s->link->duration_s * 1e9 / 2) {
        s->queue_ns += begin_ns - now_ns;
        s->queued++;
    }
    s->link_free_ns = begin_ns + (double)bytes * 8e9 / s->link->rate_bps;
    const uint64_t in_flight = (s->sent - s->acknowledged) * bytes;
    s->controller->sent(s->state, &(struct congestion_sent){
                                      .now_ns = s->now_ns, .bytes = bytes, .in_flight_bytes = in_flight});
    assert_true(s->sent - s->acknowledged < FLIGHT);
    s->sent_ns[s->sent % FLIGHT] = s->now_ns;
    s->arrival_ns[s->sent % FLIGHT] = (uint64_t)s->link_free_ns + half_rtt_ns(s);
    s->sent++;
}

static void send_ack(struct simulation *s, uint64_t delay_ns) {
    s->acks[s->acks_made++ % FLIGHT] =
        (struct ack){s->held_from, s->arrived - s->held_from, s->now_ns + half_rtt_ns(s), delay_ns};
    s->held_from = s->arrived;
    s->held_due_ns = UINT64_MAX;
}

static void receive(struct simulation *s) {
    s->arrived++;
    const enum ack_rule rule = s->link->acks;
    const bool seldom = rule == ACK_AS_CHROMIUM && s->arrived > CHROMIUM_FROM_PACKETS;
    const uint64_t most = rule == ACK_EACH ? 1 : seldom ? ACK_PACKETS_MOST : 2;
    const uint64_t held = s->arrived - s->held_from;
    const double quarter_s = s->link->rtt_s / 4;
    const double delay_s = seldom && quarter_s < MAX_ACK_DELAY_S ? quarter_s : MAX_ACK_DELAY_S;
    if (held >= most)
        send_ack(s, 0);
    else if (held == 1)
        s->held_due_ns = s->now_ns + (uint64_t)(delay_s * 1e9);
}

static void take_ack(struct simulation *s) {
    const struct ack ack = s->acks[s->acks_taken++ % FLIGHT];
    const uint64_t bytes = s->link->packet_bytes;
    struct congestion_packet packets[ACK_PACKETS_MOST];
    for (uint64_t i = 0; i < ack.count; i++)
        packets[i] = (struct congestion_packet){
            .number = ack.first + i, .sent_ns = s->sent_ns[(ack.first + i) % FLIGHT], .bytes = bytes};
    const uint64_t rtt_ns = s->now_ns - ack.delay_ns - packets[ack.count - 1].sent_ns;
    if (s->min_rtt_ns == 0 || rtt_ns < s->min_rtt_ns) s->min_rtt_ns = rtt_ns;
    s->controller->acked(s->state,
                         &(struct congestion_acked){
                             .now_ns = s->now_ns,
                             .in_flight_bytes = (s->sent - s->acknowledged) * bytes,
                             .ack_delay_ns = ack.delay_ns,
                             .rtt = {.latest_ns = rtt_ns, .smoothed_ns = rtt_ns, .min_ns = s->min_rtt_ns},
                             .packets = packets,
                             .packet_count = ack.count,
                         });
    s->acknowledged += ack.count;
}

// A handshake of small packets has measured it; the minimum is of full packets alone.
static void know_rtt(struct simulation *s) {
    const uint64_t rtt_ns = 2 * half_rtt_ns(s);
    const struct congestion_rtt rtt = {.latest_ns = rtt_ns, .smoothed_ns = rtt_ns, .min_ns = rtt_ns};
    s->controller->acked(s->state, &(struct congestion_acked){.now_ns = s->now_ns, .rtt = rtt});
}

struct fixed_link_result simulate_fixed_link(const struct congestion_controller *controller,
                                             const struct fixed_link *link) {
    const struct congestion_start start = {link->packet_bytes, INITIAL_PACKETS};
    struct simulation *s = calloc(1, sizeof *s);
    assert_non_null(s);
    *s = (struct simulation){.link = link, .controller = controller, .now_ns = 1, .held_due_ns = UINT64_MAX};
    s->state = controller->open(controller, &start);
    assert_non_null(s->state);
    know_rtt(s);
    for (;;) {
        while ((s->sent - s->acknowledged + 1) * link->packet_bytes <= window_bytes(s))
            send_packet(s);
        const uint64_t arrival_ns = s->arrived < s->sent ? s->arrival_ns[s->arrived % FLIGHT] : UINT64_MAX;
        const uint64_t ack_ns =
            s->acks_taken < s->acks_made ? s->acks[s->acks_taken % FLIGHT].received_ns : UINT64_MAX;
        uint64_t next_ns = arrival_ns < ack_ns ? arrival_ns : ack_ns;
        if (s->held_due_ns < next_ns) next_ns = s->held_due_ns;
        assert_true(next_ns != UINT64_MAX);
        if ((double)next_ns > link->duration_s * 1e9) break;
        s->now_ns = next_ns;
        if (next_ns == arrival_ns)
            receive(s);
        else if (next_ns == s->held_due_ns)
            send_ack(s, next_ns - s->arrival_ns[(s->arrived - 1) % FLIGHT]);
        else
            take_ack(s);
    }
    const double bytes = (double)(s->arrived * link->packet_bytes);
    const struct fixed_link_result result = {
        .utilization = bytes * 8 / (link->rate_bps * link->duration_s),
        .queue_ms = s->queue_ns / s->queued / 1e6,
        .packets_per_ack = (double)s->acknowledged / (double)s->acks_taken,
    };
    controller->close(s->state);
    free(s);
    return result;
}
