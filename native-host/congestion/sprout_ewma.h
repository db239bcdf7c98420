// Sprout-EWMA: a window by the rate at which packets arrive, for links whose rate varies and whose queues are
// deep (sprout_ewma.c). Two names for one controller, by what its receiver does:
//   sprout-ewma       acknowledges each packet by itself: a receiver of ours
//   sprout-ewma-acks  acknowledges as it likes, which a browser does
#pragma once

#include "congestion/congestion.h"

extern const struct congestion_controller sprout_ewma;
extern const struct congestion_controller sprout_ewma_acks;
