// What a flow's connection has to send (quiche_sender.h makes the packets). The stream is kept filled
// meanwhile, so that the network alone limits a flow.
#include "base/clock.h"
#include "congestion/quiche_congestion.h"
#include "flows/quic_connection.h"

enum {
    // Held by quiche all the time, or it would find the stream empty within a burst.
    LEAST_HELD_BYTES = 4 * QUIC_PAYLOAD_BYTES,
};

// As far as quiche reports: of packets whose keys are gone it does not say that they are.
static uint64_t unacknowledged_bytes(const quiche_stats *all) {
    const uint64_t gone = all->acked_bytes + all->lost_bytes;
    return all->sent_bytes > gone ? all->sent_bytes - gone : 0;
}

// On the path in use: after a move, what is under way on the one that was left does not count.
static uint64_t in_flight_bytes(const struct quic_connection *c, const quiche_stats *all,
                                const quiche_path_stats *path) {
    const uint64_t bytes = unacknowledged_bytes(all);
    const uint64_t on_all = bytes > c->base_bytes ? bytes - c->base_bytes : 0;
    return on_all < path->sent_bytes ? on_all : path->sent_bytes;
}

void quic_packets_start(struct quic_connection *c) {
    quiche_stats all;
    quiche_conn_stats(c->quic, &all);
    c->base_bytes = unacknowledged_bytes(&all);
}

static void update_from_path(struct quic_connection *c) {
    quiche_path_stats path;
    quiche_stats all; // of a path, quiche's CUBIC and Reno do not count the bytes that were lost
    if (!quiche_sender_update(&c->sender, c->quic, &path) || !c->sends) return;
    quiche_conn_stats(c->quic, &all);
    const uint64_t in_flight = in_flight_bytes(c, &all, &path);
    c->in_flight_bytes = in_flight;
    c->room_bytes = path.cwnd > in_flight ? path.cwnd - in_flight : 0;
    quiche_sender_count_lost(&c->sender, &all);
}

// quiche fills what is left of the window with a packet of that size. Its acknowledgement then makes room for
// no more than another one like it, and soon most packets are small: more heads, and more packets for a link
// to lose (TCP's silly window, RFC 1122, 4.2.3.4). So a sender waits for room for a whole packet, as TCP
// does, unless nothing is under way that could make it, or a timer of quiche's has run out, which wants a
// packet at once.
static bool waits_for_room(const struct quic_connection *c) {
    return c->sends && c->phase == QUIC_RUNNING && !c->timed_out && c->in_flight_bytes > 0 &&
           c->room_bytes < QUIC_PAYLOAD_BYTES;
}

// Where quiche has no more although the window has room, it holds less than was thought. True if there is
// more now.
static bool refill(struct quic_connection *c) {
    if (!c->sends || c->room_bytes < 2 * QUIC_PAYLOAD_BYTES) return false;
    c->sender.held_bytes = 0;
    quic_stream_send(c);
    return c->sender.held_bytes > 0;
}

static enum quiche_packets make_packets(struct quic_connection *c) {
    for (bool refilled = false;;) {
        if (c->sender.held_bytes < LEAST_HELD_BYTES) quic_stream_send(c);
        if (waits_for_room(c)) return PACKETS_DRAINED;
        size_t size;
        const enum quiche_packets packets = quiche_sender_make(&c->sender, c->quic, &c->link, &size);
        if (packets == PACKETS_MADE) {
            c->room_bytes -= c->room_bytes < size ? c->room_bytes : size;
            c->in_flight_bytes += size;
            continue;
        }
        if (packets != PACKETS_DRAINED || refilled || !refill(c)) return packets;
        refilled = true;
    }
}

static void set_timer(struct quic_connection *c, enum quiche_packets packets) {
    uint64_t due_ns = quiche_sender_due_ns(&c->sender, c->quic, packets);
    const uint64_t others_ns[] = {c->silence_ns, c->sender.paths.leave_ns, c->move.leave_ns};
    for (size_t i = 0; i < sizeof others_ns / sizeof *others_ns; i++)
        if (others_ns[i] > 0 && others_ns[i] < due_ns) due_ns = others_ns[i];
    if (due_ns == UINT64_MAX)
        loop_timer_clear(c->setup->end->loop, &c->timer);
    else
        loop_timer_set(c->setup->end->loop, &c->timer, due_ns);
}

void quic_packets_heard(struct quic_connection *c, uint64_t now_ns) {
    enum { ROUND_TRIPS = 3 };
    static const uint64_t least_ns = 100 * NS_PER_MS;
    quiche_path_stats path;
    c->silence_ns = 0;
    if (!c->setup->end->is_near || c->sends || c->phase != QUIC_RUNNING) return;
    if (!quiche_paths_active(&c->sender.paths, c->quic, &path)) return;
    const uint64_t patience_ns = ROUND_TRIPS * path.rtt;
    c->silence_ns = now_ns + (patience_ns > least_ns ? patience_ns : least_ns);
}

void quic_packets_turn(struct quic_connection *c) {
    enum quiche_packets packets = PACKETS_WAIT;
    if (!c->sender.burst.no_room) {
        update_from_path(c);
        quic_stream_send(c);
        packets = make_packets(c);
        if (packets == PACKETS_DRAINED && !quiche_sender_flush(&c->sender, &c->link)) packets = PACKETS_WAIT;
        if (c->sends && c->sender.held_bytes > 0) quiche_sender_not_application_limited(c->quic);
        c->timed_out = false;
    }
    set_timer(c, packets);
}

void quic_packets_last(struct quic_connection *c) {
    if (c->sender.burst.no_room) return;
    if (make_packets(c) == PACKETS_DRAINED) quiche_sender_flush(&c->sender, &c->link);
}

void quic_packets_sample(struct quic_connection *c, struct flow_sample *sample) {
    quiche_path_stats path;
    quiche_stats all;
    if (c->setup->end->is_near && flow_plan_of(c->flow)->migrate_ms > 0) {
        sample->moves_begun = c->move.begun;
        sample->moves_made = c->move.made;
    }
    if (!c->quic || !quiche_paths_active(&c->sender.paths, c->quic, &path)) return;
    quiche_conn_stats(c->quic, &all);
    sample->packets_sent = all.sent; // on all paths, as all that is cumulative
    if (!c->sends) return;           // what a receiver knows of the path is from its few acknowledged packets
    sample->cwnd_bytes = path.cwnd;
    struct congestion_window ours;
    if (quiche_congestion_window(c->quic, &ours)) sample->ssthresh_bytes = ours.ssthresh_bytes;
    sample->srtt_ns = path.rtt;
    if (path.min_rtt > 0) sample->min_rtt_ns = path.min_rtt;
    sample->in_flight_bytes = in_flight_bytes(c, &all, &path);
    sample->lost_packets = all.lost;
    sample->retransmitted_bytes = all.stream_retrans_bytes;
    if (path.delivery_rate > 0) sample->delivery_bps = path.delivery_rate * 8;
    if (c->controller->paced && c->sender.pacer.rate > 0)
        sample->pacing_bps = (uint64_t)(c->sender.pacer.rate * 8 * (double)NS_PER_S);
}
