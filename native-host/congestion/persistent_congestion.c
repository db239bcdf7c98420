#include "congestion/persistent_congestion.h"

enum { THRESHOLD = 3 }; // kPersistentCongestionThreshold
static const uint64_t GRANULARITY_NS = 1000 * 1000;

static uint64_t duration_ns(const struct congestion_rtt *rtt) {
    const uint64_t variation_ns = 4 * rtt->variation_ns;
    return THRESHOLD * (rtt->smoothed_ns + (variation_ns > GRANULARITY_NS ? variation_ns : GRANULARITY_NS) +
                        rtt->max_ack_delay_ns);
}

bool persistent_congestion(const struct congestion_lost *lost, uint64_t first_sample_ns) {
    const uint64_t least_ns = duration_ns(&lost->rtt);
    const struct congestion_packet *first = NULL; // of those with no acknowledged one between
    for (uint64_t i = 0; i < lost->packet_count; i++) {
        const struct congestion_packet *packet = &lost->packets[i];
        if (packet->after_acked) first = NULL;
        if (!packet->ack_eliciting || packet->sent_ns <= first_sample_ns) continue;
        if (!first) first = packet;
        if (packet->sent_ns - first->sent_ns > least_ns) return true;
    }
    return false;
}
