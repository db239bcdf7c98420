// Packets out: quiche makes them, while the pacer lets them go; a packet that quiche itself wants out later
// (its BBR paces) waits in the burst. Responses give quiche no more while the pacer still holds back bytes
// given before, unless there is news: so the order is decided late, and an urgent response passes by the rest
// of a bulky one (quiche orders what it holds by the same priorities).
#include "base/clock.h"
#include "congestion/quiche_pacing.h"
#include "replay/h3/h3_connection.h"

#include <string.h>

enum {
    AEAD_TAG_BYTES = 16,
    // Of a packet, what is not a stream's: head, number, tag and the frame's head. Rather too much, but for
    // packets with an ACK frame.
    PACKET_HEAD_BYTES = 28,
    // A smaller packet is of acknowledgements and control alone, as far as one can tell.
    CONTENT_PACKET_BYTES = 150,
    // quiche puts nothing of a stream into less of a window: head, packet number, tag and the longest frame
    // head.
    LEAST_ROOM_BYTES = 1 + CID_MAX + 4 + AEAD_TAG_BYTES + 12,
};
static const uint64_t RELEASE_EARLY_NS = 50 * NS_PER_US; // a timer is no more exact than that

enum packets { PACKETS_DRAINED, PACKETS_PACED, PACKETS_WAIT };

static void address_in(struct sockaddr_in6 *out, const struct sockaddr_storage *in) {
    memcpy(out, in, sizeof *out); // all of ours are IPv6
    out->sin6_flowinfo = 0;
}

static void count_packet(struct h3_connection *c, size_t size) {
    const size_t of_streams = size > PACKET_HEAD_BYTES ? size - PACKET_HEAD_BYTES : 0;
    c->sent_bytes += size;
    c->held_bytes -= c->held_bytes < of_streams ? c->held_bytes : of_streams;
}

// Makes packets, and sends them in bursts, until quiche has no more (then the last burst is still to be
// sent), the pacer wants a pause, or a packet has to wait.
static enum packets make_packets(struct h3_connection *c) {
    for (;;) {
        uint64_t now_ns = clock_now_ns();
        uint64_t due_by_ns = now_ns + RELEASE_EARLY_NS;
        bool may_send = !c->owner->settings->paced || pacer_may_send(&c->pacer, now_ns);
        uint8_t *place =
            may_send ? burst_place(&c->burst, c->parts->transport->quic.max_udp_payload_bytes) : NULL;
        if (!place && !burst_flush(&c->burst, c->owner->link, due_by_ns)) return PACKETS_WAIT;
        if (!may_send) return PACKETS_PACED;
        if (!place) continue;
        quiche_send_info info;
        ssize_t size =
            quiche_conn_send(c->quic, place, c->parts->transport->quic.max_udp_payload_bytes, &info);
        if (size <= 0) return PACKETS_DRAINED;
        pacer_sent(&c->pacer, (size_t)size, now_ns);
        quiche_paths_sent(&c->paths, c->held_bytes > 0 && size >= CONTENT_PACKET_BYTES, now_ns);
        count_packet(c, (size_t)size);
        struct udp_burst packet = {.size = (size_t)size, .segment_size = (size_t)size};
        address_in(&packet.local, &info.from);
        address_in(&packet.peer, &info.to);
        uint64_t due_ns = (uint64_t)info.at.tv_sec * NS_PER_S + (uint64_t)info.at.tv_nsec;
        burst_add(&c->burst, &packet, due_ns > due_by_ns ? due_ns : 0);
    }
}

// Asks quiche for a packet into too little room. It makes none, but if it holds something it takes note that
// the application is not what limits: without that the window would not grow while the pacer holds packets
// back.
static void not_application_limited(struct h3_connection *c) {
    const uint8_t *dcid;
    size_t dcid_size;
    uint8_t room[1 + CID_MAX + AEAD_TAG_BYTES];
    quiche_send_info info;
    quiche_conn_destination_id(c->quic, &dcid, &dcid_size);
    if (dcid_size <= CID_MAX) quiche_conn_send(c->quic, room, 1 + dcid_size + AEAD_TAG_BYTES, &info);
}

