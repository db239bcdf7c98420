#include "shaper/language/link_profile.h"

#include "shaper/language/link_models.h"
#include "shaper/language/link_moves.h"
#include "shaper/language/link_udp.h"
#include "shaper/nodes/number_file.h"
#include "shaper/nodes/queue.h"
#include "shaper/nodes/trace.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// One direction while it is read.
struct reading {
    struct link_profile *profile;
    const struct link_profile *before; // whose files are taken over; NULL: none
    enum link_side side;
    struct direction_settings *direction;
    struct link_queue *queue;
    struct link_error *error;
};

static enum link_key of_side(enum link_key both, enum link_side side) {
    return both + (side == LINK_SIDE_DOWN ? 1 : 2);
}

// The setting for one direction, or the one for both.
static enum link_key key_of(const struct link_profile *profile, enum link_key both, enum link_side side) {
    enum link_key special = of_side(both, side);
    return profile->settings.at[special] > 0 ? special : both;
}

// NULL where it is not given. *name: as it was given.
static const char *value_of(const struct reading *reading, enum link_key both, const char **name) {
    enum link_key key = key_of(reading->profile, both, reading->side);
    *name = link_key_names[key];
    return link_settings_value(&reading->profile->settings, key);
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
                         link_key_names[key_of(profile, LINK_RATE, side)],
                         link_key_names[key_of(profile, LINK_TRACE, side)]);
    return 0;
}

// Whether the file is that of before, and no form has named it since.
static bool is_kept(const struct reading *reading, enum link_key both, const char *path,
                    const char *path_before) {
    const struct link_profile *profile = reading->profile;
    bool named = profile->settings.named >> key_of(profile, both, reading->side) & 1;
    return !named && path_before && strcmp(path, path_before) == 0;
}

static int open_trace(const struct reading *reading) {
    const char *name, *path = value_of(reading, LINK_TRACE, &name);
    struct link_profile *profile = reading->profile;
    const struct link_profile *before = reading->before;
    struct trace **place = &profile->files[reading->side].trace;
    reading->direction->rate.kind = RATE_TRACE;
    if (profile->files_unread) return 0;
    const char *other = reading->side == LINK_SIDE_UP ? link_trace_path(profile, LINK_SIDE_DOWN) : NULL;
    if (before && is_kept(reading, LINK_TRACE, path, link_trace_path(before, reading->side))) {
        *place = trace_share(before->files[reading->side].trace);
    } else if (other && strcmp(other, path) == 0) {
        *place = trace_share(profile->files[LINK_SIDE_DOWN].trace);
    } else {
        char line[sizeof reading->error->line];
        *place = trace_open(path, line, sizeof line);
        if (!*place) return link_fail(reading->error, "link: %s: %.900s", name, line);
    }
    reading->direction->rate.trace = *place;
    return 0;
}

static int read_rate(const struct reading *reading) {
    bool trace;
    if (choose_rate(reading->profile, reading->side, &trace, reading->error) < 0) return -1;
    struct rate_settings *rate = &reading->direction->rate;
    const char *name, *text;
    if (trace) {
        static const char *const ends[] = {"wrap", "once", NULL};
        uint32_t end = 0;
        text = value_of(reading, LINK_TRACE_END, &name);
        if (text && link_read_word(name, text, ends, "wrap or once", &end, reading->error) < 0) return -1;
        rate->trace_once = end == 1;
        return open_trace(reading);
    }
    text = value_of(reading, LINK_RATE, &name);
    if (!text) return 0;
    if (link_read_steps(name, text, "3mbit", link_read_rate, &rate->steps_bps, reading->error) < 0) return -1;
    for (uint32_t i = 0; i < rate->steps_bps.count; i++)
        if (rate->steps_bps.step[i].value > 0)
            rate->kind = RATE_STEPS;
        else if (rate->steps_bps.count > 1)
            return link_fail(reading->error,
                             "link: %s \"unlimited\" cannot be a step: give a rate, as 100gbit", name);
    if (rate->kind == RATE_UNLIMITED) rate->steps_bps = (struct steps){0};
    return 0;
}

static int open_numbers(const struct reading *reading, const char *name, const char *path, double max,
                        struct number_file **place) {
    if (reading->profile->files_unread) return 0;
    char line[sizeof reading->error->line];
    *place = number_file_open(path, max, line, sizeof line);
    return *place ? 0 : link_fail(reading->error, "link: %s: %.900s", name, line);
}

