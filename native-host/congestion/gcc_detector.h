// GCC's over-use detector (draft-ietf-rmcat-gcc-02, 5.4): the estimate against an adaptive threshold. Times
// are milliseconds. Virtual time.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum gcc_signal { GCC_NORMAL, GCC_OVER_USE, GCC_UNDER_USE };

struct gcc_detector {
    double threshold_ms;
    double last_m_ms;
    uint64_t last_ns;       // the group before
    uint64_t over_since_ns; // the first group in a row that was above the threshold
    bool over;              // the last one was
    uint64_t count;         // of groups
};

void gcc_detector_init(struct gcc_detector *detector);
// The estimate m after the group that arrived at `arrived_ns`.
enum gcc_signal gcc_detector_update(struct gcc_detector *detector, double m_ms, uint64_t arrived_ns);
