// What both ends get to know of a run: a file of schemas/flow-run.schema.json, checked. Does not know what
// the transports can do.
#pragma once

#include "flows/flow.h"

enum { PLAN_ERROR_SIZE = 512 };

struct plan {
    uint64_t for_ms;
    uint64_t sample_ms;
    uint64_t ping_ms; // FLOW_UNAVAILABLE: no ping
    struct flow_plan *flows;
    size_t count; // 1 to FLOWS_MAX
};

// 0, or -1 with one line in `error` (PLAN_ERROR_SIZE bytes), which names the place in the file.
int plan_read(struct plan *plan, const char *path, char *error);
void plan_close(struct plan *plan);
