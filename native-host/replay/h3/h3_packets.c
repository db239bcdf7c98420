// What an HTTP/3 connection has to send (quiche_sender.h makes the packets). Responses give quiche no more
// while the pacer still holds back bytes given before, unless there is news: so the order is decided late,
// and an urgent response passes by the rest of a bulky one (quiche orders what it holds by the same
// priorities).
#include "replay/h3/h3_connection.h"

#include <string.h>

enum {
    // quiche puts nothing of a stream into less of a window: head, packet number, tag and the longest frame
    // head.
    LEAST_ROOM_BYTES = 1 + CID_MAX + 4 + QUICHE_AEAD_TAG_BYTES + 12,
};

static enum quiche_packets make_packets(struct h3_connection *c) {
    enum quiche_packets packets;
    for (size_t size;
         (packets = quiche_sender_make(&c->sender, c->quic, c->owner->link, &size)) == PACKETS_MADE;)
        c->sent_bytes += size;
    return packets;
}

static void update_from_path(struct h3_connection *c) {
    quiche_path_stats path;
    quiche_stats all; // of a path, quiche's CUBIC and Reno do not count the bytes that were lost
    if (!quiche_sender_update(&c->sender, c->quic, &path)) return;
    c->probing = !quiche_paths_is_validated(&path);
    quiche_conn_stats(c->quic, &all);
    quiche_sender_count_lost(&c->sender, &all);
}

static void set_timer(struct h3_connection *c, enum quiche_packets packets) {
    const uint64_t due_ns = quiche_sender_due_ns(&c->sender, c->quic, packets);
    if (due_ns == UINT64_MAX)
        loop_timer_clear(c->parts->loop, &c->timer);
    else
        loop_timer_set(c->parts->loop, &c->timer, due_ns);
}

// The room that quiche reports is as of the last packet that came in, less what streams were given since.
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
static enum quiche_packets give_and_make(struct h3_connection *c) {
    for (;;) {
        const bool given = c->http && (c->drained || c->fresh) && h3_responses_send(c);
        c->fresh = false;
        enum quiche_packets packets = make_packets(c);
        c->drained = packets == PACKETS_DRAINED;
        // With room left it holds nothing more: what is given now goes behind nothing. After a move it may be
        // the new address that takes no more.
        const bool empty = c->drained && !c->probing && h3_window_room(c) > LEAST_ROOM_BYTES;
        if (empty) {
            c->sender.held_bytes = 0;
            begin_round(c);
        }
        if (!c->drained || (!given && !empty)) return packets;
        if (empty && !(is_waiting(c) && h3_responses_send(c))) return packets;
    }
}

// While responses wait quiche has to hold something, or it would take the application for the limit and not
// let the window grow.
static void hold_something(struct h3_connection *c) {
    const size_t packet_bytes = c->sender.payload_bytes;
    if (!is_waiting(c) || c->sender.held_bytes >= packet_bytes) return;
    c->least_bytes = packet_bytes - c->sender.held_bytes;
    h3_responses_send(c);
    c->least_bytes = 0;
}

void h3_packets_turn(struct h3_connection *c) {
    enum quiche_packets packets = PACKETS_WAIT;
    if (!c->sender.burst.no_room) {
        const size_t sent_before = c->sent_bytes;
        update_from_path(c);
        packets = give_and_make(c);
        if (c->drained && !quiche_sender_flush(&c->sender, c->owner->link)) packets = PACKETS_WAIT;
        if (c->connection && c->sent_bytes != sent_before)
            exchange_connection_sent(c->connection, loop_turn_ns(c->parts->loop));
        hold_something(c);
        // Responses that would fill the window, were it not for the pacer.
        if (c->http && (is_waiting(c) || c->sender.held_bytes >= h3_window_room(c)))
            quiche_sender_not_application_limited(c->quic);
    }
    set_timer(c, packets);
}

void h3_packets_last(struct h3_connection *c) {
    if (make_packets(c) == PACKETS_DRAINED) quiche_sender_flush(&c->sender, c->owner->link);
}
