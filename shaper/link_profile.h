// What a link is asked to be, read from its short form: "3mbit/50ms,loss=1%". Reads exactly what cli/link
// reads (schemas/examples/link-forms.json holds the forms both are tested with). Does not shape.
#ifndef TRILANE_SHAPER_LINK_PROFILE_H
#define TRILANE_SHAPER_LINK_PROFILE_H

#include "shaper/settings.h"

#include <stddef.h>
#include <stdint.h>

enum link_queue_kind { LINK_QUEUE_BDP, LINK_QUEUE_PACKETS, LINK_QUEUE_BYTES, LINK_QUEUE_UNLIMITED };

struct link_queue {
    enum link_queue_kind kind;
    double size; // in the kind's unit
};

struct link_profile {
    struct direction_settings down; // servers to browser; its queue's limits follow from what was asked
    struct direction_settings up;
    uint32_t seed;
    struct link_queue queue_down; // as asked
    struct link_queue queue_up;
};

enum link_key {
    LINK_RATE,
    LINK_DOWN,
    LINK_UP,
    LINK_RTT,
    LINK_DELAY_DOWN,
    LINK_DELAY_UP,
    LINK_QUEUE,
    LINK_QUEUE_DOWN,
    LINK_QUEUE_UP,
    LINK_LOSS,
    LINK_LOSS_DOWN,
    LINK_LOSS_UP,
    LINK_SEED,
    LINK_KEYS,
};

extern const char *const link_key_names[LINK_KEYS]; // as in the short form: "delay_down"

// The settings as written, before they are understood. A zeroed struct has none.
struct link_settings {
    char text[LINK_KEYS][64]; // "" : not given
};

struct link_error {
    char line[256]; // names the thing and the remedy
};

// Both return 0, or -1 with the error's line. A key may stand once in a form; link_settings_set replaces it.
int link_settings_read(struct link_settings *settings, const char *form, struct link_error *error);
int link_settings_set(struct link_settings *settings, enum link_key key, const char *text,
                      struct link_error *error);

// 0, or -1 with the error's line. A queue in bandwidth-delay products never holds less than an initial
// window, 10 packets of 1500 bytes: a slow link could otherwise not carry one at all.
int link_profile_read(struct link_profile *profile, const struct link_settings *settings,
                      struct link_error *error);

// What a direction carries at its start; 0: unlimited.
uint64_t link_rate_bps(const struct direction_settings *direction);

// A direction's delay at its start.
uint64_t link_delay_ns(const struct direction_settings *direction);

#endif
