#include "paced_path.h"

#include "quic_io/pacer.h"
#include "test/native/cmocka_unit.h"

#include <stdbool.h>
#include <stdlib.h>

enum { REORDERING = 3, FLIGHT = 1 << 15, INITIAL_PACKETS = 10 };
static const uint64_t DELAYED_ACK_NS = 25 * 1000 * 1000;

struct packet {
    uint64_t sent_ns;
    uint64_t arrives_ns; // UINT64_MAX: the queue was full
    bool is_gone;        // acknowledged, or taken for lost
};

struct ack {
    uint64_t arrives_ns;
    uint64_t largest; // all before it that arrived are acknowledged, too
    uint64_t delay_ns;
};

struct run {
    const struct paced_path *path;
    const struct congestion_controller *controller;
    void *state;
    struct pacer pacer;
    struct packet *packets; // by number, a ring
    uint64_t next, oldest;  // numbers: to be sent; neither acknowledged nor lost
    uint64_t in_flight;
    uint64_t at_receiver; // the number that arrives next
    uint64_t unacked, first_unacked_ns;
    struct ack *acks; // a ring
    uint64_t acks_from, acks_to;
    double link_free_s;
    uint64_t now_ns, random;
    struct congestion_rtt rtt;
    struct paced_span *spans;
    double *queue_s, *sent, *lost, *let_in, *delivered_s; // by span
    size_t count;
};

static double draw(struct run *r) {
    r->random ^= r->random << 13;
    r->random ^= r->random >> 7;
    r->random ^= r->random << 17;
    return (double)(r->random >> 11) / 9007199254740992.0;
}

static double link_bps(const struct paced_path *path, double at_s) {
    return path->changes_s > 0 && at_s >= path->changes_s ? path->changed_bps : path->rate_bps;
}

// The span of a moment; NULL between them.
static struct paced_span *span_of(struct run *r, double at_s) {
    for (size_t i = 0; i < r->count; i++)
        if (at_s >= r->spans[i].from_s && at_s < r->spans[i].to_s) return &r->spans[i];
    return NULL;
}

static struct congestion_window window_of(const struct run *r) {
    struct congestion_window window;
    r->controller->window(r->state, &window);
    return window;
}

static void set_pace(struct run *r) {
    const struct congestion_window window = window_of(r);
    if (window.pacing_bps > 0)
        pacer_set_rate(&r->pacer, window.pacing_bps);
    else
        pacer_update(&r->pacer, window.window_bytes, r->rtt.smoothed_ns, true);
}

static void send_packet(struct run *r) {
    const struct paced_path *path = r->path;
    const double now_s = (double)r->now_ns / 1e9;
    const double begin_s = r->link_free_s > now_s ? r->link_free_s : now_s;
    const bool fits = begin_s - now_s <= path->buffer_s * path->rate_bps / link_bps(path, now_s);
    const double packet_s = (double)path->packet_bytes * 8 / link_bps(path, begin_s);
    struct paced_span *span = span_of(r, now_s);
    if (fits) {
        r->link_free_s = begin_s + packet_s;
        struct paced_span *served = span_of(r, begin_s);
        if (served) r->delivered_s[served - r->spans] += packet_s;
    }
    if (span) {
        const size_t i = (size_t)(span - r->spans);
        r->sent[i]++;
        r->lost[i] += !fits;
        r->let_in[i] += fits;
        if (fits) r->queue_s[i] += begin_s - now_s;
        if (fits && begin_s - now_s > span->most_queue_s) span->most_queue_s = begin_s - now_s;
    }
    r->controller->sent(r->state,
                        &(struct congestion_sent){.now_ns = r->now_ns,
                                                  .bytes = path->packet_bytes,
                                                  .in_flight_bytes = r->in_flight * path->packet_bytes});
    pacer_sent(&r->pacer, path->packet_bytes, r->now_ns);
    assert_true(r->next - r->oldest < FLIGHT);
    r->packets[r->next++ % FLIGHT] = (struct packet){
        r->now_ns, fits ? (uint64_t)((r->link_free_s + path->rtt_s / 2) * 1e9) : UINT64_MAX, false};
    r->in_flight++;
}

static void send_ack(struct run *r) {
    const double way_s = r->path->rtt_s / 2 + draw(r) * r->path->jitter_s;
    uint64_t arrives_ns = r->now_ns + (uint64_t)(way_s * 1e9);
    if (r->acks_to > r->acks_from && r->acks[(r->acks_to - 1) % FLIGHT].arrives_ns > arrives_ns)
        arrives_ns = r->acks[(r->acks_to - 1) % FLIGHT].arrives_ns;
    uint64_t largest = r->at_receiver - 1;
    while (r->packets[largest % FLIGHT].arrives_ns == UINT64_MAX)
        largest--;
    r->acks[r->acks_to++ % FLIGHT] =
        (struct ack){arrives_ns, largest, r->now_ns - r->packets[largest % FLIGHT].arrives_ns};
    r->unacked = 0;
}

static void receive(struct run *r) {
    r->at_receiver++;
    if (r->unacked++ == 0) r->first_unacked_ns = r->now_ns;
    if (r->unacked >= r->path->ack_every) send_ack(r);
}

static void take_sample(struct run *r, uint64_t latest_ns) {
    struct congestion_rtt *rtt = &r->rtt;
    rtt->min_ns = rtt->latest_ns == 0 || latest_ns < rtt->min_ns ? latest_ns : rtt->min_ns;
    rtt->smoothed_ns = rtt->latest_ns == 0 ? latest_ns : (7 * rtt->smoothed_ns + latest_ns) / 8;
    rtt->variation_ns = rtt->smoothed_ns / 8;
    rtt->latest_ns = latest_ns;
}

