// Equations, M(i) = min(i, 60) m(i):
//   over-use: M(i) > th(i-1) for 10 ms or more, and m(i) >= m(i-1); under-use: M(i) < -th(i-1)
//   th(i) = th(i-1) + (t(i) - t(i-1)) K (|M(i)| - th(i-1)), K = K_d if |M(i)| < th(i-1), else K_u; within 6
//   to 600 ms; unchanged where |M(i)| - th(i-1) > 15 ms
// Constants of the draft: th(0) = 12.5 ms, K_u = 0.01, K_d = 0.00018 (per ms).
//
// Not the draft's: the factor min(i, 60). The draft compares m itself, but its constants are those of the
// code that it describes (WebRTC's), which multiplies so. Groups are 5 ms apart: without the factor a queue
// would have to grow by 12.5 ms in 5 ms. A step of the threshold counts at most 100 ms, as in that code: with
// K_u, longer gaps would overshoot.
#include "congestion/gcc_detector.h"

#include <math.h>

static const double THRESHOLD_0_MS = 12.5, THRESHOLD_LEAST_MS = 6, THRESHOLD_MOST_MS = 600;
static const double K_U = 0.01, K_D = 0.00018;
static const double TOO_FAR_MS = 15;
static const double STEP_MOST_MS = 100;
static const uint64_t OVER_USE_NS = 10 * 1000 * 1000;
enum { FACTOR_MOST = 60 };

void gcc_detector_init(struct gcc_detector *detector) {
    *detector = (struct gcc_detector){.threshold_ms = THRESHOLD_0_MS};
}

static void adapt(struct gcc_detector *d, double magnitude_ms, uint64_t arrived_ns) {
    if (d->count < 2 || magnitude_ms - d->threshold_ms > TOO_FAR_MS) return;
    const double passed_ms = arrived_ns > d->last_ns ? (double)(arrived_ns - d->last_ns) / 1e6 : 0;
    const double gain = magnitude_ms < d->threshold_ms ? K_D : K_U;
    d->threshold_ms += fmin(passed_ms, STEP_MOST_MS) * gain * (magnitude_ms - d->threshold_ms);
    d->threshold_ms = fmin(fmax(d->threshold_ms, THRESHOLD_LEAST_MS), THRESHOLD_MOST_MS);
}

enum gcc_signal gcc_detector_update(struct gcc_detector *detector, double m_ms, uint64_t arrived_ns) {
    detector->count++;
    const double factor = detector->count < FACTOR_MOST ? (double)detector->count : FACTOR_MOST;
    const double scaled_ms = factor * m_ms;
    enum gcc_signal signal = GCC_NORMAL;
    const bool over = scaled_ms > detector->threshold_ms;
    if (over && !detector->over) detector->over_since_ns = arrived_ns;
    if (over && arrived_ns >= detector->over_since_ns + OVER_USE_NS && m_ms >= detector->last_m_ms)
        signal = GCC_OVER_USE;
    if (scaled_ms < -detector->threshold_ms) signal = GCC_UNDER_USE;
    detector->over = over;
    adapt(detector, fabs(scaled_ms), arrived_ns);
    detector->last_m_ms = m_ms;
    if (arrived_ns > detector->last_ns) detector->last_ns = arrived_ns;
    return signal;
}
