// Looks at each running flow at every multiple of an interval of CLOCK_MONOTONIC, so that both ends of a run
// look at the same moments, and appends what it sees to a file of records (base/record_file.h). Changes
// nothing.
#pragma once

#include "flows/flow_state.h"

struct sampler;

struct sampler_options {
    struct loop *loop;
    const char *path;
    uint64_t interval_ns;
    struct flow *flows; // borrowed
    size_t count;
    // The file takes no more: no sample follows. `error` is an errno.
    void (*failed)(void *context, int error);
    void *context;
};

// Makes the file. 0, or -1 with errno.
int sampler_open(struct sampler **out, const struct sampler_options *options);
// From the next tick on. 0, or -1 with errno.
int sampler_begin(struct sampler *sampler);
// 0, or -1 with errno: not all of it is in the file. NULL is none: 0.
int sampler_close(struct sampler *sampler);

// The greatest multiple of the interval that is not after now.
uint64_t sampler_tick_ns(uint64_t now_ns, uint64_t interval_ns);
