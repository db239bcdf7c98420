#include "aimd.h"

#define MS UINT64_C(1000000)

enum { SECONDS = 25, WARM_UP_S = 5, PACKET_BYTES = 1250 };

static const uint64_t round_trip_ns = 50 * MS, tick_ns = MS / 4;

struct sender {
    double window; // packets
    uint32_t sent;
    uint32_t seen_outs;  // that have been acknowledged
    uint32_t seen_drops; // that have been noticed
    uint64_t halved_ns;
};

static void halve(struct sender *sender, uint64_t now_ns) {
    if (now_ns - sender->halved_ns < round_trip_ns) return;
    sender->window = sender->window > 4 ? sender->window / 2 : 2;
    sender->halved_ns = now_ns;
}

static void listen(struct sender *sender, const struct ledger *ledger, uint64_t now_ns) {
    for (; sender->seen_outs < ledger->outs; sender->seen_outs++) {
        const struct ledger_entry *out = &ledger->out[sender->seen_outs];
        if (out->time_ns + round_trip_ns > now_ns) break;
        sender->window += 1 / sender->window;
        if (out->ecn == 3) halve(sender, now_ns);
    }
    for (; sender->seen_drops < ledger->drops; sender->seen_drops++) {
        if (ledger->drop[sender->seen_drops].time_ns + round_trip_ns > now_ns) break;
        halve(sender, now_ns);
    }
}

struct aimd aimd_run(struct ledger *ledger, const struct rate_settings *rate,
                     const struct queue_settings *queue) {
    ledger_link(ledger, rate, queue);
    struct sender sender = {.window = 10};
    for (uint64_t now_ns = 0; now_ns < SECONDS * 1000 * MS; now_ns += tick_ns) {
        ledger_advance(ledger, now_ns);
        listen(&sender, ledger, now_ns);
        while (sender.sent - sender.seen_outs - sender.seen_drops < (uint32_t)sender.window)
            ledger_send(ledger, 0, sender.sent++, PACKET_BYTES, queue->ecn ? 2 : 0, now_ns);
    }
    ledger_check(ledger);
    double wait_ns = 0, bits = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < ledger->outs; i++) {
        if (ledger->out[i].time_ns < WARM_UP_S * 1000 * MS) continue;
        wait_ns += (double)ledger->out[i].waited_ns;
        bits += ledger->out[i].size_bytes * 8.0;
        count++;
    }
    double rate_bps = (double)rate->steps_bps.step[0].value;
    return (struct aimd){.mean_wait_ms = wait_ns / count / 1e6,
                         .utilization = bits / (rate_bps * (SECONDS - WARM_UP_S))};
}
