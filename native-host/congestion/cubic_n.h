// What CUBIC as N flows goes by (cubic_n.c).
#pragma once

// What is kept of the window after a loss, as a factor: (N - 1 + 0.7) / N.
double cubic_n_beta(unsigned flows);
// What the Reno-friendly window gains in a round trip, in packets: as N Reno flows that keep 0.5.
double cubic_n_alpha(unsigned flows);
