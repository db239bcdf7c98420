// What a link is to be, read from its short form: "3mbit/50ms,loss=1%". Understands the settings and
// opens the files that they name; short_form.h takes the form apart. The only reader of
// the language (cli/link/link.ts asks it); schemas/examples/link-forms.json holds forms, profiles and errors.
// Does not shape.
#pragma once

#include "shaper/language/link_quantity.h"
#include "shaper/language/short_form.h"
#include "shaper/nodes/settings.h"

enum link_side { LINK_SIDE_DOWN, LINK_SIDE_UP, LINK_SIDES };

struct link_profile {
    struct direction_settings down; // servers to browser; its queue's limits follow from what was given
    struct direction_settings up;
    struct udp_settings udp; // in both directions
    uint32_t seed;
    struct link_settings settings; // as written
    struct rebind_settings rebind;
    uint64_t switch_ns;             // from when on the link is that of `switch_to`; 0: never
    struct link_profile *switch_to; // owned; NULL: none. Its seed and its rebinding are this one's
    bool files_unread;              // a trace's rate and a file's loss are not known
    struct {
        struct trace *trace; // all owned; the directions borrow them
        struct number_file *jitter;
        struct number_file *loss;
    } files[LINK_SIDES];
};

// 0 and a profile to close, or -1 with the error's line. A queue in bandwidth-delay products never holds less
// than an initial window, 10 packets of 1500 bytes: a slow link could otherwise not carry one at all.
int link_profile_read(struct link_profile *profile, const struct link_settings *settings,
                      struct link_error *error);

// The same, but opens no file: a trace carries 0 bit/s, a file loses nothing. Not for a path.
int link_profile_check(struct link_profile *profile, const struct link_settings *settings,
                       struct link_error *error);

// A link that a running one switches to is read whole again whenever the setting is named.
// A further profile, `now` with what the form says in its place (see link_settings_change). Both are to be
// closed. A file that the form does not name is not read again: it stays as `now` has it, and `now` must not
// be closed meanwhile.
int link_profile_change(struct link_profile *next, const struct link_profile *now, const char *form,
                        struct link_error *error);

void link_profile_close(struct link_profile *profile);

// What a direction's queue is unless one is given. `has_product`: it has a rate, and the link a delay.
struct link_queue link_default_queue(const char *discipline, bool has_product);

// What a direction carries at its start, a trace in the mean; 0: unlimited, or a trace not read.
uint64_t link_rate_bps(const struct direction_settings *direction);

// A direction's delay at its start, without jitter.
uint64_t link_delay_ns(const struct direction_settings *direction);

// The share of packets or slots lost in the long run.
double link_loss(const struct direction_settings *direction);

// The file that a direction's trace was read from; NULL: none.
const char *link_trace_path(const struct link_profile *profile, enum link_side side);
