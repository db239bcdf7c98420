// A sender that halves its window once a round trip for a lost or marked packet and else adds one packet a
// round trip: what queue management is made for. Much simpler than TCP: losses are known a round trip later,
// and nothing is sent again.
#pragma once

#include "ledger.h"

struct aimd {
    double mean_wait_ms; // from arrival to the end of sending, after the first 5 s
    double utilization;  // of a constant rate, since then
};

// 25 s of one sender with packets of 1250 bytes and 50 ms of round trip beside the link's own delay. Clears
// the ledger.
struct aimd aimd_run(struct ledger *ledger, const struct rate_settings *rate,
                     const struct queue_settings *queue);
