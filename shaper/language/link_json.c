#include "shaper/language/link_json.h"

#include "shaper/language/link_quantity.h"
#include "shaper/language/link_read.h"
#include "shaper/language/link_table.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static json_t *real(double value) {
    return value == floor(value) && value < 1e15 ? json_integer((json_int_t)value) : json_real(value);
}

static json_t *ms(uint64_t time_ns) {
    return real((double)time_ns / 1e6);
}

static json_t *rounded(double value) {
    return real(link_rounded_share(value));
}

static json_t *queue_as_given(const struct link_queue *queue) {
    switch (queue->kind) {
    case LINK_QUEUE_BDP:
        return json_pack("{s:o}", "bdp", real(queue->size));
    case LINK_QUEUE_PACKETS:
        return json_pack("{s:o}", "packets", json_number((uint64_t)queue->size));
    case LINK_QUEUE_BYTES:
        return json_pack("{s:o}", "bytes", json_number((uint64_t)queue->size));
    case LINK_QUEUE_TIME:
        return json_pack("{s:o}", "ms", real(queue->size / 1e6));
    default:
        return json_pack("{s:b}", "unlimited", 1);
    }
}

static json_t *steps_json(const struct steps *steps, bool rate) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < steps->count; i++) {
        uint64_t value = steps->step[i].value;
        json_array_append_new(list, json_pack("{s:o, s:o}", "at_ms", ms(steps->step[i].at_ns),
                                              rate ? "rate_bps" : "delay_ms",
                                              rate ? json_number(value) : ms(value)));
    }
    return list;
}

static void set(json_t *object, const char *key, json_t *value) {
    json_object_set_new(object, key, value);
}

static json_t *field_json(const struct link_profile *profile, enum link_side side, enum link_key key,
                          const struct link_field *field) {
    const void *place = link_place(profile, side, field->at);
    switch (field->unit) {
    case UNIT_CONSTANT:
        return field->word ? json_string(field->word) : json_true();
    case UNIT_FILE:
        return json_string(link_file_path(profile, key, side));
    case UNIT_QUEUE:
        return queue_as_given(place);
    case UNIT_SHARE:
        return json_real(*(const double *)place);
    case UNIT_WORD:
        return json_string(field->words[link_stored(profile, side, field->at, field->size)]);
    case UNIT_TIME:
    case UNIT_SPAN:
        return ms(link_stored(profile, side, field->at, field->size));
    default:
        return json_number(link_stored(profile, side, field->at, field->size));
    }
}

// A kind of 0 without a value is as by default.
static bool is_given(const struct link_profile *profile, enum link_side side, uint64_t kind,
                     const struct link_shape *shape) {
    static const char none[sizeof(struct link_queue)];
    const struct link_field *first = shape->fields;
    return kind > 0 || memcmp(link_place(profile, side, first->at), none, first->size) != 0;
}

static void set_setting(json_t *object, const struct link_profile *profile, enum link_side side,
                        const struct link_setting *setting) {
    uint64_t kind =
        setting->kind_size > 0 ? link_stored(profile, side, setting->kind_at, setting->kind_size) : 0;
    const struct link_shape *shape = setting->shapes, *end = shape + LINK_SHAPES_MAX;
    while (shape < end && shape->prefix && shape->kind != kind)
        shape++;
    // A member of its own is written in any case.
    if (shape == end || !shape->prefix || shape->member || !is_given(profile, side, kind, shape)) return;
    for (const struct link_field *field = shape->fields; field < shape->fields + LINK_FIELDS_MAX; field++) {
        if (field->unit == UNIT_NONE) continue;
        if (field->is_beside && link_stored(profile, side, field->at, field->size) == 0) continue;
        json_t *value = field_json(profile, side, setting->key, field);
        if (!field->key || field->is_beside) {
            set(object, field->is_beside ? field->key : setting->member, value);
            continue;
        }
        if (!json_object_get(object, setting->member)) set(object, setting->member, json_object());
        set(json_object_get(object, setting->member), field->key, value);
    }
}

// What is as by default is left out. The order is part of what a sweep's digest is computed from.
static json_t *direction_json(const struct link_profile *profile, enum link_side side) {
    const struct direction_settings *direction = side == LINK_SIDE_DOWN ? &profile->down : &profile->up;
    const struct steps *rates = &direction->rate.steps_bps, *delays = &direction->delay.delay_ns;
    uint64_t rate_bps = link_rate_bps(direction);
    json_t *object = json_object();
    set(object, "rate_bps", rate_bps > 0 ? json_number(rate_bps) : json_null());
    if (direction->rate.kind == RATE_TRACE)
        set(object, "trace", json_pack("{s:s}", "file", link_trace_path(profile, side)));
    if (rates->count > 1) set(object, "rate_steps", steps_json(rates, true));
    set(object, "delay_ms", ms(link_delay_ns(direction)));
    if (delays->count > 1) set(object, "delay_steps", steps_json(delays, false));
    for (size_t s = 0; s < LINK_DIRECTION_SETTINGS; s++) {
        if (link_direction_settings[s].key == LINK_LOSS) set(object, "loss", rounded(link_loss(direction)));
        set_setting(object, profile, side, &link_direction_settings[s]);
    }
    return object;
}

static json_t *shape_json(const struct link_profile *profile) {
    uint64_t rtt_ns = link_delay_ns(&profile->down) + link_delay_ns(&profile->up);
    return json_pack("{s:o, s:o, s:o}", "down", direction_json(profile, LINK_SIDE_DOWN), "up",
                     direction_json(profile, LINK_SIDE_UP), "rtt_ms", ms(rtt_ns));
}

json_t *link_profile_json(const struct link_profile *profile) {
    json_t *object = shape_json(profile);
    set(object, "seed", json_integer(profile->seed));
    for (size_t s = 0; s < LINK_PATH_SETTINGS; s++)
        set_setting(object, profile, LINK_SIDE_DOWN, &link_path_settings[s]);
    if (profile->switch_to)
        set(object, "switch",
            json_pack("{s:o, s:o}", "at_ms", ms(profile->switch_ns), "link", shape_json(profile->switch_to)));
    return object;
}
