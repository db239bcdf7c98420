// Persistent congestion (RFC 9002, 7.6): packets lost over more than three probe time-outs, and none between
// them acknowledged. Virtual time.
#pragma once

#include "congestion/congestion.h"

#include <stdbool.h>
#include <stdint.h>

// Whether `lost` establishes it. Only packets sent after first_sample_ns count, when the first round-trip
// time was measured; UINT64_MAX: none was yet. Losses of two calls are not put together.
bool persistent_congestion(const struct congestion_lost *lost, uint64_t first_sample_ns);
