// A link's short form taken apart into its settings as written: "3g,loss=1%,queue_up=50p". Knows the keys,
// which replaces which, and the names of known links. Does not understand the values: see link_profile.h.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// In threes: for both directions, for down, for up.
enum link_key {
    LINK_RATE,
    LINK_DOWN,
    LINK_UP,
    LINK_TRACE,
    LINK_TRACE_DOWN,
    LINK_TRACE_UP,
    LINK_TRACE_END,
    LINK_TRACE_END_DOWN,
    LINK_TRACE_END_UP,
    LINK_RTT,
    LINK_DELAY_DOWN,
    LINK_DELAY_UP,
    LINK_JITTER,
    LINK_JITTER_DOWN,
    LINK_JITTER_UP,
    LINK_JITTER_ORDER,
    LINK_JITTER_ORDER_DOWN,
    LINK_JITTER_ORDER_UP,
    LINK_LOSS,
    LINK_LOSS_DOWN,
    LINK_LOSS_UP,
    LINK_LOSS_SLOT,
    LINK_LOSS_SLOT_DOWN,
    LINK_LOSS_SLOT_UP,
    LINK_DUPLICATE,
    LINK_DUPLICATE_DOWN,
    LINK_DUPLICATE_UP,
    LINK_REORDER,
    LINK_REORDER_DOWN,
    LINK_REORDER_UP,
    LINK_ONOFF,
    LINK_ONOFF_DOWN,
    LINK_ONOFF_UP,
    LINK_QUEUE,
    LINK_QUEUE_DOWN,
    LINK_QUEUE_UP,
    LINK_AQM,
    LINK_AQM_DOWN,
    LINK_AQM_UP,
    LINK_ECN,
    LINK_ECN_DOWN,
    LINK_ECN_UP,
    LINK_FEC,
    LINK_FEC_DOWN,
    LINK_FEC_UP,
    LINK_SEED, // of both directions, as all that follow
    LINK_UDP,
    LINK_REBIND,
    LINK_SWITCH,
    LINK_KEYS,
};

extern const char *const link_key_names[LINK_KEYS]; // as in the short form: "delay_down"

enum { LINK_FORM_MAX = 8000 }; // bytes

// A zeroed struct has no settings.
struct link_settings {
    uint16_t used;          // of text
    uint16_t at[LINK_KEYS]; // where in text the value begins; 0: not given
    uint64_t named;         // a bit for each key that the last form gave
    char text[LINK_FORM_MAX + LINK_KEYS + 1];
};

struct link_error {
    char line[1024]; // one line that names the thing and the remedy
};

// Writes the line, whatever the arguments hold; of a character that is cut off, nothing. -1.
__attribute__((format(printf, 2, 3))) int link_fail(struct link_error *error, const char *format, ...);

// NULL where the key is not given.
const char *link_settings_value(const struct link_settings *settings, enum link_key key);

// All return 0, or -1 with the error's line and the settings as they were. A key may stand once in a form;
// spaces and tabs around a form do not count.
int link_settings_read(struct link_settings *settings, const char *form, struct link_error *error);
// What the form says replaces what the settings said of it: rate=5mbit also down=3mbit, a trace also the
// rate, a rate also the trace and its end. A form that begins with a link, by its name or as RATE/RTT,
// replaces everything but the seed.
int link_settings_change(struct link_settings *settings, const char *form, struct link_error *error);
// Whether a good form has a rate or a trace, and no delay: 0 ms is rarely what was meant. `with`: the form as
// it would say 50 ms, and none.
bool link_form_says_no_delay(const char *form, char with[2][LINK_FORM_MAX + 16]);
// As a form of this one setting does.
int link_settings_set(struct link_settings *settings, enum link_key key, const char *text,
                      struct link_error *error);
