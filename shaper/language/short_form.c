#include "shaper/language/short_form.h"

#include "shaper/language/link_names.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define WORD(constant, word) word,
const char *const link_key_names[LINK_KEYS] = {LINK_SETTINGS(WORD)};
#undef WORD

// Bytes of the character of UTF-8 that begins here; 0: none does, or it is cut off.
static size_t character_size(const char *text) {
    unsigned char first = (unsigned char)*text;
    size_t size = first < 0x80 ? 1 : first < 0xc0 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    for (size_t i = 1; i < size; i++)
        if (((unsigned char)text[i] & 0xc0) != 0x80) return 0;
    return size;
}

int link_fail(struct link_error *error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->line, sizeof error->line, format, arguments);
    va_end(arguments);
    char *end = error->line;
    for (const char *c = error->line; *c;) {
        size_t size = character_size(c);
        if (size == 1)
            *end++ = *c < ' ' || *c == 127 ? '?' : *c;
        else
            for (size_t i = 0; i < size; i++)
                *end++ = c[i];
        c += size > 0 ? size : 1;
    }
    *end = 0;
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
    settings->named = 0;
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

// The form of the link that a part without "=" names; "" of one that has only what follows. NULL: it is none.
static const char *form_named(const char *part, size_t size) {
    if (size == strlen("unlimited") && memcmp(part, "unlimited", size) == 0) return "";
    const struct named_link *named = link_named(part, size);
    return named ? named->form : NULL;
}

// The form's own settings, and the form of the link that it begins with; NULL: it begins with none.
static int take_apart(struct link_settings *settings, const char **link, const char *form,
                      struct link_error *error) {
    clear(settings);
    *link = NULL;
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
            *link = form_named(part, size);
            if (!*link && put_bare(settings, part, size, form, error) < 0) return -1;
            if (!*link) *link = "";
        } else {
            size_t name_size = (size_t)(equals - part);
            enum link_key key = key_named(part, name_size);
            if (key == LINK_KEYS)
                return link_fail(
                    error,
                    "link: no setting \"%.*s\" (in \"%s\"): there are rate, down, up, trace, trace_end, rtt, "
                    "delay_down, delay_up, jitter, jitter_order, loss, loss_slot, duplicate, reorder, onoff, "
                    "queue, aqm, ecn, fec, seed, udp, rebind, switch, and most of them with _down or _up",
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
    if (key >= LINK_SEED) return false;
    if (key == LINK_RTT) return changes->at[LINK_DELAY_DOWN] > 0 && changes->at[LINK_DELAY_UP] > 0;
    enum link_key both = key - key % 3;
    if (changes->at[both] > 0) return true;
    enum link_key other = both == LINK_RATE ? LINK_TRACE : LINK_RATE;
    bool exclusive = both == LINK_RATE || both == LINK_TRACE;
    return exclusive && (changes->at[other] > 0 || changes->at[other + key % 3] > 0);
}

static bool has_trace(const struct link_settings *settings, int side) {
    const uint16_t *at = settings->at;
    return at[LINK_TRACE + side] > 0 || (at[LINK_TRACE] > 0 && at[LINK_RATE + side] == 0);
}

// The end of a trace, and that trace is no more: of either direction, or of this one.
static bool outlived(const struct link_settings *before, const struct link_settings *after,
                     enum link_key key) {
    if (key - key % 3 != LINK_TRACE_END) return false;
    int side = key % 3, first = side > 0 ? side : 1, last = side > 0 ? side : 2;
    bool had = has_trace(before, first) || has_trace(before, last);
    return had && !has_trace(after, first) && !has_trace(after, last);
}

static int merge(struct link_settings *settings, const struct link_settings *changes,
                 struct link_error *error) {
    struct link_settings merged;
    clear(&merged);
    for (int k = 0; k < LINK_KEYS; k++) {
        enum link_key key = (enum link_key)k;
        bool change = replaced(changes, key);
        const char *value = link_settings_value(change ? changes : settings, key);
        // Rates and traces come before the ends of traces.
        if (!value || (!change && outlived(settings, &merged, key))) continue;
        if (put(&merged, key, value, strlen(value), error) < 0) return -1;
        if (change) merged.named |= (uint64_t)1 << k;
    }
    *settings = merged;
    return 0;
}

// Without the spaces and tabs at its ends.
static int trim(char trimmed[LINK_FORM_MAX + 1], const char *form, struct link_error *error) {
    form += strspn(form, " \t");
    size_t size = strlen(form);
    while (size > 0 && (form[size - 1] == ' ' || form[size - 1] == '\t'))
        size--;
    if (size > LINK_FORM_MAX)
        return link_fail(error, "link: the form is longer than %d bytes: shorten it", LINK_FORM_MAX);
    memcpy(trimmed, form, size);
    trimmed[size] = 0;
    return 0;
}

int link_settings_change(struct link_settings *settings, const char *form, struct link_error *error) {
    struct link_settings changes, whole;
    char trimmed[LINK_FORM_MAX + 1];
    const char *link, *none;
    if (trim(trimmed, form, error) < 0 || take_apart(&changes, &link, trimmed, error) < 0) return -1;
    if (!link) return merge(settings, &changes, error);
    clear(&whole);
    if (*link && take_apart(&whole, &none, link, error) < 0) return -1;
    if (merge(&whole, &changes, error) < 0) return -1;
    const char *seed = link_settings_value(settings, LINK_SEED);
    if (seed && whole.at[LINK_SEED] == 0 && put(&whole, LINK_SEED, seed, strlen(seed), error) < 0) return -1;
    *settings = whole;
    return 0;
}

int link_settings_read(struct link_settings *settings, const char *form, struct link_error *error) {
    struct link_settings read;
    clear(&read);
    if (link_settings_change(&read, form, error) < 0) return -1;
    *settings = read;
    return 0;
}

bool link_form_says_no_delay(const char *form, char with[2][LINK_FORM_MAX + 16]) {
    static const char *const times[] = {"50ms", "0ms"};
    struct link_settings settings;
    struct link_error error;
    char trimmed[LINK_FORM_MAX + 1];
    if (link_settings_read(&settings, form, &error) < 0 || trim(trimmed, form, &error) < 0) return false;
    bool rate = false, delay = false;
    for (int key = LINK_RATE; key <= LINK_TRACE_UP; key++)
        rate = rate || settings.at[key] > 0;
    for (int key = LINK_RTT; key <= LINK_DELAY_UP; key++)
        delay = delay || settings.at[key] > 0;
    if (!rate || delay) return false;
    size_t first = strcspn(trimmed, ",");
    bool bare = !memchr(trimmed, '=', first) && !form_named(trimmed, first);
    for (int i = 0; i < 2; i++)
        if (bare)
            snprintf(with[i], sizeof with[i], "%.*s/%s%s", (int)first, trimmed, times[i], trimmed + first);
        else
            snprintf(with[i], sizeof with[i], "%s,rtt=%s", trimmed, times[i]);
    return true;
}

int link_settings_set(struct link_settings *settings, enum link_key key, const char *text,
                      struct link_error *error) {
    struct link_settings changes;
    clear(&changes);
    if (put_once(&changes, key, text, strlen(text), text, error) < 0) return -1;
    return merge(settings, &changes, error);
}
