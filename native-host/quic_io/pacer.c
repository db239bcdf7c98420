#include "quic_io/pacer.h"

#include "base/clock.h"

static const double SLOW_START_GAIN = 2.0;
static const double AVOIDANCE_GAIN = 1.25;
// What may gather between two packets: a timer that is late by less than this costs no throughput.
static const uint64_t LATENESS_NS = NS_PER_MS;
enum { STEADY_BURST_PACKETS = 2 };

void pacer_init(struct pacer *pacer, size_t packet_size, size_t initial_window_packets) {
    *pacer = (struct pacer){
        .packet_size = packet_size,
        .initial_window_packets = initial_window_packets,
        .tokens = (double)(packet_size * initial_window_packets),
    };
}

static double steady_burst(const struct pacer *pacer) {
    const double least = (double)(pacer->packet_size * STEADY_BURST_PACKETS);
    const double late = pacer->rate * (double)LATENESS_NS;
    return late > least ? late : least;
}

void pacer_update(struct pacer *pacer, size_t window_bytes, uint64_t rtt_ns, bool slow_start) {
    if (rtt_ns == 0) return;
    const double gain = slow_start ? SLOW_START_GAIN : AVOIDANCE_GAIN;
    pacer->rate = gain * (double)window_bytes / (double)rtt_ns;
    // A little less than a round trip: the answer to a flight comes a round trip after it, and the RTT is an
    // average.
    pacer->silence_ns = rtt_ns - rtt_ns / 4;
}

void pacer_set_rate(struct pacer *pacer, uint64_t rate_bps) {
    pacer->rate = (double)rate_bps / 8 / NS_PER_S;
    pacer->silence_ns = UINT64_MAX;
    const double most = steady_burst(pacer);
    if (pacer->tokens > most) pacer->tokens = most;
}

bool pacer_may_send(struct pacer *pacer, uint64_t now_ns) {
    if (pacer->rate <= 0) return true;
    double initial = (double)(pacer->packet_size * pacer->initial_window_packets);
    double steady = steady_burst(pacer);
    double most = pacer->tokens > steady ? pacer->tokens : steady; // what is left of a first burst stays
    if (now_ns > pacer->now_ns) {
        pacer->tokens += pacer->rate * (double)(now_ns - pacer->now_ns);
        pacer->now_ns = now_ns;
    }
    if (pacer->tokens > most) pacer->tokens = most;
    if (now_ns - pacer->sent_ns >= pacer->silence_ns && pacer->tokens < initial) pacer->tokens = initial;
    return pacer->tokens > 0;
}

void pacer_sent(struct pacer *pacer, size_t size, uint64_t now_ns) {
    pacer->sent_ns = now_ns;
    if (pacer->rate > 0 || pacer->tokens > (double)size) pacer->tokens -= (double)size;
}

uint64_t pacer_next_ns(const struct pacer *pacer) {
    return pacer->now_ns + (uint64_t)((1.0 - pacer->tokens) / pacer->rate) + 1;
}
