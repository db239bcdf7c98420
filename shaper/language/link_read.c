#include "shaper/language/link_read.h"

#include "shaper/language/link_table.h"
#include "shaper/nodes/number_file.h"

#include <stdio.h>
#include <string.h>

enum { PART_MAX = 63 };

enum link_key link_key_of(const struct link_profile *profile, enum link_key both, enum link_side side) {
    enum link_key special = both + (side == LINK_SIDE_DOWN ? 1 : 2);
    return profile->settings.at[special] > 0 ? special : both;
}

bool link_keeps_file(const struct link_profile *profile, enum link_key both, enum link_side side,
                     const char *path, const char *path_before) {
    bool named = profile->settings.named >> link_key_of(profile, both, side) & 1;
    return !named && path_before && strcmp(path, path_before) == 0;
}

const char *link_file_path(const struct link_profile *profile, enum link_key both, enum link_side side) {
    static const char prefix[] = "file:";
    const char *text = link_settings_value(&profile->settings, link_key_of(profile, both, side));
    return text && strncmp(text, prefix, sizeof prefix - 1) == 0 ? text + sizeof prefix - 1 : NULL;
}

void link_list(char listed[200], const char *before, const char *const *words, size_t count) {
    size_t used = 0;
    for (size_t w = 0; w < count && used < 200; w++)
        used += (size_t)snprintf(listed + used, 200 - used, "%s%s%s",
                                 w == 0           ? ""
                                 : w + 1 == count ? " or "
                                                  : ", ",
                                 before, words[w]);
}

static int read_step(const char *name, char *part, const char *example, link_read_quantity *read,
                     struct steps *steps, struct link_error *error) {
    struct step *step = &steps->step[steps->count];
    char *at = strchr(part, '@');
    if (steps->count == 0) {
        if (at)
            return link_fail(error, "link: %s begins with \"%s\": the first step is at 0 and has no time",
                             name, part);
        step->at_ns = 0;
    } else {
        if (!at)
            return link_fail(error, "link: %s step \"%s\" has no time: write it as %s@10s", name, part,
                             example);
        if (link_read_span(name, at + 1, &step->at_ns, error) < 0) return -1;
        if (step->at_ns <= steps->step[steps->count - 1].at_ns)
            return link_fail(error, "link: %s step \"%s\" is not after the one before it: put steps in order",
                             name, part);
        *at = 0;
    }
    if (read(name, part, &step->value, error) < 0) return -1;
    steps->count++;
    return 0;
}

int link_read_steps(const char *name, const char *text, const char *example, link_read_quantity *read,
                    struct steps *steps, struct link_error *error) {
    *steps = (struct steps){0};
    for (const char *part = text;; part++) {
        char copy[2 * PART_MAX + 2];
        size_t size = strcspn(part, ":");
        if (steps->count == STEPS_MAX)
            return link_fail(error, "link: %s has more than %d steps: take some out", name, STEPS_MAX);
        if (size >= sizeof copy)
            return link_fail(error, "link: %s \"%.20s...\" is longer than %d bytes: write it as %s", name,
                             part, PART_MAX, example);
        memcpy(copy, part, size);
        copy[size] = 0;
        if (read_step(name, copy, example, read, steps, error) < 0) return -1;
        part += size;
        if (!*part) return 0;
    }
}

// --- settings of the table

struct reading {
    struct link_profile *profile;
    const struct link_profile *before;
    enum link_side side;
    const struct link_setting *setting;
    const char *name; // as it was given
    struct link_error *error;
};

static int open_numbers(const struct reading *reading, const struct link_field *field, const char *path) {
    struct link_profile *profile = reading->profile;
    const struct link_profile *before = reading->before;
    size_t at = field->owner + reading->side * sizeof profile->files[0];
    struct number_file **owner = (struct number_file **)((char *)profile + at);
    enum link_key key = reading->setting->key;
    char line[sizeof reading->error->line];
    if (!*path)
        return link_fail(reading->error, "link: %s \"file:\" names no file: write it as file:PATH",
                         reading->name);
    if (profile->files_unread) return 0;
    if (before &&
        link_keeps_file(profile, key, reading->side, path, link_file_path(before, key, reading->side)))
        *owner = number_file_share(*(struct number_file *const *)((const char *)before + at));
    else
        *owner = number_file_open(path, (double)field->most, line, sizeof line);
    if (!*owner) return link_fail(reading->error, "link: %s: %.900s", reading->name, line);
    *(const struct number_file **)link_place(profile, reading->side, field->at) = *owner;
    return 0;
}

static void store(const struct reading *reading, const struct link_field *field, double value) {
    if (field->unit == UNIT_SHARE)
        *(double *)link_place(reading->profile, reading->side, field->at) = value;
    else
        link_store(reading->profile, reading->side, field->at, field->size, (uint64_t)value);
}

static int read_word(const char *name, const char *text, const char *const *words, uint64_t *index,
                     struct link_error *error) {
    char listed[200];
    size_t count = 0;
    for (*index = UINT64_MAX; words[count]; count++)
        if (strcmp(words[count], text) == 0) *index = count;
    if (*index < count) return 0;
    link_list(listed, "", words, count);
    return link_fail(error, "link: %s must be %s (got \"%.80s\")", name, listed, text);
}

