#include "shaper/language/link_profile.h"

#include "shaper/language/link_quantity.h"
#include "shaper/language/link_read.h"
#include "shaper/language/link_switch.h"
#include "shaper/nodes/number_file.h"
#include "shaper/nodes/queue.h"
#include "shaper/nodes/trace.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum link_key of_side(enum link_key both, enum link_side side) {
    return both + (side == LINK_SIDE_DOWN ? 1 : 2);
}

static struct direction_settings *direction_of(struct link_profile *profile, enum link_side side) {
    return side == LINK_SIDE_DOWN ? &profile->down : &profile->up;
}

// A direction has a rate or a trace; the one for it alone counts more than the one for both.
static int choose_rate(const struct link_profile *profile, enum link_side side, bool *trace,
                       struct link_error *error) {
    const uint16_t *at = profile->settings.at;
    bool special_rate = at[of_side(LINK_RATE, side)] > 0, special_trace = at[of_side(LINK_TRACE, side)] > 0;
    bool rate = special_rate || special_trace ? special_rate : at[LINK_RATE] > 0;
    *trace = special_rate || special_trace ? special_trace : at[LINK_TRACE] > 0;
    if (rate && *trace)
        return link_fail(error, "link: %s and %s exclude each other: give one of them",
                         link_key_names[link_key_of(profile, LINK_RATE, side)],
                         link_key_names[link_key_of(profile, LINK_TRACE, side)]);
    return 0;
}

static int open_trace(struct link_profile *profile, const struct link_profile *before, enum link_side side,
                      struct link_error *error) {
    const char *path = link_trace_path(profile, side);
    const char *other = side == LINK_SIDE_UP ? link_trace_path(profile, LINK_SIDE_DOWN) : NULL;
    struct trace **place = &profile->files[side].trace;
    if (profile->files_unread) return 0;
    if (before && link_keeps_file(profile, LINK_TRACE, side, path, link_trace_path(before, side))) {
        *place = trace_share(before->files[side].trace);
    } else if (other && strcmp(other, path) == 0) {
        *place = trace_share(profile->files[LINK_SIDE_DOWN].trace);
    } else {
        char line[sizeof error->line];
        *place = trace_open(path, line, sizeof line);
        if (!*place)
            return link_fail(error, "link: %s: %.900s",
                             link_key_names[link_key_of(profile, LINK_TRACE, side)], line);
    }
    direction_of(profile, side)->rate.trace = *place;
    return 0;
}

static int read_rate(struct link_profile *profile, const struct link_profile *before, enum link_side side,
                     struct link_error *error) {
    bool trace;
    struct rate_settings *rate = &direction_of(profile, side)->rate;
    if (choose_rate(profile, side, &trace, error) < 0) return -1;
    if (trace) {
        rate->kind = RATE_TRACE;
        return open_trace(profile, before, side, error);
    }
    enum link_key key = link_key_of(profile, LINK_RATE, side);
    const char *name = link_key_names[key], *text = link_settings_value(&profile->settings, key);
    if (!text) return 0;
    if (link_read_steps(name, text, "3mbit", link_read_rate, &rate->steps_bps, error) < 0) return -1;
    for (uint32_t i = 0; i < rate->steps_bps.count; i++)
        if (rate->steps_bps.step[i].value > 0)
            rate->kind = RATE_STEPS;
        else if (rate->steps_bps.count > 1)
            return link_fail(error, "link: %s \"unlimited\" cannot be a step: give a rate, as 100gbit", name);
    if (rate->kind == RATE_UNLIMITED) rate->steps_bps = (struct steps){0};
    return 0;
}

static void set_limits(struct queue_settings *queue, double bdp_bytes) {
    const struct link_queue *wanted = &queue->given;
    static const double initial_window_bytes = 10 * 1500;
    double size_bytes = wanted->size * bdp_bytes;
    switch (wanted->kind) {
    case LINK_QUEUE_BDP:
        queue->limit_bytes =
            (uint64_t)llround(size_bytes > initial_window_bytes ? size_bytes : initial_window_bytes);
        break;
    case LINK_QUEUE_PACKETS:
        queue->limit_packets = (uint64_t)wanted->size;
        break;
    case LINK_QUEUE_BYTES:
        queue->limit_bytes = (uint64_t)wanted->size;
        break;
    case LINK_QUEUE_TIME:
        queue->limit_ns = (uint64_t)wanted->size;
        break;
    case LINK_QUEUE_UNLIMITED:
        break;
    }
}

struct link_queue link_default_queue(const char *discipline, bool has_product) {
    size_t d = 0;
    while (d < QUEUE_DISCIPLINES - 1 && strcmp(queue_words[d].word, discipline) != 0)
        d++;
    // There is no product of an unlimited rate or of no delay, and an algorithm that keeps the queue short
    // itself gets room to do so.
    return has_product && !queue_words[d].active
               ? (struct link_queue){.kind = LINK_QUEUE_BDP, .size = 1}
               : (struct link_queue){.kind = LINK_QUEUE_PACKETS, .size = 1000};
}

