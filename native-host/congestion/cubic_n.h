// CUBIC that behaves as N flows do together, N = 1 to 4: the controllers cubic-n1 to cubic-n4 (cubic_n.c).
#pragma once

#include "congestion/congestion.h"

enum { CUBIC_N_MOST = 4 };

// By N - 1.
extern const struct congestion_controller cubic_n[CUBIC_N_MOST];

// What is kept of the window after a loss, as a factor: (N - 1 + 0.7) / N.
double cubic_n_beta(unsigned flows);
// What the Reno-friendly window gains in a round trip, in packets: as N Reno flows that keep 0.5.
double cubic_n_alpha(unsigned flows);