static void update_from_path(struct h3_connection *c) {
    quiche_path_stats path;
    if (!quiche_paths_active(&c->paths, c->quic, &path)) return;
    c->probing = !quiche_paths_is_validated(&path);
    quiche_stats all; // of a path, quiche's CUBIC and Reno do not count the bytes that were lost
    quiche_conn_stats(c->quic, &all);
    // What was lost quiche sends again, so it holds it again.
    const size_t heads = (all.lost - c->lost_packets) * PACKET_HEAD_BYTES;
    const size_t lost = (size_t)all.lost_bytes - c->lost_bytes;
    c->held_bytes += lost > heads ? lost - heads : 0;
    c->lost_bytes = (size_t)all.lost_bytes;
    c->lost_packets = all.lost;
    if (c->owner->settings->paced) quiche_pacing_update(&c->pacer, c->quic, &path);
}

static void set_timer(struct h3_connection *c, enum packets packets) {
    uint64_t due_ns = UINT64_MAX;
    uint64_t timeout_ns = quiche_conn_timeout_as_nanos(c->quic);
    if (timeout_ns != UINT64_MAX) due_ns = clock_now_ns() + timeout_ns;
    if (packets == PACKETS_PACED && pacer_next_ns(&c->pacer) < due_ns) due_ns = pacer_next_ns(&c->pacer);
    if (c->burst.due_ns > 0 && c->burst.due_ns < due_ns) due_ns = c->burst.due_ns;
    if (due_ns == UINT64_MAX)
        loop_timer_clear(c->parts->loop, &c->timer);
    else
        loop_timer_set(c->parts->loop, &c->timer, due_ns);
}

static bool flush(struct h3_connection *c) {
    return burst_flush(&c->burst, c->owner->link, clock_now_ns() + RELEASE_EARLY_NS);
}

// What quiche tells of the room is as of the last packet that came in, less what streams were given since.
size_t h3_window_room(const struct h3_connection *c) {
    const struct h3_request *first = (const struct h3_request *)priority_scheduler_first(&c->order);
    // A stream's capacity is the window's or the client's for that stream, whichever is less.
    ssize_t capacity = quiche_conn_stream_capacity(c->quic, H3_CONTROL_STREAM);
    const ssize_t other = first ? quiche_conn_stream_capacity(c->quic, first->id) : 0;
    if (capacity < other) capacity = other;
    if (capacity < 0) return 0;
    const size_t room_bytes = (size_t)capacity + c->given_bytes;
    return room_bytes > c->sent_bytes ? room_bytes - c->sent_bytes : 0;
}

static void begin_round(struct h3_connection *c) {
    c->round++;
    memset(c->places, 0, sizeof c->places);
}

static bool is_waiting(const struct h3_connection *c) {
    return c->http && priority_scheduler_first(&c->order);
}

// Gives quiche responses and makes packets of them, by turns, until there is nothing or no room.
static enum packets give_and_make(struct h3_connection *c) {
    for (;;) {
        const bool given = c->http && (c->drained || c->fresh) && h3_responses_send(c);
        c->fresh = false;
        enum packets packets = make_packets(c);
        c->drained = packets == PACKETS_DRAINED;
        // With room left it holds nothing more: what is given now goes behind nothing. After a move it may be
        // the new address that takes no more.
        const bool empty = c->drained && !c->probing && h3_window_room(c) > LEAST_ROOM_BYTES;
        if (empty) {
            c->held_bytes = 0;
            begin_round(c);
        }
        if (!c->drained || (!given && !empty)) return packets;
        if (empty && !(is_waiting(c) && h3_responses_send(c))) return packets;
    }
}

// While responses wait quiche has to hold something, or it would take the application for the limit and not
// let the window grow.
static void hold_something(struct h3_connection *c) {
    const size_t packet_bytes = c->parts->transport->quic.max_udp_payload_bytes;
    if (!is_waiting(c) || c->held_bytes >= packet_bytes) return;
    c->least_bytes = packet_bytes - c->held_bytes;
    h3_responses_send(c);
    c->least_bytes = 0;
}

void h3_packets_turn(struct h3_connection *c) {
    enum packets packets = PACKETS_WAIT;
    if (!c->burst.no_room) {
        const size_t sent_before = c->sent_bytes;
        update_from_path(c);
        packets = give_and_make(c);
        if (c->drained && !flush(c)) packets = PACKETS_WAIT;
        if (c->connection && c->sent_bytes != sent_before)
            exchange_connection_sent(c->connection, loop_turn_ns(c->parts->loop));
        hold_something(c);
        // Responses that would fill the window, were it not for the pacer.
        if (c->http && (is_waiting(c) || c->held_bytes >= h3_window_room(c))) not_application_limited(c);
    }
    set_timer(c, packets);
}

void h3_packets_last(struct h3_connection *c) {
    if (make_packets(c) == PACKETS_DRAINED) flush(c);
}