static void take_ack(struct run *r, const struct ack *ack) {
    static struct congestion_packet acked[FLIGHT], lost[FLIGHT];
    const uint64_t bytes = r->path->packet_bytes;
    size_t acked_count = 0, lost_count = 0;
    take_sample(r, r->now_ns - r->packets[ack->largest % FLIGHT].sent_ns);
    for (uint64_t i = r->oldest; i <= ack->largest; i++) {
        struct packet *packet = &r->packets[i % FLIGHT];
        const bool arrived = packet->arrives_ns != UINT64_MAX;
        if (packet->is_gone || (!arrived && i + REORDERING > ack->largest)) continue;
        packet->is_gone = true;
        if (arrived)
            acked[acked_count++] = (struct congestion_packet){i, packet->sent_ns, bytes, false, false};
        else
            lost[lost_count++] = (struct congestion_packet){i, packet->sent_ns, bytes, true, true};
    }
    while (r->oldest < r->next && r->packets[r->oldest % FLIGHT].is_gone)
        r->oldest++;
    const uint64_t in_flight_bytes = r->in_flight * bytes;
    if (lost_count > 0)
        r->controller->lost(r->state, &(struct congestion_lost){.now_ns = r->now_ns,
                                                                .in_flight_bytes = in_flight_bytes,
                                                                .space = 2,
                                                                .rtt = r->rtt,
                                                                .packets = lost,
                                                                .packet_count = lost_count});
    r->in_flight -= lost_count;
    if (acked_count > 0)
        r->controller->acked(r->state, &(struct congestion_acked){.now_ns = r->now_ns,
                                                                  .in_flight_bytes = r->in_flight * bytes,
                                                                  .ack_delay_ns = ack->delay_ns,
                                                                  .rtt = r->rtt,
                                                                  .packets = acked,
                                                                  .packet_count = acked_count});
    r->in_flight -= acked_count;
    set_pace(r);
}

static bool may_send(struct run *r) {
    return (r->in_flight + 1) * r->path->packet_bytes <= window_of(r).window_bytes;
}

static uint64_t soonest(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

// Until something happens.
static void step(struct run *r) {
    while (r->at_receiver < r->next && r->packets[r->at_receiver % FLIGHT].arrives_ns == UINT64_MAX)
        r->at_receiver++;
    const uint64_t arrival_ns =
        r->at_receiver < r->next ? r->packets[r->at_receiver % FLIGHT].arrives_ns : UINT64_MAX;
    const uint64_t ack_ns =
        r->acks_from < r->acks_to ? r->acks[r->acks_from % FLIGHT].arrives_ns : UINT64_MAX;
    const uint64_t delayed_ns = r->unacked > 0 ? r->first_unacked_ns + DELAYED_ACK_NS : UINT64_MAX;
    uint64_t send_ns = UINT64_MAX;
    if (may_send(r)) send_ns = pacer_may_send(&r->pacer, r->now_ns) ? r->now_ns : pacer_next_ns(&r->pacer);
    const uint64_t next_ns = soonest(soonest(arrival_ns, ack_ns), soonest(delayed_ns, send_ns));
    if (next_ns == UINT64_MAX) { // all was lost: a probe after a time-out
        r->now_ns += 3 * r->rtt.smoothed_ns;
        send_packet(r);
        return;
    }
    r->now_ns = next_ns > r->now_ns ? next_ns : r->now_ns;
    if (ack_ns == next_ns)
        take_ack(r, &r->acks[r->acks_from++ % FLIGHT]);
    else if (arrival_ns == next_ns)
        receive(r);
    else if (delayed_ns == next_ns)
        send_ack(r);
    else if (pacer_may_send(&r->pacer, r->now_ns))
        send_packet(r);
}

void simulate_paced(const struct congestion_controller *controller, const struct paced_path *path,
                    struct paced_span *spans, size_t count) {
    const struct congestion_start start = {path->packet_bytes, INITIAL_PACKETS};
    struct run r = {.path = path,
                    .controller = controller,
                    .random = path->seed,
                    .now_ns = 1,
                    .state = controller->open(controller, &start),
                    .packets = calloc(FLIGHT, sizeof *r.packets),
                    .acks = calloc(FLIGHT, sizeof *r.acks),
                    .spans = spans,
                    .count = count};
    double *sums = calloc(5 * count, sizeof *sums);
    assert_true(r.state && r.packets && r.acks && sums);
    r.queue_s = sums, r.sent = sums + count, r.lost = sums + 2 * count, r.let_in = sums + 3 * count;
    r.delivered_s = sums + 4 * count;
    pacer_init(&r.pacer, path->packet_bytes, INITIAL_PACKETS);
    set_pace(&r);
    while ((double)r.now_ns / 1e9 < spans[count - 1].to_s)
        step(&r);
    for (size_t i = 0; i < count; i++) {
        spans[i].utilization = r.delivered_s[i] / (spans[i].to_s - spans[i].from_s);
        spans[i].mean_queue_s = r.let_in[i] > 0 ? r.queue_s[i] / r.let_in[i] : 0;
        spans[i].lost = r.sent[i] > 0 ? r.lost[i] / r.sent[i] : 0;
    }
    free(sums);
    free(r.packets);
    free(r.acks);
    controller->close(r.state);
}
