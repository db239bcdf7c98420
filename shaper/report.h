// The shaper's report (schemas/shaper-report.schema.json): what was configured, and what became of every
// packet.
#pragma once

#include "shaper/tun/tun_loop.h"

#include <jansson.h>

struct report_run {
    uint64_t start_ns;
    uint64_t end_ns;
    int child_status;
    uint64_t cpu_ns;      // of this process, user and system
    uint64_t down_unread; // see lab_unread
    uint64_t up_unread;
    const char *scheduling; // fifo, short-slice or default
    const char *cpu_idle;   // shallow or default
    const char *device;     // see wire_kind
    json_t *changes;        // of the running link, as the schema has them; borrowed. NULL: none
};

// NULL when memory is short.
json_t *report_of(const struct tun_loop *tun_loop, const struct link_profile *profile,
                  const struct report_run *run);