static int check_marks(const struct link_profile *profile, enum link_side side,
                       const struct queue_settings *queue, struct link_error *error) {
    const char *active[QUEUE_DISCIPLINES];
    size_t count = 0;
    char listed[200];
    if (!queue->ecn || queue_words[queue->discipline].active) return 0;
    for (size_t d = 0; d < QUEUE_DISCIPLINES; d++)
        if (queue_words[d].active) active[count++] = queue_words[d].word;
    link_list(listed, "aqm=", active, count);
    return link_fail(error, "link: %s=on needs a queue that marks: add %s",
                     link_key_names[link_key_of(profile, LINK_ECN, side)], listed);
}

static int size_queue(struct link_profile *profile, enum link_side side, uint64_t rtt_ns,
                      struct link_error *error) {
    struct direction_settings *direction = direction_of(profile, side);
    struct queue_settings *queue = &direction->queue;
    if (check_marks(profile, side, queue, error) < 0) return -1;
    const enum link_key key = link_key_of(profile, LINK_QUEUE, side);
    const char *text = link_settings_value(&profile->settings, key);
    bool has_product = direction->rate.kind != RATE_UNLIMITED && rtt_ns > 0;
    if (!text) queue->given = link_default_queue(queue_words[queue->discipline].word, has_product);
    if (queue->given.kind == LINK_QUEUE_BDP && !has_product)
        return link_fail(error,
                         "link: %s \"%s\" is no size with %s: give the queue in packets, as queue=1000p",
                         link_key_names[key], text,
                         direction->rate.kind == RATE_UNLIMITED ? "an unlimited rate" : "no delay");
    set_limits(queue, (double)link_rate_bps(direction) / 8 * ((double)rtt_ns / 1e9));
    return 0;
}

static int read_delays(struct link_profile *profile, struct link_error *error) {
    const char *rtt = link_settings_value(&profile->settings, LINK_RTT);
    struct steps *sides[] = {&profile->down.delay.delay_ns, &profile->up.delay.delay_ns};
    if (rtt) {
        struct steps whole;
        if (profile->settings.at[LINK_DELAY_DOWN] > 0 || profile->settings.at[LINK_DELAY_UP] > 0)
            return link_fail(
                error,
                "link: rtt and one-way delays exclude each other: give rtt, or delay_down and delay_up");
        if (link_read_steps("rtt", rtt, "50ms", link_read_time, &whole, error) < 0) return -1;
        // Both ways take the same whole nanoseconds.
        for (uint32_t i = 0; i < whole.count; i++)
            whole.step[i].value = (whole.step[i].value + 1) / 2;
        *sides[0] = *sides[1] = whole;
        return 0;
    }
    for (int side = 0; side < LINK_SIDES; side++) {
        const char *text = link_settings_value(&profile->settings, of_side(LINK_RTT, (enum link_side)side));
        const char *name = link_key_names[of_side(LINK_RTT, (enum link_side)side)];
        *sides[side] = (struct steps){.count = 1};
        if (text && link_read_steps(name, text, "50ms", link_read_time, sides[side], error) < 0) return -1;
    }
    return 0;
}

static int read_all(struct link_profile *profile, const struct link_profile *before,
                    struct link_error *error) {
    if (read_delays(profile, error) < 0) return -1;
    uint64_t rtt_ns = link_delay_ns(&profile->down) + link_delay_ns(&profile->up);
    for (enum link_side side = LINK_SIDE_DOWN; side < LINK_SIDES; side++) {
        struct rate_settings *rate = &direction_of(profile, side)->rate;
        if (read_rate(profile, before, side, error) < 0 ||
            link_read_direction(profile, before, side, error) < 0 ||
            size_queue(profile, side, rtt_ns, error) < 0)
            return -1;
        rate->trace_once = rate->trace_once && rate->kind == RATE_TRACE;
    }
    const uint16_t *at = profile->settings.at;
    if ((at[LINK_TRACE_END] > 0 || at[LINK_TRACE_END_DOWN] > 0 || at[LINK_TRACE_END_UP] > 0) &&
        profile->down.rate.kind != RATE_TRACE && profile->up.rate.kind != RATE_TRACE)
        return link_fail(error,
                         "link: trace_end is for a trace, and there is none: give one, or leave it out");
    const char *seed = link_settings_value(&profile->settings, LINK_SEED);
    uint64_t value = 1;
    if (seed && link_read_whole("seed", seed, 0, UINT32_MAX, &value, error) < 0) return -1;
    profile->seed = (uint32_t)value;
    return link_read_path(profile, error);
}

static int read_after(struct link_profile *profile, const struct link_profile *before,
                      const struct link_settings *settings, bool files, struct link_error *error);

