#include "simulated_path.h"
#include "test/native/cmocka_unit.h"

#include <stdbool.h>
#include <stdlib.h>

enum { REORDERING = 3, FLIGHT = 1 << 15, INITIAL_PACKETS = 10 };

struct flying {
    uint64_t sent_ns;
    uint64_t ack_ns; // UINT64_MAX: it is lost on the way
};

struct sender {
    const struct simulated_path *path;
    const struct congestion_controller *controller;
    void *state;
    struct flying *flying; // by number, a ring
    uint64_t next, oldest; // numbers
    uint64_t in_flight;    // packets
    double link_free_s;
    uint64_t random;
    double delivered_bytes, window_s;
    uint64_t now_ns, ssthresh;
    struct simulated_result result;
};

static double seconds(uint64_t ns) {
    return (double)ns / 1e9;
}

static double draw(struct sender *s) {
    s->random ^= s->random << 13;
    s->random ^= s->random >> 7;
    s->random ^= s->random << 17;
    return (double)(s->random >> 11) / 9007199254740992.0;
}

static struct congestion_window window_of(const struct sender *s) {
    struct congestion_window window;
    s->controller->window(s->state, &window);
    return window;
}

static void send_packet(struct sender *s) {
    const struct simulated_path *path = s->path;
    const double now_s = seconds(s->now_ns);
    const double packet_s = (double)path->packet_bytes * 8 / path->rate_bps;
    const double begin_s = s->link_free_s > now_s ? s->link_free_s : now_s;
    const bool queued = (begin_s - now_s) * path->rate_bps / 8 <= path->buffer_bytes;
    const bool survives = draw(s) >= path->loss;
    if (queued) s->link_free_s = begin_s + packet_s;
    s->controller->sent(s->state,
                        &(struct congestion_sent){.now_ns = s->now_ns,
                                                  .bytes = path->packet_bytes,
                                                  .in_flight_bytes = s->in_flight * path->packet_bytes});
    assert_true(s->next - s->oldest < FLIGHT);
    s->flying[s->next++ % FLIGHT] = (struct flying){
        s->now_ns, queued && survives ? (uint64_t)((s->link_free_s + path->rtt_s) * 1e9) : UINT64_MAX};
    s->in_flight++;
}

static struct congestion_rtt rtt_of(const struct sender *s, uint64_t latest_ns) {
    const uint64_t min_ns = (uint64_t)(s->path->rtt_s * 1e9);
    return (struct congestion_rtt){
        .latest_ns = latest_ns, .smoothed_ns = latest_ns, .variation_ns = min_ns / 8, .min_ns = min_ns};
}

static void tell_lost(struct sender *s, uint64_t before, uint64_t rtt_ns) {
    struct congestion_packet lost[1024];
    size_t count = 0;
    for (; s->oldest < before && count < 1024; s->oldest++) {
        const struct flying *packet = &s->flying[s->oldest % FLIGHT];
        if (packet->ack_ns != UINT64_MAX) continue;
        lost[count++] =
            (struct congestion_packet){s->oldest, packet->sent_ns, s->path->packet_bytes, true, true};
    }
    if (count == 0) return;
    s->controller->lost(s->state,
                        &(struct congestion_lost){.now_ns = s->now_ns,
                                                  .in_flight_bytes = s->in_flight * s->path->packet_bytes,
                                                  .space = 2,
                                                  .rtt = rtt_of(s, rtt_ns),
                                                  .packets = lost,
                                                  .packet_count = count});
    s->in_flight -= count;
    s->result.lost += count;
}

static void take_ack(struct sender *s, uint64_t number) {
    const struct flying packet = s->flying[number % FLIGHT];
    const uint64_t rtt_ns = s->now_ns - packet.sent_ns;
    if (number >= s->oldest + REORDERING) tell_lost(s, number - REORDERING + 1, rtt_ns);
    const struct congestion_packet acked = {number, packet.sent_ns, s->path->packet_bytes, false, false};
    s->controller->acked(s->state,
                         &(struct congestion_acked){.now_ns = s->now_ns,
                                                    .in_flight_bytes = s->in_flight * s->path->packet_bytes,
                                                    .rtt = rtt_of(s, rtt_ns),
                                                    .packets = &acked,
                                                    .packet_count = 1});
    s->in_flight--;
    if (seconds(s->now_ns) >= s->path->measured_from_s) s->delivered_bytes += (double)s->path->packet_bytes;
}

static void advance(struct sender *s, uint64_t now_ns) {
    if (seconds(s->now_ns) >= s->path->measured_from_s)
        s->window_s += seconds(now_ns - s->now_ns) * (double)window_of(s).window_bytes;
    s->now_ns = now_ns;
}

struct simulated_result simulate_path(const struct congestion_controller *controller,
                                      const struct simulated_path *path) {
    const struct congestion_start start = {path->packet_bytes, INITIAL_PACKETS};
    struct sender s = {.path = path, .controller = controller, .random = path->seed, .now_ns = 1};
    s.state = controller->open(controller, &start);
    s.flying = calloc(FLIGHT, sizeof *s.flying);
    assert_non_null(s.state);
    assert_non_null(s.flying);
    uint64_t expected = 0; // the number whose ACK is looked for next: they come in order
    while (seconds(s.now_ns) < path->duration_s) {
        while ((s.in_flight + 1) * path->packet_bytes <= window_of(&s).window_bytes)
            send_packet(&s);
        while (expected < s.next && s.flying[expected % FLIGHT].ack_ns == UINT64_MAX)
            expected++;
        if (expected == s.next) { // nothing will come back: a probe after a time-out
            advance(&s, s.now_ns + (uint64_t)(3 * path->rtt_s * 1e9));
            send_packet(&s);
            continue;
        }
        advance(&s, s.flying[expected % FLIGHT].ack_ns);
        const uint64_t before = window_of(&s).ssthresh_bytes;
        take_ack(&s, expected++);
        s.result.reductions += window_of(&s).ssthresh_bytes != before;
    }
    const double measured_s = seconds(s.now_ns) - path->measured_from_s;
    s.result.utilization = s.delivered_bytes * 8 / (path->rate_bps * measured_s);
    s.result.window_packets = s.window_s / measured_s / (double)path->packet_bytes;
    free(s.flying);
    controller->close(s.state);
    return s.result;
}
