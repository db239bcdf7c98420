#include "congestion/rate_based.h"

static const double QUEUE_S = 2;
enum { MIN_WINDOW_PACKETS = 4 };

bool arrival_of(const struct congestion_acked *acked, uint64_t since_ns, struct arrival *out) {
    const struct congestion_packet *newest = NULL;
    for (uint64_t i = 0; i < acked->packet_count; i++)
        if (!newest || acked->packets[i].sent_ns >= newest->sent_ns) newest = &acked->packets[i];
    if (!newest || newest->sent_ns < since_ns) return false;
    const uint64_t took_ns = acked->now_ns - newest->sent_ns;
    const uint64_t most_ns = took_ns > acked->rtt.min_ns ? took_ns - acked->rtt.min_ns : 0;
    const uint64_t delay_ns = acked->ack_delay_ns < most_ns ? acked->ack_delay_ns : most_ns;
    *out = (struct arrival){newest->number, newest->sent_ns, acked->now_ns - delay_ns};
    return true;
}

uint64_t acked_bytes(const struct congestion_acked *acked) {
    uint64_t bytes = 0;
    for (uint64_t i = 0; i < acked->packet_count; i++)
        bytes += acked->packets[i].bytes;
    return bytes;
}

uint64_t rate_based_window(double rate_bps, uint64_t min_rtt_ns, double packet_bytes) {
    const double bytes = rate_bps / 8 * ((double)min_rtt_ns / 1e9 + QUEUE_S);
    const double least = MIN_WINDOW_PACKETS * packet_bytes;
    return (uint64_t)(bytes > least ? bytes : least);
}
