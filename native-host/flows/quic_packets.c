// Packets out: quiche makes them while the pacer lets them go; a packet that quiche itself wants out later
// (its BBR paces) waits in the burst. The stream is kept filled meanwhile, so that the network alone limits
// a flow.
#include "base/clock.h"
#include "congestion/quiche_congestion.h"
#include "congestion/quiche_pacing.h"
#include "flows/quic_connection.h"

#include <string.h>

enum {
    AEAD_TAG_BYTES = 16,
    // Of a packet, what is not the stream's: head, packet number, tag and the frame's head, rather too few.
    PACKET_HEAD_BYTES = 1 + QUIC_CID_BYTES + 2 + AEAD_TAG_BYTES + 8,
    // A smaller packet is of acknowledgements and control alone, as far as one can tell.
    CONTENT_PACKET_BYTES = 150,
    // Held by quiche all the time, or it would find the stream empty within a burst.
    LEAST_HELD_BYTES = 4 * QUIC_PAYLOAD_BYTES,
};
static const uint64_t RELEASE_EARLY_NS = 50 * NS_PER_US; // a timer is no more exact than that

enum packets { PACKETS_DRAINED, PACKETS_PACED, PACKETS_WAIT };

// As far as quiche tells: of packets whose keys are gone it does not say that they are.
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
    if (!quiche_paths_active(&c->paths, c->quic, &path)) return;
    if (c->controller->paced) quiche_pacing_update(&c->pacer, c->quic, &path);
    if (!c->sends) return;
    quiche_stats all; // of a path, quiche's CUBIC and Reno do not count the bytes that were lost
    quiche_conn_stats(c->quic, &all);
    const uint64_t in_flight = in_flight_bytes(c, &all, &path);
    c->in_flight_bytes = in_flight;
    c->room_bytes = path.cwnd > in_flight ? path.cwnd - in_flight : 0;
    // What was lost quiche sends again, so it holds it again.
    const uint64_t heads = (all.lost - c->lost_packets) * PACKET_HEAD_BYTES;
    const uint64_t lost = all.lost_bytes - c->lost_bytes;
    c->held_bytes += lost > heads ? lost - heads : 0;
    c->lost_bytes = all.lost_bytes;
    c->lost_packets = all.lost;
}

static void count_packet(struct quic_connection *c, size_t size) {
    const size_t of_stream = size > PACKET_HEAD_BYTES ? size - PACKET_HEAD_BYTES : 0;
    c->held_bytes -= c->held_bytes < of_stream ? c->held_bytes : of_stream;
    c->room_bytes -= c->room_bytes < size ? c->room_bytes : size;
    c->in_flight_bytes += size;
}

static void address_in(struct sockaddr_in6 *out, const struct sockaddr_storage *in) {
    memcpy(out, in, sizeof *out); // all of ours are IPv6
    out->sin6_flowinfo = 0;
}

static bool flush(struct quic_connection *c, uint64_t now_ns) {
    return burst_flush(&c->burst, &c->link, now_ns + RELEASE_EARLY_NS);
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
    c->held_bytes = 0;
    quic_stream_send(c);
    return c->held_bytes > 0;
}