// The settings of the link that is switched to: those of its form, and what holds for the whole run.
static int switched_settings(const struct link_profile *profile, struct link_settings *settings,
                             const char *form, struct link_error *error) {
    if (link_settings_read(settings, form, error) < 0 || link_check_switched(settings, error) < 0) return -1;
    for (int key = LINK_SEED; key < LINK_KEYS; key++) {
        const char *value = link_settings_value(&profile->settings, (enum link_key)key);
        if (!value || key == LINK_SWITCH) continue;
        if (link_settings_set(settings, (enum link_key)key, value, error) < 0) return -1;
    }
    bool named = profile->settings.named >> LINK_SWITCH & 1;
    settings->named = named ? UINT64_MAX : 0;
    return 0;
}

// A line of the link that is switched to, which says so.
static int fail_switched(struct link_error *error) {
    struct link_error inner = *error;
    static const char begin[] = "link: ", own[] = "link: switch";
    if (strncmp(inner.line, own, sizeof own - 1) == 0) return -1;
    size_t skip = strncmp(inner.line, begin, sizeof begin - 1) == 0 ? sizeof begin - 1 : 0;
    return link_fail(error, "link: switch: %.900s", inner.line + skip);
}

static int read_switch(struct link_profile *profile, const struct link_profile *before,
                       struct link_error *error) {
    const char *link = link_settings_value(&profile->settings, LINK_SWITCH);
    char form[LINK_FORM_MAX + 1];
    struct link_settings settings;
    if (!link) return 0;
    if (link_read_switch(link, &profile->switch_ns, form, error) < 0) return -1;
    if (profile->switch_ns == 0) return 0;
    if (switched_settings(profile, &settings, form, error) < 0) return fail_switched(error);
    struct link_profile *to = malloc(sizeof *to);
    if (!to) return link_fail(error, "link: memory is short");
    if (read_after(to, before ? before->switch_to : NULL, &settings, !profile->files_unread, error) < 0) {
        free(to);
        return fail_switched(error);
    }
    profile->switch_to = to;
    return 0;
}

static int read_after(struct link_profile *profile, const struct link_profile *before,
                      const struct link_settings *settings, bool files, struct link_error *error) {
    *profile = (struct link_profile){.settings = *settings, .files_unread = !files};
    if (read_all(profile, before, error) == 0 && read_switch(profile, before, error) == 0) return 0;
    link_profile_close(profile);
    return -1;
}

int link_profile_read(struct link_profile *profile, const struct link_settings *settings,
                      struct link_error *error) {
    return read_after(profile, NULL, settings, true, error);
}

int link_profile_check(struct link_profile *profile, const struct link_settings *settings,
                       struct link_error *error) {
    return read_after(profile, NULL, settings, false, error);
}

int link_profile_change(struct link_profile *next, const struct link_profile *now, const char *form,
                        struct link_error *error) {
    struct link_settings settings = now->settings;
    if (link_settings_change(&settings, form, error) < 0) return -1;
    return read_after(next, now, &settings, true, error);
}

void link_profile_close(struct link_profile *profile) {
    for (int side = 0; side < LINK_SIDES; side++) {
        trace_close(profile->files[side].trace);
        number_file_close(profile->files[side].jitter);
        number_file_close(profile->files[side].loss);
    }
    memset(profile->files, 0, sizeof profile->files);
    if (profile->switch_to) link_profile_close(profile->switch_to);
    free(profile->switch_to);
    profile->switch_to = NULL;
}

uint64_t link_rate_bps(const struct direction_settings *direction) {
    switch (direction->rate.kind) {
    case RATE_STEPS:
        return direction->rate.steps_bps.step[0].value;
    case RATE_TRACE:
        return direction->rate.trace ? trace_mean_bps(direction->rate.trace) : 0;
    default:
        return 0;
    }
}

uint64_t link_delay_ns(const struct direction_settings *direction) {
    return direction->delay.delay_ns.count > 0 ? direction->delay.delay_ns.step[0].value : 0;
}

double link_loss(const struct direction_settings *direction) {
    const struct loss_settings *loss = &direction->loss;
    double bad;
    uint64_t lost = 0, count = loss->file ? number_file_count(loss->file) : 0;
    switch (loss->kind) {
    case LOSS_INDEPENDENT:
        return loss->probability;
    case LOSS_GILBERT_ELLIOTT:
        bad = loss->good_to_bad / (loss->good_to_bad + loss->bad_to_good);
        return bad * loss->loss_in_bad + (1 - bad) * loss->loss_in_good;
    case LOSS_PERIODIC:
        return 1 / (double)loss->every;
    default:
        for (uint64_t i = 0; i < count; i++)
            lost += number_file_at(loss->file, i) != 0;
        return count > 0 ? (double)lost / (double)count : 0;
    }
}

const char *link_trace_path(const struct link_profile *profile, enum link_side side) {
    const struct direction_settings *direction = side == LINK_SIDE_DOWN ? &profile->down : &profile->up;
    if (direction->rate.kind != RATE_TRACE) return NULL;
    return link_settings_value(&profile->settings, link_key_of(profile, LINK_TRACE, side));
}
