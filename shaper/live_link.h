// The link while it runs: what it is to be now, how it is doing, and changing it. What the control
// socket's requests come down to. Does not talk to clients: see control.h.
#pragma once

#include "shaper/control.h"
#include "shaper/evidence/evidence.h"
#include "shaper/language/link_profile.h"
#include "shaper/tun/tun_loop.h"

#include <pthread.h>
#include <stdbool.h>

// Reads what a running link is to become. In a thread of its own, because the link's form may name a trace of
// millions of lines, and the link runs meanwhile. Does not change it.
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

// Changes beyond these are only counted: whoever steers a thousand times knows what he did.
enum { LIVE_LINK_CHANGES_REPORTED = 1000 };

struct live_link {
    struct tun_loop *tun_loop;
    struct evidence *evidence;
    struct control *control;
    struct link_change change;
    uint64_t request;                    // of the control socket, that `change` is for
    const struct link_profile *first;    // borrowed; packets may still know of it
    struct link_profile *now;            // owned; NULL: the first
    bool switched;                       // it is the link that this one switches to
    char form[LINK_FORM_MAX + 1];        // of what it is now
    char change_form[LINK_FORM_MAX + 1]; // of what is being read
    uint64_t start_ns;
    uint64_t zero_ns; // of its steps: the start, or when it was switched to
    uint64_t changes;
    json_t *changes_reported; // the first of them, for the report; NULL: none
};

void live_link_open(struct live_link *link, const struct link_profile *profile);

// Once it runs: from here on `control`, which is open, is served. 0, or -1 with errno.
int live_link_begin(struct live_link *link, struct tun_loop *tun_loop, struct evidence *evidence,
                    struct control *control, uint64_t start_ns);
void live_link_close(struct live_link *link); // after the tun loop
