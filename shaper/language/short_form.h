// A link's short form taken apart into its settings as written: "3g,loss=1%,queue_up=50p". Knows the keys,
// which replaces which, and the names of known links. Does not understand the values: see link_profile.h.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// X(constant, its word): for both directions, for down, for up; then those of both directions alone.
// clang-format off
#define LINK_EACH_WAY(X, constant, word)                                                                     \
    X(constant, word) X(constant##_DOWN, word "_down") X(constant##_UP, word "_up")
#define LINK_SETTINGS(X)                                                                                     \
    X(LINK_RATE, "rate") X(LINK_DOWN, "down") X(LINK_UP, "up")                                               \
    LINK_EACH_WAY(X, LINK_TRACE, "trace")                                                                    \
    LINK_EACH_WAY(X, LINK_TRACE_END, "trace_end")                                                            \
    X(LINK_RTT, "rtt") X(LINK_DELAY_DOWN, "delay_down") X(LINK_DELAY_UP, "delay_up")                         \
    LINK_EACH_WAY(X, LINK_JITTER, "jitter")                                                                  \
    LINK_EACH_WAY(X, LINK_JITTER_ORDER, "jitter_order")                                                      \
    LINK_EACH_WAY(X, LINK_LOSS, "loss")                                                                      \
    LINK_EACH_WAY(X, LINK_LOSS_SLOT, "loss_slot")                                                            \
    LINK_EACH_WAY(X, LINK_DUPLICATE, "duplicate")                                                            \
    LINK_EACH_WAY(X, LINK_REORDER, "reorder")                                                                \
    LINK_EACH_WAY(X, LINK_ONOFF, "onoff")                                                                    \
    LINK_EACH_WAY(X, LINK_QUEUE, "queue")                                                                    \
    LINK_EACH_WAY(X, LINK_AQM, "aqm")                                                                        \
    LINK_EACH_WAY(X, LINK_ECN, "ecn")                                                                        \
    LINK_EACH_WAY(X, LINK_FEC, "fec")                                                                        \
    X(LINK_SEED, "seed") X(LINK_UDP, "udp") X(LINK_REBIND, "rebind") X(LINK_SWITCH, "switch")
// clang-format on

#define LINK_CONSTANT(constant, word) constant,
enum link_key { LINK_SETTINGS(LINK_CONSTANT) LINK_KEYS };
#undef LINK_CONSTANT

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
