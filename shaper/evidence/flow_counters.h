// The document of flow counters (schemas/flow-counters.schema.json): each flow's counters and NetShaper's
// metrics.
#pragma once

#include "shaper/evidence/flow_table.h"

#include <jansson.h>

struct flow_counters_run {
    const char *link; // short form
    uint64_t start_ns;
    uint64_t end_ns;
    // What the link could have carried between each direction's first packet and its last; NULL: unlimited.
    const uint64_t *down_capacity_bytes;
    const uint64_t *up_capacity_bytes;
};

// NULL when memory is short.
json_t *flow_counters_of(const struct flow_table *table, const struct flow_counters_run *run);
