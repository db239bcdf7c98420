#include "simulated_path.h"

#include "quic_io/pacer.h"
#include "test/native/cmocka_unit.h"

#include <math.h>

enum { REORDERING = 3, FLIGHT = 1 << 15, INITIAL_PACKETS = 10 };
enum { CHROMIUM_FROM_PACKETS = 100, CHROMIUM_ACK_PACKETS = 10 };
static const double DELAYED_ACK_S = 0.025;

struct packet {
    uint64_t sent_ns;
    uint64_t arrives_ns; // UINT64_MAX: it is lost on the way
    bool is_gone;        // acknowledged, or taken for lost
};

struct ack {
    uint64_t arrives_ns;
    uint64_t largest; // all before it that arrived are acknowledged, too
    uint64_t delay_ns;
};

struct run {
    const struct simulated_path *path;
    const struct congestion_controller *controller;
    void *state;
    struct pacer pacer;
    struct packet *packets; // by number, a ring
    uint64_t next, oldest;  // numbers: to be sent; neither acknowledged nor lost
    uint64_t in_flight;
    uint64_t at_receiver; // the number that arrives next
    uint64_t unacked, ack_due_ns;
    struct ack *acks; // a ring
    uint64_t acks_from, acks_to;
    double link_free_ns;
    uint64_t now_ns, random;
    struct congestion_rtt rtt;
    struct simulated_span *spans;
    size_t count;
    struct simulated_span between; // what is in none of them
};

static double draw(struct run *r) {
    r->random ^= r->random << 13;
    r->random ^= r->random >> 7;
    r->random ^= r->random << 17;
    return (double)(r->random >> 11) / 9007199254740992.0;
}

static double link_bps(const struct simulated_path *path, double at_s) {
    return path->changes_s > 0 && at_s >= path->changes_s ? path->changed_bps : path->rate_bps;
}

static struct simulated_span *span_of(struct run *r, double at_s) {
    for (size_t i = 0; i < r->count; i++)
        if (at_s >= r->spans[i].from_s && at_s < r->spans[i].to_s) return &r->spans[i];
    return &r->between;
}

static uint64_t half_rtt_ns(const struct simulated_path *path) {
    return (uint64_t)(path->rtt_s * 1e9 / 2);
}

