// HyStart++ (RFC 9406): leaves the first slow start when round trips grow longer, before packets are lost.
// Rounds end by the time at which packets were sent, not by their numbers, which differ between packet number
// spaces. Virtual time.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// Of what slow start would add, what conservative slow start adds.
enum { HYSTART_GROWTH_DIVISOR = 4 };

enum hystart_phase { HYSTART_SLOW_START, HYSTART_CONSERVATIVE, HYSTART_DONE };

struct hystart {
    enum hystart_phase phase;
    uint64_t round_end_ns; // a packet sent after it, acknowledged, ends the round
    uint64_t round_min_ns; // UINT64_MAX: no sample
    uint64_t last_round_min_ns;
    uint64_t baseline_ns;
    uint32_t samples;
    uint32_t conservative_rounds;
};

void hystart_init(struct hystart *hystart);
// An ACK at now_ns whose newest packet was sent at sent_ns. Slow start goes by `phase` afterwards; DONE is
// final.
void hystart_acked(struct hystart *hystart, uint64_t now_ns, uint64_t sent_ns);
// A packet was lost: slow start is over.
void hystart_lost(struct hystart *hystart);
