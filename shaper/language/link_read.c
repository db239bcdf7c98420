#include "shaper/language/link_models.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { PART_MAX = 63, PARTS_MAX = 8, REORDER_DISTANCE_MAX = 1000 };

struct parts {
    uint32_t count;
    char text[PARTS_MAX][PART_MAX + 1];
};

// What stands between colons; false where that is too much for any setting.
static bool split(const char *text, struct parts *parts) {
    parts->count = 0;
    for (const char *part = text;; part++) {
        size_t size = strcspn(part, ":");
        if (size > PART_MAX || parts->count == PARTS_MAX) return false;
        memcpy(parts->text[parts->count], part, size);
        parts->text[parts->count++][size] = 0;
        part += size;
        if (!*part) return true;
    }
}

static bool begins(const char *text, const char *start) {
    return strncmp(text, start, strlen(start)) == 0;
}

// "file:PATH"; a path may hold colons.
static int read_file(const char *name, const char *text, const char **path, struct link_error *error) {
    *path = text + strlen("file:");
    return **path ? 0 : link_fail(error, "link: %s \"file:\" names no file: write it as file:PATH", name);
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

int link_read_jitter(const char *name, const char *text, struct delay_settings *delay, const char **path,
                     struct link_error *error) {
    static const struct {
        const char *prefix;
        enum jitter_kind kind;
    } kinds[] = {{"uniform:", JITTER_UNIFORM}, {"normal:", JITTER_NORMAL}, {"pareto:", JITTER_PARETO}};
    *path = NULL;
    if (begins(text, "file:")) {
        delay->jitter = JITTER_FILE;
        return read_file(name, text, path, error);
    }
    const char *time = text;
    enum jitter_kind kind = JITTER_UNIFORM;
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        if (begins(text, kinds[k].prefix)) {
            kind = kinds[k].kind;
            time = text + strlen(kinds[k].prefix);
        }
    if (time == text && strchr(text, ':'))
        return link_fail(
            error, "link: %s \"%s\" is of no known kind: use uniform, normal, pareto or file, as normal:5ms",
            name, text);
    if (link_read_time(name, time, &delay->jitter_ns, error) < 0) return -1;
    delay->jitter = delay->jitter_ns > 0 ? kind : JITTER_NONE;
    return 0;
}

static int read_gilbert_elliott(const char *name, const char *text, struct loss_settings *loss,
                                struct link_error *error) {
    struct parts parts;
    if (!split(text, &parts) || parts.count < 3 || parts.count > 5)
        return link_fail(error,
                         "link: %s \"%s\" is not ge:P:R, ge:P:R:H or ge:P:R:H:G: write it as ge:1%%:30%%",
                         name, text);
    *loss = (struct loss_settings){.kind = LOSS_GILBERT_ELLIOTT, .loss_in_bad = 1};
    double *values[] = {&loss->good_to_bad, &loss->bad_to_good, &loss->loss_in_bad, &loss->loss_in_good};
    for (uint32_t i = 1; i < parts.count; i++)
        if (link_read_share(name, parts.text[i], values[i - 1], error) < 0) return -1;
    if (loss->bad_to_good == 0)
        return link_fail(error, "link: %s \"%s\" never leaves the bad state: let R be above 0%%", name, text);
    return 0;
}

int link_read_loss(const char *name, const char *text, struct loss_settings *loss, const char **path,
                   struct link_error *error) {
    *path = NULL;
    *loss = (struct loss_settings){.kind = LOSS_INDEPENDENT};
    if (begins(text, "ge:")) return read_gilbert_elliott(name, text, loss, error);
    if (begins(text, "every:")) {
        loss->kind = LOSS_PERIODIC;
        char what[64];
        snprintf(what, sizeof what, "%s every", name);
        return link_read_whole(what, text + strlen("every:"), 1, 1000000000, &loss->every, error);
    }
    if (begins(text, "file:")) {
        loss->kind = LOSS_FILE;
        return read_file(name, text, path, error);
    }
    if (strchr(text, ':'))
        return link_fail(error, "link: %s \"%s\" is of no known kind: use ge, every or file, as ge:1%%:30%%",
                         name, text);
    return link_read_share(name, text, &loss->probability, error);
}

int link_read_reorder(const char *name, const char *text, struct reorder_settings *reorder,
                      struct link_error *error) {
    struct parts parts;
    if (!split(text, &parts) || parts.count != 2)
        return link_fail(error, "link: %s \"%s\" is not SHARE:DISTANCE: write it as 1%%:3", name, text);
    uint64_t distance;
    char what[64];
    snprintf(what, sizeof what, "%s distance", name);
    if (link_read_share(name, parts.text[0], &reorder->probability, error) < 0 ||
        link_read_whole(what, parts.text[1], 1, REORDER_DISTANCE_MAX, &distance, error) < 0)
        return -1;
    reorder->distance = (uint32_t)distance;
    if (reorder->probability == 0) *reorder = (struct reorder_settings){0};
    return 0;
}

int link_read_onoff(const char *name, const char *text, struct onoff_settings *onoff,
                    struct link_error *error) {
    *onoff = (struct onoff_settings){0};
    if (strcmp(text, "off") == 0) return 0;
    struct parts parts;
    bool exponential = begins(text, "exp:");
    if (!split(exponential ? text + strlen("exp:") : text, &parts) || parts.count != 2)
        return link_fail(error, "link: %s \"%s\" is not ON:OFF, exp:ON:OFF or off: write it as 10s:1s", name,
                         text);
    onoff->exponential = exponential;
    uint64_t *spans[] = {&onoff->on_ns, &onoff->off_ns};
    for (int i = 0; i < 2; i++) {
        if (link_read_span(name, parts.text[i], spans[i], error) < 0) return -1;
        if (*spans[i] == 0)
            return link_fail(error, "link: %s must be above 0 (got \"%s\")", name, parts.text[i]);
    }
    return 0;
}

int link_read_fec(const char *name, const char *text, uint32_t *group, struct link_error *error) {
    uint64_t value = 0;
    if (strcmp(text, "off") != 0 && link_read_whole(name, text, 1, FEC_GROUP_MAX, &value, error) < 0)
        return -1;
    *group = (uint32_t)value;
    return 0;
}

int link_read_word(const char *name, const char *text, const char *const *words, const char *listed,
                   uint32_t *index, struct link_error *error) {
    for (*index = 0; words[*index]; ++*index)
        if (strcmp(words[*index], text) == 0) return 0;
    return link_fail(error, "link: %s must be %s (got \"%s\")", name, listed, text);
}

double link_mean_loss(const struct loss_settings *loss) {
    double bad;
    switch (loss->kind) {
    case LOSS_INDEPENDENT:
        return loss->probability;
    case LOSS_GILBERT_ELLIOTT:
        bad = loss->good_to_bad / (loss->good_to_bad + loss->bad_to_good);
        return bad * loss->loss_in_bad + (1 - bad) * loss->loss_in_good;
    case LOSS_PERIODIC:
        return 1 / (double)loss->every;
    default:
        return 0;
    }
}