static double now_s(const struct run *r) {
    return (double)r->now_ns / 1e9;
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

static void note_sent(struct simulated_span *span, bool fits, double queue_s) {
    span->sent++;
    span->lost += !fits;
    if (!fits) return;
    span->let_in++;
    span->mean_queue_s += queue_s;
    if (queue_s > span->most_queue_s) span->most_queue_s = queue_s;
}

static void send_packet(struct run *r) {
    const struct simulated_path *path = r->path;
    const double begin_ns = fmax(r->link_free_ns, (double)r->now_ns);
    const double queue_s = (begin_ns - (double)r->now_ns) / 1e9;
    const bool fits = queue_s <= path->buffer_s * path->rate_bps / link_bps(path, now_s(r));
    const bool survives = path->loss == 0 || draw(r) >= path->loss;
    const double packet_s = (double)path->packet_bytes * 8 / link_bps(path, begin_ns / 1e9);
    uint64_t arrives_ns = UINT64_MAX;
    note_sent(span_of(r, now_s(r)), fits, queue_s);
    if (fits) r->link_free_ns = begin_ns + packet_s * 1e9;
    if (fits && survives) {
        arrives_ns = (uint64_t)r->link_free_ns + half_rtt_ns(path);
        span_of(r, (double)arrives_ns / 1e9)->utilization += packet_s;
    }
    r->controller->sent(r->state,
                        &(struct congestion_sent){.now_ns = r->now_ns,
                                                  .bytes = path->packet_bytes,
                                                  .in_flight_bytes = r->in_flight * path->packet_bytes});
    pacer_sent(&r->pacer, path->packet_bytes, r->now_ns);
    assert_true(r->next - r->oldest < FLIGHT);
    r->packets[r->next++ % FLIGHT] = (struct packet){r->now_ns, arrives_ns, false};
    r->in_flight++;
}

static void send_ack(struct run *r) {
    const uint64_t jitter_ns = (uint64_t)(draw(r) * r->path->jitter_s * 1e9);
    uint64_t arrives_ns = r->now_ns + half_rtt_ns(r->path) + jitter_ns;
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
    const bool is_chromium = r->path->ack_every == ACKS_AS_CHROMIUM;
    const bool seldom = is_chromium && ++r->at_receiver > CHROMIUM_FROM_PACKETS;
    if (!is_chromium) r->at_receiver++;
    const uint64_t every = seldom ? CHROMIUM_ACK_PACKETS : is_chromium ? 2 : r->path->ack_every;
    const double quarter_s = r->path->rtt_s / 4;
    const double delay_s = seldom && quarter_s < DELAYED_ACK_S ? quarter_s : DELAYED_ACK_S;
    if (r->unacked++ == 0) r->ack_due_ns = r->now_ns + (uint64_t)(delay_s * 1e9);
    if (r->unacked >= every) send_ack(r);
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
    const uint64_t bytes = r->path->packet_bytes, ssthresh_bytes = window_of(r).ssthresh_bytes;
    size_t acked_count = 0, lost_count = 0;
    take_sample(r, r->now_ns - ack->delay_ns - r->packets[ack->largest % FLIGHT].sent_ns);
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
    if (lost_count > 0)
        r->controller->lost(r->state, &(struct congestion_lost){.now_ns = r->now_ns,
                                                                .in_flight_bytes = r->in_flight * bytes,
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
    struct simulated_span *span = span_of(r, now_s(r));
    span->acks++;
    span->packets_per_ack += (double)acked_count;
    span->reductions += window_of(r).ssthresh_bytes != ssthresh_bytes;
}

static uint64_t send_time_ns(struct run *r) {
    const struct congestion_window window = window_of(r);
    if ((r->in_flight + 1) * r->path->packet_bytes > window.window_bytes) return UINT64_MAX;
    return !r->path->paced || pacer_may_send(&r->pacer, r->now_ns) ? r->now_ns : pacer_next_ns(&r->pacer);
}

static uint64_t soonest(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static void advance(struct run *r, uint64_t to_ns) {
    if (to_ns <= r->now_ns) return;
    span_of(r, now_s(r))->window_packets +=
        (double)(to_ns - r->now_ns) / 1e9 * (double)window_of(r).window_bytes / (double)r->path->packet_bytes;
    r->now_ns = to_ns;
}

// Until something happens.
static void step(struct run *r) {
    const uint64_t send_ns = send_time_ns(r);
    if (send_ns == r->now_ns) {
        send_packet(r);
        return;
    }
    while (r->at_receiver < r->next && r->packets[r->at_receiver % FLIGHT].arrives_ns == UINT64_MAX)
        r->at_receiver++;
    const uint64_t arrival_ns =
        r->at_receiver < r->next ? r->packets[r->at_receiver % FLIGHT].arrives_ns : UINT64_MAX;
    const uint64_t ack_ns =
        r->acks_from < r->acks_to ? r->acks[r->acks_from % FLIGHT].arrives_ns : UINT64_MAX;
    const uint64_t delayed_ns = r->unacked > 0 ? r->ack_due_ns : UINT64_MAX;
    const uint64_t next_ns = soonest(soonest(arrival_ns, ack_ns), soonest(delayed_ns, send_ns));
    if (next_ns == UINT64_MAX) { // all was lost: a probe after a time-out
        advance(r, r->now_ns + 3 * r->rtt.smoothed_ns);
        send_packet(r);
        return;
    }
    advance(r, next_ns);
    if (arrival_ns == next_ns)
        receive(r);
    else if (delayed_ns == next_ns)
        send_ack(r);
    else if (ack_ns == next_ns)
        take_ack(r, &r->acks[r->acks_from++ % FLIGHT]);
}

// A handshake of small packets has measured it; the minimum is of full packets alone.
static void know_rtt(struct run *r) {
    const uint64_t rtt_ns = (uint64_t)(r->path->rtt_s * 1e9);
    const struct congestion_rtt rtt = {.latest_ns = rtt_ns, .smoothed_ns = rtt_ns, .min_ns = rtt_ns};
    r->controller->acked(r->state, &(struct congestion_acked){.now_ns = r->now_ns, .rtt = rtt});
    r->rtt.smoothed_ns = rtt_ns;
}

// From sums to means.
static void conclude(struct simulated_span *span) {
    const double span_s = span->to_s - span->from_s;
    span->utilization /= span_s;
    span->window_packets /= span_s;
    if (span->let_in > 0) span->mean_queue_s /= span->let_in;
    if (span->sent > 0) span->lost /= span->sent;
    if (span->acks > 0) span->packets_per_ack /= span->acks;
}

void simulate_path(const struct congestion_controller *controller, const struct simulated_path *path,
                   struct simulated_span *spans, size_t count) {
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
    assert_true(r.state && r.packets && r.acks);
    pacer_init(&r.pacer, path->packet_bytes, INITIAL_PACKETS);
    know_rtt(&r);
    set_pace(&r);
    while (now_s(&r) < spans[count - 1].to_s)
        step(&r);
    for (size_t i = 0; i < count; i++)
        conclude(&spans[i]);
    free(r.packets);
    free(r.acks);
    controller->close(r.state);
}
