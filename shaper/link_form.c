#include "shaper/link_form.h"

#include "shaper/link_names.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

const char *const link_key_names[LINK_KEYS] = {
    "rate",      "down",           "up",           "trace",        "trace_down",        "trace_up",
    "trace_end", "trace_end_down", "trace_end_up", "rtt",          "delay_down",        "delay_up",
    "jitter",    "jitter_down",    "jitter_up",    "jitter_order", "jitter_order_down", "jitter_order_up",
    "loss",      "loss_down",      "loss_up",      "loss_slot",    "loss_slot_down",    "loss_slot_up",
    "duplicate", "duplicate_down", "duplicate_up", "reorder",      "reorder_down",      "reorder_up",
    "onoff",     "onoff_down",     "onoff_up",     "queue",        "queue_down",        "queue_up",
    "aqm",       "aqm_down",       "aqm_up",       "ecn",          "ecn_down",          "ecn_up",
    "fec",       "fec_down",       "fec_up",       "seed",
};

int link_fail(struct link_error *error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->line, sizeof error->line, format, arguments);
    va_end(arguments);
    for (char *c = error->line; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127) *c = '?';
    return -1;
}

const char *link_settings_value(const struct link_settings *settings, enum link_key key) {
    return settings->at[key] > 0 ? settings->text + settings->at[key] : NULL;
}

static int put(struct link_settings *settings, enum link_key key, const char *text, size_t size,
               struct link_error *error) {
    size_t at = settings->used > 0 ? settings->used : 1;
    if (at + size + 1 > sizeof settings->text)
        return link_fail(error, "link: the settings are longer than %d bytes together: shorten them",
                         LINK_FORM_MAX);
    memcpy(settings->text + at, text, size);
    settings->text[at + size] = 0;
    settings->at[key] = (uint16_t)at;
    settings->used = (uint16_t)(at + size + 1);
    return 0;
}

static void clear(struct link_settings *settings) {
    settings->used = 0;
    memset(settings->at, 0, sizeof settings->at);
}

static int put_once(struct link_settings *settings, enum link_key key, const char *text, size_t size,
                    const char *form, struct link_error *error) {
    const char *name = link_key_names[key];
    if (settings->at[key] > 0)
        return link_fail(error, "link: %s is given twice (in \"%s\"): give it once", name, form);
    if (size == 0)
        return link_fail(error, "link: %s has no value (in \"%s\"): write %s=VALUE", name, form, name);
    return put(settings, key, text, size, error);
}

static enum link_key key_named(const char *name, size_t size) {
    int key = 0;
    while (key < LINK_KEYS &&
           (strlen(link_key_names[key]) != size || memcmp(link_key_names[key], name, size) != 0))
        key++;
    return (enum link_key)key;
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// RATE or RATE/RTT.
static int put_bare(struct link_settings *settings, const char *part, size_t size, const char *form,
                    struct link_error *error) {
    if (is_letter(*part) && strncmp(part, "unlimited", strlen("unlimited")) != 0)
        return link_fail(error,
                         "link: no link is called \"%.*s\": `trilane links` lists those with a name, and a "
                         "rate is written as 3mbit",
                         (int)size, part);
    const char *slash = memchr(part, '/', size);
    size_t rate_size = slash ? (size_t)(slash - part) : size;
    if (put_once(settings, LINK_RATE, part, rate_size, form, error) < 0) return -1;
    return slash ? put_once(settings, LINK_RTT, slash + 1, size - rate_size - 1, form, error) : 0;
}

// The form's own settings, and the form of the known link that it begins with, if any.
static int take_apart(struct link_settings *settings, const char **known, const char *form,
                      struct link_error *error) {
    clear(settings);
    *known = NULL;
    if (strlen(form) > LINK_FORM_MAX)
        return link_fail(error, "link: the form is longer than %d bytes: shorten it", LINK_FORM_MAX);
    for (const char *part = form;; part++) {
        size_t size = strcspn(part, ",");
        const char *equals = memchr(part, '=', size);
        if (!equals) {
            if (part != form || size == 0)
                return link_fail(
                    error,
                    "link: \"%.*s\" is not KEY=VALUE (in \"%s\"): a bare RATE/RTT may only come first, as "
                    "3mbit/50ms",
                    (int)size, part, form);
            *known = link_form_named(part, size);
            if (!*known && put_bare(settings, part, size, form, error) < 0) return -1;
        } else {
            size_t name_size = (size_t)(equals - part);
            enum link_key key = key_named(part, name_size);
            if (key == LINK_KEYS)
                return link_fail(
                    error,
                    "link: no setting \"%.*s\" (in \"%s\"): there are rate, down, up, trace, trace_end, rtt, "
                    "delay_down, delay_up, jitter, jitter_order, loss, loss_slot, duplicate, reorder, onoff, "
                    "queue, aqm, ecn, fec, seed, and most of them with _down or _up",
                    (int)name_size, part, form);
            if (put_once(settings, key, equals + 1, size - name_size - 1, form, error) < 0) return -1;
        }
        part += size;
        if (!*part) return 0;
    }
}

// A setting for both directions takes the place of either's; a trace that of a rate, and a rate that of a
// trace.
static bool replaced(const struct link_settings *changes, enum link_key key) {
    if (changes->at[key] > 0) return true;
    if (key == LINK_SEED) return false;
    if (key == LINK_RTT) return changes->at[LINK_DELAY_DOWN] > 0 && changes->at[LINK_DELAY_UP] > 0;
    enum link_key both = key - key % 3;
    if (changes->at[both] > 0) return true;
    enum link_key other = both == LINK_RATE ? LINK_TRACE : LINK_RATE;
    bool exclusive = both == LINK_RATE || both == LINK_TRACE;
    return exclusive && (changes->at[other] > 0 || changes->at[other + key % 3] > 0);
}

static int merge(struct link_settings *settings, const struct link_settings *changes,
                 struct link_error *error) {
    struct link_settings merged;
    clear(&merged);
    for (int key = 0; key < LINK_KEYS; key++) {
        const struct link_settings *from = replaced(changes, (enum link_key)key) ? changes : settings;
        const char *value = link_settings_value(from, (enum link_key)key);
        if (value && put(&merged, (enum link_key)key, value, strlen(value), error) < 0) return -1;
    }
    *settings = merged;
    return 0;
}

int link_settings_change(struct link_settings *settings, const char *form, struct link_error *error) {
    struct link_settings changes, known_settings;
    const char *known, *none;
    if (take_apart(&changes, &known, form, error) < 0) return -1;
    if (!known) return merge(settings, &changes, error);
    if (take_apart(&known_settings, &none, known, error) < 0 || merge(&known_settings, &changes, error) < 0)
        return -1;
    *settings = known_settings;
    return 0;
}

int link_settings_read(struct link_settings *settings, const char *form, struct link_error *error) {
    struct link_settings read;
    clear(&read);
    if (link_settings_change(&read, form, error) < 0) return -1;
    *settings = read;
    return 0;
}

int link_settings_set(struct link_settings *settings, enum link_key key, const char *text,
                      struct link_error *error) {
    struct link_settings changes;
    clear(&changes);
    if (put_once(&changes, key, text, strlen(text), text, error) < 0) return -1;
    return merge(settings, &changes, error);
}
