#include "congestion/quiche_sender.h"

#include "base/clock.h"
#include "congestion/quiche_congestion.h"

#include <string.h>

enum {
    // A smaller packet is of acknowledgements and control alone, as far as one can tell.
    CONTENT_PACKET_BYTES = 150,
};
static const uint64_t RELEASE_EARLY_NS = 50 * NS_PER_US; // a timer is no more exact than that

bool quiche_sender_update(struct quiche_sender *sender, const quiche_conn *quic, quiche_path_stats *path) {
    if (!quiche_paths_active(&sender->paths, quic, path)) return false;
    if (sender->paced) quiche_pacing_update(&sender->pacer, quic, path);
    return true;
}

void quiche_sender_count_lost(struct quiche_sender *sender, const quiche_stats *all) {
    const uint64_t heads = (all->lost - sender->lost_packets) * sender->head_bytes;
    const uint64_t lost = all->lost_bytes - sender->lost_bytes;
    sender->held_bytes += lost > heads ? lost - heads : 0;
    sender->lost_bytes = all->lost_bytes;
    sender->lost_packets = all->lost;
}

static void address_in(struct sockaddr_in6 *out, const struct sockaddr_storage *in) {
    memcpy(out, in, sizeof *out); // all of ours are IPv6
    out->sin6_flowinfo = 0;
}

static void add_packet(struct quiche_sender *sender, size_t size, const quiche_send_info *info,
                       uint64_t now_ns) {
    const size_t of_streams = size > sender->head_bytes ? size - sender->head_bytes : 0;
    pacer_sent(&sender->pacer, size, now_ns);
    quiche_paths_sent(&sender->paths, sender->held_bytes > 0 && size >= CONTENT_PACKET_BYTES, now_ns);
    sender->held_bytes -= sender->held_bytes < of_streams ? sender->held_bytes : of_streams;
    struct udp_burst packet = {.size = size, .segment_size = size};
    address_in(&packet.local, &info->from);
    address_in(&packet.peer, &info->to);
    const uint64_t due_ns = (uint64_t)info->at.tv_sec * NS_PER_S + (uint64_t)info->at.tv_nsec;
    burst_add(&sender->burst, &packet, due_ns > now_ns + RELEASE_EARLY_NS ? due_ns : 0);
}

enum quiche_packets quiche_sender_make(struct quiche_sender *sender, quiche_conn *quic,
                                       const struct udp_link *link, size_t *size) {
    for (;;) {
        const uint64_t now_ns = clock_now_ns();
        const bool may_send = !sender->paced || pacer_may_send(&sender->pacer, now_ns);
        uint8_t *place = may_send ? burst_place(&sender->burst, sender->payload_bytes) : NULL;
        if (!place && !burst_flush(&sender->burst, link, now_ns + RELEASE_EARLY_NS)) return PACKETS_WAIT;
        if (!may_send) return PACKETS_PACED;
        if (!place) continue;
        quiche_send_info info;
        const ssize_t made = quiche_conn_send(quic, place, sender->payload_bytes, &info);
        if (made <= 0) return PACKETS_DRAINED;
        add_packet(sender, (size_t)made, &info, now_ns);
        *size = (size_t)made;
        return PACKETS_MADE;
    }
}

bool quiche_sender_flush(struct quiche_sender *sender, const struct udp_link *link) {
    return burst_flush(&sender->burst, link, clock_now_ns() + RELEASE_EARLY_NS);
}

// Asks for a packet into too little room: quiche makes none.
void quiche_sender_not_application_limited(quiche_conn *quic) {
    const uint8_t *dcid;
    size_t dcid_size;
    uint8_t room[1 + QUICHE_MAX_CONN_ID_LEN + QUICHE_AEAD_TAG_BYTES];
    quiche_send_info info;
    quiche_conn_destination_id(quic, &dcid, &dcid_size);
    if (dcid_size <= QUICHE_MAX_CONN_ID_LEN)
        quiche_conn_send(quic, room, 1 + dcid_size + QUICHE_AEAD_TAG_BYTES, &info);
}

uint64_t quiche_sender_due_ns(const struct quiche_sender *sender, const quiche_conn *quic,
                              enum quiche_packets packets) {
    uint64_t due_ns = UINT64_MAX;
    const uint64_t timeout_ns = quiche_conn_timeout_as_nanos(quic);
    if (timeout_ns != UINT64_MAX) due_ns = clock_now_ns() + timeout_ns;
    if (packets == PACKETS_PACED && pacer_next_ns(&sender->pacer) < due_ns)
        due_ns = pacer_next_ns(&sender->pacer);
    if (sender->burst.due_ns > 0 && sender->burst.due_ns < due_ns) due_ns = sender->burst.due_ns;
    return due_ns;
}