// 0: stored, 1: the setting is off by it. Or -1.
static int read_field(const struct reading *reading, const struct link_field *field, const char *text) {
    static link_read_quantity *const quantities[] = {
        [UNIT_TIME] = link_read_time, [UNIT_SPAN] = link_read_span, [UNIT_RATE] = link_read_rate};
    struct link_error *error = reading->error;
    uint64_t number = 0;
    double share = 0;
    char name[64];
    int failed;
    snprintf(name, sizeof name, "%s%s%s", reading->name, field->name ? " " : "",
             field->name ? field->name : "");
    switch (field->unit) {
    case UNIT_FILE:
        return open_numbers(reading, field, text);
    case UNIT_QUEUE:
        return link_read_queue(name, text, link_place(reading->profile, reading->side, field->at), error);
    case UNIT_SHARE:
        failed = link_read_share(name, text, &share, error);
        number = share > 0;
        break;
    case UNIT_WHOLE:
        failed = link_read_whole(name, text, field->least, field->most, &number, error);
        break;
    case UNIT_WORD:
        failed = read_word(name, text, field->words, &number, error);
        break;
    default:
        failed = quantities[field->unit](name, text, &number, error);
    }
    if (failed < 0) return -1;
    const bool is_small = number < field->least && !(field->is_beside && number == 0);
    if (is_small && field->too_small)
        return link_fail(error, "link: %s must be %s (got \"%s\")", name, field->too_small, text);
    store(reading, field, field->unit == UNIT_SHARE ? share : (double)number);
    return is_small;
}

static int fail_usage(const struct reading *reading, const char *text) {
    const char *words[LINK_SHAPES_MAX + 1] = {NULL};
    uint64_t index;
    for (size_t s = 0; s < LINK_SHAPES_MAX; s++)
        words[s] = reading->setting->shapes[s].prefix;
    if (!reading->setting->usage) return read_word(reading->name, text, words, &index, reading->error);
    return link_fail(reading->error, "link: %s must be %s (got \"%.80s\")", reading->name,
                     reading->setting->usage, text);
}

static bool is_written(const struct link_field *field) {
    return field->unit != UNIT_NONE && field->unit != UNIT_CONSTANT;
}

// The shape whose prefix the text begins with, else the one without. `rest`: what follows. NULL: there is
// none.
static const struct link_shape *shape_of(const struct link_setting *setting, const char *text,
                                         const char **rest) {
    const struct link_shape *bare = NULL;
    *rest = text;
    for (const struct link_shape *shape = setting->shapes;
         shape < setting->shapes + LINK_SHAPES_MAX && shape->prefix; shape++) {
        size_t size = strlen(shape->prefix);
        if (size == 0) bare = shape;
        if (size == 0 || strncmp(text, shape->prefix, size) != 0) continue;
        const char *behind = text + size;
        if (*behind && !strchr(":=", shape->prefix[size - 1]) && (*behind++ != ':' || !*behind)) continue;
        *rest = behind;
        return shape;
    }
    return bare;
}

// Whether there are as many parts between colons as the shape has fields.
static bool has_its_parts(const struct link_shape *shape, const char *text) {
    size_t parts = *text ? 1 : 0, least = 0, most = 0;
    for (; *text; text++)
        parts += *text == ':';
    for (size_t f = 0; f < LINK_FIELDS_MAX; f++) {
        most += is_written(&shape->fields[f]);
        least += is_written(&shape->fields[f]) && !shape->fields[f].is_optional;
    }
    return parts >= least && parts <= most;
}

static int read_setting(const struct reading *reading, const char *text) {
    const struct link_setting *setting = reading->setting;
    const char *rest;
    const struct link_shape *shape = shape_of(setting, text, &rest);
    if (!shape) return fail_usage(reading, text);
    // A path may hold colons, and a setting without a usage is one quantity.
    const bool splits = (setting->usage || *shape->prefix) && shape->fields[0].unit != UNIT_FILE;
    char parts[LINK_FORM_MAX + 1], *part = splits && !*rest ? NULL : parts;
    snprintf(parts, sizeof parts, "%s", rest);
    if (splits && !has_its_parts(shape, parts)) return fail_usage(reading, text);
    int off = 0;
    for (size_t f = 0; f < LINK_FIELDS_MAX; f++) {
        const struct link_field *field = &shape->fields[f];
        if (!is_written(field)) continue;
        if (!part) {
            store(reading, field, field->otherwise);
            continue;
        }
        char *colon = splits ? strchr(part, ':') : NULL;
        if (colon) *colon = 0;
        int read = read_field(reading, field, part);
        if (read < 0) return -1;
        off |= read;
        part = colon ? colon + 1 : NULL;
    }
    for (size_t f = 0; off && f < LINK_FIELDS_MAX; f++)
        memset(link_place(reading->profile, reading->side, shape->fields[f].at), 0, shape->fields[f].size);
    if (setting->kind_size > 0)
        link_store(reading->profile, reading->side, setting->kind_at, setting->kind_size,
                   off ? 0 : shape->kind);
    return 0;
}

static int read_table(struct reading *reading, const struct link_setting *table, size_t count, bool sides) {
    for (reading->setting = table; reading->setting < table + count; reading->setting++) {
        enum link_key key = reading->setting->key;
        if (sides) key = link_key_of(reading->profile, key, reading->side);
        const char *text = link_settings_value(&reading->profile->settings, key);
        reading->name = link_key_names[key];
        if (text && read_setting(reading, text) < 0) return -1;
    }
    return 0;
}

int link_read_direction(struct link_profile *profile, const struct link_profile *before, enum link_side side,
                        struct link_error *error) {
    struct reading reading = {.profile = profile, .before = before, .side = side, .error = error};
    return read_table(&reading, link_direction_settings, LINK_DIRECTION_SETTINGS, true);
}

int link_read_path(struct link_profile *profile, struct link_error *error) {
    struct reading reading = {.profile = profile, .error = error};
    return read_table(&reading, link_path_settings, LINK_PATH_SETTINGS, false);
}
