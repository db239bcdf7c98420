// WebRTC Inter-Arrival as Chromium's QUIC had it in 2013, `inter-arrival-2013` (inter_arrival.c).
#pragma once

#include "congestion/congestion.h"

extern const struct congestion_controller inter_arrival;
