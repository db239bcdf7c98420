// One end of a run: starts its flows at their times (near) or waits for them (far), samples them, cuts them
// and reports what became of each. Knows nothing of how a transport sends (flow.h).
#pragma once

#include "flows/plan.h"

#include <jansson.h>

struct engine;

struct engine_options {
    struct flow_end end;
    const struct plan *plan; // borrowed
    const char *samples;     // path; NULL: none
    // Near: every flow has ended and is closed, or the run's time is over. Far: not called. May be NULL.
    void (*finished)(void *context);
    // The samples cannot be written any more; `error` is an errno. All else continues.
    void (*samples_failed)(void *context, int error);
    void *context;
};

// Opens what the plan's transports need, and checks that they can do what it asks for. 0, or -1 with a line
// in `error` (PLAN_ERROR_SIZE bytes).
int engine_open(struct engine **out, const struct engine_options *options, char *error);
void engine_close(struct engine *engine); // NULL: nothing

// Far: waits for every flow. 0, or -1 with a line in `error`.
int engine_listen(struct engine *engine, char *error);
// Near: now is the run's time 0. 0, or -1 with a line in `error`.
int engine_begin(struct engine *engine, char *error);

// Cuts whatever still runs, at once. Callable twice.
void engine_stop(struct engine *engine);

// How many flows have failed; the first of them in one line in `first` (PLAN_ERROR_SIZE bytes).
size_t engine_failures(const struct engine *engine, char *first);

uint64_t engine_start_ns(const struct engine *engine);
const struct flow *engine_flows(const struct engine *engine); // as many as the plan has

// 0, or -1 with errno: the samples are not whole.
int engine_close_samples(struct engine *engine);
