// A call that blocks (the system's resolver), in a thread of its own, with its end reported on the loop.
// Whoever waits may give up: the thread then ends in its own time, and cleans up after itself. Knows no
// resolver.
#pragma once

#include "base/loop.h"

struct background;

struct background_job {
    void (*work)(void *task);    // in the thread
    void (*release)(void *task); // in whichever is the last to know it
};

// `done` is called on the loop once the work is done; `task` is the job's from here, also when this fails:
// NULL when memory or threads are short.
struct background *background_start(struct loop *loop, const struct background_job *job, void *task,
                                    void (*done)(void *context), void *context);
// Before or after its end; NULL: nothing. `done` is not called any more.
void background_leave(struct background *background);
