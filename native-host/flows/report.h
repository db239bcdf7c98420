// The report of one end (schemas/flow-report.schema.json).
#pragma once

#include "flows/engine.h"
#include "flows/ping.h"

#include <jansson.h>

// `ping`: the near end's; NULL: none. Times are CLOCK_MONOTONIC. NULL when memory is short.
json_t *report_of(const struct engine *engine, const struct plan *plan, bool is_near, const struct ping *ping,
                  uint64_t end_ns);