// Makes packets, and sends them in bursts, until quiche has no more (then the last burst is still to be
// sent), the pacer wants a pause, or a packet has to wait.
static enum packets make_packets(struct quic_connection *c) {
    for (bool refilled = false;;) {
        if (c->held_bytes < LEAST_HELD_BYTES) quic_stream_send(c);
        if (waits_for_room(c)) return PACKETS_DRAINED;
        const uint64_t now_ns = clock_now_ns();
        const bool may_send = !c->controller->paced || pacer_may_send(&c->pacer, now_ns);
        uint8_t *place = may_send ? burst_place(&c->burst, QUIC_PAYLOAD_BYTES) : NULL;
        if (!place && !flush(c, now_ns)) return PACKETS_WAIT;
        if (!may_send) return PACKETS_PACED;
        if (!place) continue;
        quiche_send_info info;
        const ssize_t size = quiche_conn_send(c->quic, place, QUIC_PAYLOAD_BYTES, &info);
        if (size <= 0) {
            if (refilled || !refill(c)) return PACKETS_DRAINED;
            refilled = true;
            continue;
        }
        pacer_sent(&c->pacer, (size_t)size, now_ns);
        quiche_paths_sent(&c->paths, c->held_bytes > 0 && size >= CONTENT_PACKET_BYTES, now_ns);
        count_packet(c, (size_t)size);
        struct udp_burst packet = {.size = (size_t)size, .segment_size = (size_t)size};
        address_in(&packet.local, &info.from);
        address_in(&packet.peer, &info.to);
        const uint64_t due_ns = (uint64_t)info.at.tv_sec * NS_PER_S + (uint64_t)info.at.tv_nsec;
        burst_add(&c->burst, &packet, due_ns > now_ns + RELEASE_EARLY_NS ? due_ns : 0);
    }
}

// Asks quiche for a packet into too little room. It makes none, but it takes note that the application is not
// what limits: without that the window would not grow while the pacer holds packets back.
static void not_application_limited(struct quic_connection *c) {
    const uint8_t *dcid;
    size_t dcid_size;
    uint8_t room[1 + QUICHE_MAX_CONN_ID_LEN + AEAD_TAG_BYTES];
    quiche_send_info info;
    quiche_conn_destination_id(c->quic, &dcid, &dcid_size);
    if (dcid_size <= QUICHE_MAX_CONN_ID_LEN)
        quiche_conn_send(c->quic, room, 1 + dcid_size + AEAD_TAG_BYTES, &info);
}

static void set_timer(struct quic_connection *c, enum packets packets) {
    uint64_t due_ns = UINT64_MAX;
    const uint64_t timeout_ns = quiche_conn_timeout_as_nanos(c->quic);
    if (timeout_ns != UINT64_MAX) due_ns = clock_now_ns() + timeout_ns;
    if (packets == PACKETS_PACED && pacer_next_ns(&c->pacer) < due_ns) due_ns = pacer_next_ns(&c->pacer);
    if (c->burst.due_ns > 0 && c->burst.due_ns < due_ns) due_ns = c->burst.due_ns;
    const uint64_t others_ns[] = {c->silence_ns, c->paths.leave_ns, c->move.leave_ns};
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
    if (!quiche_paths_active(&c->paths, c->quic, &path)) return;
    const uint64_t patience_ns = ROUND_TRIPS * path.rtt;
    c->silence_ns = now_ns + (patience_ns > least_ns ? patience_ns : least_ns);
}

void quic_packets_turn(struct quic_connection *c) {
    enum packets packets = PACKETS_WAIT;
    if (!c->burst.no_room) {
        update_from_path(c);
        quic_stream_send(c);
        packets = make_packets(c);
        if (packets == PACKETS_DRAINED && !flush(c, clock_now_ns())) packets = PACKETS_WAIT;
        if (c->sends && c->held_bytes > 0) not_application_limited(c);
        c->timed_out = false;
    }
    set_timer(c, packets);
}

void quic_packets_last(struct quic_connection *c) {
    if (c->burst.no_room) return;
    if (make_packets(c) == PACKETS_DRAINED) flush(c, clock_now_ns());
}

void quic_packets_sample(struct quic_connection *c, struct flow_sample *sample) {
    quiche_path_stats path;
    quiche_stats all;
    if (c->setup->end->is_near && flow_plan_of(c->flow)->migrate_ms > 0) {
        sample->moves_begun = c->move.begun;
        sample->moves_made = c->move.made;
    }
    if (!c->quic || !quiche_paths_active(&c->paths, c->quic, &path)) return;
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
    if (c->controller->paced && c->pacer.rate > 0)
        sample->pacing_bps = (uint64_t)(c->pacer.rate * 8 * (double)NS_PER_S);
}