static int read_jitter(const struct reading *reading) {
    static const char *const orders[] = {"keep", "free", NULL};
    static const double max_ms = 60000;
    struct delay_settings *delay = &reading->direction->delay;
    const char *name, *path, *text = value_of(reading, LINK_JITTER, &name);
    if (text && link_read_jitter(name, text, delay, &path, reading->error) < 0) return -1;
    if (text && path) {
        const struct link_profile *before = reading->before;
        struct number_file **place = &reading->profile->files[reading->side].jitter;
        if (before && is_kept(reading, LINK_JITTER, path, link_jitter_path(before, reading->side)))
            *place = number_file_share(before->files[reading->side].jitter);
        else if (open_numbers(reading, name, path, max_ms, place) < 0)
            return -1;
        delay->file = *place;
    }
    uint32_t order = 0;
    text = value_of(reading, LINK_JITTER_ORDER, &name);
    if (text && link_read_word(name, text, orders, "keep or free", &order, reading->error) < 0) return -1;
    delay->may_reorder = order == 1;
    return 0;
}

// "aqm=codel, aqm=pie or aqm=fq_codel", with `before` each.
static void list_disciplines(char listed[200], const char *before, bool all) {
    size_t used = 0, last = QUEUE_DISCIPLINES - 1;
    const char *between = "";
    for (size_t d = 0; d < QUEUE_DISCIPLINES; d++) {
        if (!all && !queue_words[d].active) continue;
        if (d == last) between = " or ";
        used += (size_t)snprintf(listed + used, 200 - used, "%s%s%s", between, before, queue_words[d].word);
        between = ", ";
    }
}

static int read_discipline(const struct reading *reading) {
    static const char *const switches[] = {"off", "on", NULL};
    struct queue_settings *queue = &reading->direction->queue;
    const char *name, *text = value_of(reading, LINK_AQM, &name), *words[QUEUE_DISCIPLINES + 1] = {NULL};
    uint32_t discipline = QUEUE_DROP_TAIL, ecn = 0;
    char listed[200];
    for (size_t d = 0; d < QUEUE_DISCIPLINES; d++)
        words[d] = queue_words[d].word;
    list_disciplines(listed, "", true);
    if (text && link_read_word(name, text, words, listed, &discipline, reading->error) < 0) return -1;
    queue->discipline = (enum queue_discipline)discipline;
    text = value_of(reading, LINK_ECN, &name);
    if (text && link_read_word(name, text, switches, "on or off", &ecn, reading->error) < 0) return -1;
    queue->ecn = ecn == 1;
    list_disciplines(listed, "aqm=", false);
    if (queue->ecn && !queue_words[discipline].active)
        return link_fail(reading->error, "link: %s=on needs a queue that marks: add %s", name, listed);
    return 0;
}

