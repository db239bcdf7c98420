// Reads what a running link is to become. In a thread of its own, because the link's form may name a trace of
// millions of lines, and the link runs meanwhile. Does not change it.
#pragma once

#include "base/loop.h"
#include "shaper/language/link_profile.h"

#include <pthread.h>
#include <stdbool.h>

struct link_change {
    // Set by the caller before link_change_open. Called from the loop; the profile is the callee's now, to be
    // closed and freed. NULL: the form cannot be taken, and the line says why.
    void (*read)(void *context, struct link_profile *next, const char *error_line);
    void *context;

    struct loop *loop;
    struct loop_watch done_watch;
    pthread_t thread;
    bool busy;
    const struct link_profile *now;
    char *form;
    struct link_profile *next; // NULL: failed
    struct link_error error;
};

// 0, or -1 with errno.
int link_change_open(struct link_change *change, struct loop *loop);
void link_change_close(struct link_change *change); // waits for what is being read; `read` is not called

// Begins to read; not while `busy`. `now` stays as it is until `read` is called. 0, or -1 with errno.
int link_change_begin(struct link_change *change, const struct link_profile *now, const char *form);