static void set_limits(struct queue_settings *queue, const struct link_queue *wanted, double bdp_bytes) {
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

static int read_queue(const struct reading *reading, uint64_t rtt_ns) {
    if (read_discipline(reading) < 0) return -1;
    struct direction_settings *direction = reading->direction;
    bool has_product = direction->rate.kind != RATE_UNLIMITED && rtt_ns > 0;
    *reading->queue = link_default_queue(queue_words[direction->queue.discipline].word, has_product);
    const char *name, *text = value_of(reading, LINK_QUEUE, &name);
    if (text && link_read_queue(name, text, reading->queue, reading->error) < 0) return -1;
    if (reading->queue->kind == LINK_QUEUE_BDP && !has_product)
        return link_fail(
            reading->error, "link: %s \"%s\" is no size with %s: give the queue in packets, as queue=1000p",
            name, text, direction->rate.kind == RATE_UNLIMITED ? "an unlimited rate" : "no delay");
    double bdp_bytes = (double)link_rate_bps(direction) / 8 * ((double)rtt_ns / 1e9);
    set_limits(&direction->queue, reading->queue, bdp_bytes);
    return 0;
}

static int read_loss(const struct reading *reading) {
    struct loss_settings *loss = &reading->direction->loss;
    const char *name, *path, *text = value_of(reading, LINK_LOSS, &name);
    if (text && link_read_loss(name, text, loss, &path, reading->error) < 0) return -1;
    if (text && path) {
        const struct link_profile *before = reading->before;
        struct number_file **place = &reading->profile->files[reading->side].loss;
        if (before && is_kept(reading, LINK_LOSS, path, link_loss_path(before, reading->side)))
            *place = number_file_share(before->files[reading->side].loss);
        else if (open_numbers(reading, name, path, 1, place) < 0)
            return -1;
        loss->file = *place;
    }
    text = value_of(reading, LINK_LOSS_SLOT, &name);
    return text ? link_read_span(name, text, &loss->slot_ns, reading->error) : 0;
}

static int read_rest(const struct reading *reading) {
    struct direction_settings *direction = reading->direction;
    struct link_error *error = reading->error;
    const char *name, *text = value_of(reading, LINK_DUPLICATE, &name);
    if (text && link_read_share(name, text, &direction->duplicate, error) < 0) return -1;
    text = value_of(reading, LINK_REORDER, &name);
    if (text && link_read_reorder(name, text, &direction->reorder, error) < 0) return -1;
    text = value_of(reading, LINK_ONOFF, &name);
    if (text && link_read_onoff(name, text, &direction->onoff, error) < 0) return -1;
    text = value_of(reading, LINK_FEC, &name);
    return text ? link_read_fec(name, text, &direction->fec_group, error) : 0;
}

static int read_direction(struct link_profile *profile, const struct link_profile *before,
                          enum link_side side, uint64_t rtt_ns, struct link_error *error) {
    bool down = side == LINK_SIDE_DOWN;
    struct reading reading = {
        .profile = profile,
        .before = before,
        .side = side,
        .direction = down ? &profile->down : &profile->up,
        .queue = down ? &profile->queue_down : &profile->queue_up,
        .error = error,
    };
    if (read_rate(&reading) < 0 || read_jitter(&reading) < 0 || read_queue(&reading, rtt_ns) < 0 ||
        read_loss(&reading) < 0)
        return -1;
    return read_rest(&reading);
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
    if (read_direction(profile, before, LINK_SIDE_DOWN, rtt_ns, error) < 0 ||
        read_direction(profile, before, LINK_SIDE_UP, rtt_ns, error) < 0)
        return -1;
    const uint16_t *at = profile->settings.at;
    if ((at[LINK_TRACE_END] > 0 || at[LINK_TRACE_END_DOWN] > 0 || at[LINK_TRACE_END_UP] > 0) &&
        profile->down.rate.kind != RATE_TRACE && profile->up.rate.kind != RATE_TRACE)
        return link_fail(error,
                         "link: trace_end is for a trace, and there is none: give one, or leave it out");
    const char *seed = link_settings_value(&profile->settings, LINK_SEED);
    uint64_t value = 1;
    if (seed && link_read_whole("seed", seed, 0, UINT32_MAX, &value, error) < 0) return -1;
    profile->seed = (uint32_t)value;
    const char *udp = link_settings_value(&profile->settings, LINK_UDP);
    return udp ? link_read_udp(udp, &profile->udp, error) : 0;
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

static int read_moves(struct link_profile *profile, const struct link_profile *before,
                      struct link_error *error) {
    const char *rebind = link_settings_value(&profile->settings, LINK_REBIND);
    const char *link = link_settings_value(&profile->settings, LINK_SWITCH);
    char form[LINK_FORM_MAX + 1];
    struct link_settings settings;
    if (rebind && link_read_rebind(rebind, &profile->rebind, error) < 0) return -1;
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
    if (read_all(profile, before, error) == 0 && read_moves(profile, before, error) == 0) return 0;
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
    if (loss->kind != LOSS_FILE || !loss->file) return link_mean_loss(loss);
    uint64_t lost = 0, count = number_file_count(loss->file);
    for (uint64_t i = 0; i < count; i++)
        lost += number_file_at(loss->file, i) != 0;
    return (double)lost / (double)count;
}

static const char *path_in(const struct link_profile *profile, enum link_key both, enum link_side side) {
    const char *text = link_settings_value(&profile->settings, key_of(profile, both, side));
    return text && strncmp(text, "file:", strlen("file:")) == 0 ? text + strlen("file:") : NULL;
}

const char *link_trace_path(const struct link_profile *profile, enum link_side side) {
    const struct direction_settings *direction = side == LINK_SIDE_DOWN ? &profile->down : &profile->up;
    if (direction->rate.kind != RATE_TRACE) return NULL;
    return link_settings_value(&profile->settings, key_of(profile, LINK_TRACE, side));
}

const char *link_jitter_path(const struct link_profile *profile, enum link_side side) {
    return path_in(profile, LINK_JITTER, side);
}

const char *link_loss_path(const struct link_profile *profile, enum link_side side) {
    return path_in(profile, LINK_LOSS, side);
}
