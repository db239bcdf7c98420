#include "shaper/language/link_write.h"

#include "shaper/language/link_switch.h"
#include "shaper/language/link_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// How many significant digits a computed number has at most: shares keep 12, quotients of whole numbers 15.
enum { SHARE_DIGITS = 12, QUOTIENT_DIGITS = 15, EXACT_DIGITS = 17 };

// What is too much for the place is cut off, and noticed at the end: used is then the whole of it.
__attribute__((format(printf, 2, 3))) static void put(struct link_text *text, const char *format, ...) {
    size_t room = sizeof text->text - text->used;
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(text->text + text->used, room, format, arguments);
    va_end(arguments);
    text->used = size >= 0 && (size_t)size < room ? text->used + (size_t)size : sizeof text->text - 1;
}

// Without an exponent, which no reader takes, and without zeros at the end.
static void put_decimal(struct link_text *text, double value, int digits) {
    char scientific[40], plain[400];
    if (value == floor(value) && fabs(value) < 1e15) { // most are
        put(text, "%" PRId64, (int64_t)value);
        return;
    }
    // No quantity of a link is as large: its reader says so, in the words for its setting.
    if (!(fabs(value) < 1e100)) {
        put(text, "%g", value);
        return;
    }
    snprintf(scientific, sizeof scientific, "%.*e", digits - 1, value);
    int decimals = digits - 1 - atoi(strchr(scientific, 'e') + 1);
    snprintf(plain, sizeof plain, "%.*f", decimals > 0 ? decimals : 0, value);
    if (strchr(plain, '.')) {
        size_t size = strlen(plain);
        while (plain[size - 1] == '0')
            size--;
        plain[plain[size - 1] == '.' ? size - 1 : size] = 0;
    }
    put(text, "%s", plain);
}

// In the fewest digits that are read as the same.
static void put_exact(struct link_text *text, double value) {
    int digits = QUOTIENT_DIGITS;
    for (char shown[40]; digits < EXACT_DIGITS; digits++) {
        snprintf(shown, sizeof shown, "%.*e", digits - 1, value);
        if (strtod(shown, NULL) == value) break;
    }
    put_decimal(text, value, digits);
}

static double number_of(const json_t *object, const char *key) {
    return json_number_value(json_object_get(object, key));
}

static const char *word_of(const json_t *object, const char *key, const char *otherwise) {
    const char *word = json_string_value(json_object_get(object, key));
    return word ? word : otherwise;
}

static void put_unit(struct link_text *text, double value, double factor, const char *unit) {
    put_decimal(text, value / factor, QUOTIENT_DIGITS);
    put(text, "%s", unit);
}

static void put_rate(struct link_text *text, const json_t *rate_bps) {
    double value = json_number_value(rate_bps);
    if (!json_is_number(rate_bps))
        put(text, "unlimited");
    else if (value >= 1e9)
        put_unit(text, value, 1e9, "gbit");
    else if (value >= 1e6)
        put_unit(text, value, 1e6, "mbit");
    else if (value >= 1e3)
        put_unit(text, value, 1e3, "kbit");
    else
        put_unit(text, value, 1, "bit");
}

static void put_time(struct link_text *text, double time_ms) {
    double time_ns = round(time_ms * 1e6);
    bool small = time_ns > 0 && time_ns < 1e6;
    put_unit(text, time_ns, small ? 1e3 : 1e6, small ? "us" : "ms");
}

static void put_span(struct link_text *text, double time_ms) {
    if (time_ms >= 1000)
        put_unit(text, round(time_ms * 1e6), 1e9, "s");
    else
        put_time(text, time_ms);
}

static void put_share(struct link_text *text, double share) {
    put_decimal(text, share * 100, SHARE_DIGITS);
    put(text, "%%");
}

// How a setting of one direction is written.
struct writing {
    struct link_text *text;
    const json_t *direction; // or the whole profile
    const struct link_setting *setting;
    double rtt_ms;
    bool names_only;
};

static const char *file_of(const struct writing *writing, const json_t *of) {
    const char *path = word_of(of, "file", "");
    const char *slash = writing->names_only ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path;
}

static void put_steps(const struct writing *writing, const char *steps_key, const char *key, double factor) {
    const json_t *steps = json_object_get(writing->direction, steps_key);
    bool rate = strcmp(key, "rate_bps") == 0;
    for (size_t i = 0; i == 0 || i < json_array_size(steps); i++) {
        const json_t *step = steps ? json_array_get(steps, i) : writing->direction;
        if (i > 0) put(writing->text, ":");
        if (rate)
            put_rate(writing->text, json_object_get(step, key));
        else
            put_time(writing->text, number_of(step, key) * factor);
        if (i == 0) continue;
        put(writing->text, "@");
        put_span(writing->text, number_of(step, "at_ms"));
    }
}

static void put_rates(const struct writing *writing) {
    put_steps(writing, "rate_steps", "rate_bps", 1);
}

static void put_delays(const struct writing *writing) {
    put_steps(writing, "delay_steps", "delay_ms", 1);
}

// Of both ways together, where they are the same.
static void put_round_trips(const struct writing *writing) {
    put_steps(writing, "delay_steps", "delay_ms", 2);
}

static void put_trace(const struct writing *writing) {
    put(writing->text, "%s", file_of(writing, json_object_get(writing->direction, "trace")));
}

// The largest unit that keeps it exact: 62.5kB, but 1001B.
static void put_bytes(struct link_text *text, double bytes) {
    static const struct {
        double size;
        const char *name;
    } units[] = {{1e6, "MB"}, {1e3, "kB"}, {1, "B"}};
    for (size_t u = 0; u < sizeof units / sizeof units[0]; u++) {
        char shown[40];
        snprintf(shown, sizeof shown, "%.*e", QUOTIENT_DIGITS - 1, bytes / units[u].size);
        bool exact = bytes >= units[u].size && strtod(shown, NULL) * units[u].size == bytes;
        if (!exact && units[u].size > 1) continue;
        put_unit(text, bytes, units[u].size, units[u].name);
        return;
    }
}

static void put_queue(struct link_text *text, const json_t *queue) {
    if (json_object_get(queue, "bdp")) {
        put_exact(text, number_of(queue, "bdp"));
        put(text, "bdp");
    } else if (json_object_get(queue, "packets")) {
        put_unit(text, number_of(queue, "packets"), 1, "p");
    } else if (json_object_get(queue, "bytes")) {
        put_bytes(text, number_of(queue, "bytes"));
    } else if (json_object_get(queue, "ms")) {
        put_time(text, number_of(queue, "ms"));
    } else {
        put(text, "unlimited");
    }
}

// What put_queue writes unless a queue is given.
static void put_usual_queue(const struct writing *writing) {
    const json_t *direction = writing->direction;
    bool rate = json_is_number(json_object_get(direction, "rate_bps")) || json_object_get(direction, "trace");
    struct link_queue queue =
        link_default_queue(word_of(direction, "aqm", "droptail"), rate && writing->rtt_ms > 0);
    put(writing->text, "%.0f%s", queue.size, queue.kind == LINK_QUEUE_BDP ? "bdp" : "p");
}

// --- settings of the table

static const json_t *member_of(const struct writing *writing, const struct link_shape *shape) {
    return json_object_get(writing->direction, shape->member ? shape->member : writing->setting->member);
}

static const json_t *value_of(const struct writing *writing, const json_t *member,
                              const struct link_field *field) {
    return field->key ? json_object_get(field->is_beside ? writing->direction : member, field->key) : member;
}

// Whether JSON says this: its constants, of which the first shape's may be left out, and its other fields.
static bool fits(const struct writing *writing, const struct link_shape *shape, const json_t *member) {
    bool all = member;
    for (const struct link_field *field = shape->fields; all && field < shape->fields + LINK_FIELDS_MAX;
         field++) {
        const json_t *value = value_of(writing, member, field);
        const char *word = json_string_value(value);
        if (field->unit != UNIT_CONSTANT)
            all = field->unit == UNIT_NONE || field->is_optional || value;
        else if (field->word)
            all = !value || (word && strcmp(word, field->word) == 0);
        else
            all = json_is_true(value);
    }
    return all;
}

static bool is_default(const struct link_field *field, const json_t *value) {
    const char *word = json_string_value(value);
    return field->unit == UNIT_WORD ? !word || strcmp(word, field->words[0]) == 0
                                    : json_number_value(value) == field->otherwise;
}

static void put_field(const struct writing *writing, const struct link_field *field, const json_t *value) {
    struct link_text *text = writing->text;
    double number = json_number_value(value);
    const char *word = json_string_value(value), *slash;
    switch (field->unit) {
    case UNIT_SHARE:
        put_share(text, number);
        break;
    case UNIT_TIME:
        put_time(text, number);
        break;
    case UNIT_SPAN:
        put_span(text, number);
        break;
    case UNIT_RATE:
        put_rate(text, value);
        break;
    case UNIT_QUEUE:
        put_queue(text, value);
        break;
    case UNIT_WORD:
        put(text, "%s", word ? word : "");
        break;
    case UNIT_FILE:
        slash = writing->names_only && word ? strrchr(word, '/') : NULL;
        put(text, "%s", slash ? slash + 1 : word ? word : "");
        break;
    default:
        put(text, "%.0f", number);
    }
}

static void put_shape(const struct writing *writing, const struct link_shape *shape, const json_t *member) {
    size_t count = 0, size = strlen(shape->prefix);
    const char *between = size > 0 && !strchr(":=", shape->prefix[size - 1]) ? ":" : "";
    for (size_t f = 0; f < LINK_FIELDS_MAX; f++) {
        const struct link_field *field = &shape->fields[f];
        if (field->is_optional ? !is_default(field, value_of(writing, member, field))
                               : field->unit != UNIT_NONE)
            count = f + 1;
    }
    put(writing->text, "%s", shape->prefix);
    for (size_t f = 0; f < count; f++) {
        const struct link_field *field = &shape->fields[f];
        if (field->unit == UNIT_NONE || field->unit == UNIT_CONSTANT) continue;
        put(writing->text, "%s", between);
        put_field(writing, field, value_of(writing, member, field));
        between = ":";
    }
}

// Nothing if JSON says what no shape does.
static void put_value(const struct writing *writing) {
    const struct link_setting *setting = writing->setting;
    bool is_given = false;
    for (const struct link_shape *shape = setting->shapes;
         shape < setting->shapes + LINK_SHAPES_MAX && shape->prefix; shape++) {
        const json_t *member = member_of(writing, shape);
        is_given = is_given || member;
        if (!fits(writing, shape, member)) continue;
        put_shape(writing, shape, member);
        return;
    }
    if (is_given) return;
    if (setting->otherwise)
        put(writing->text, "%s", setting->otherwise);
    else
        put_usual_queue(writing);
}

typedef void write_setting(const struct writing *writing);

// Both directions' settings lie in one place after another and are taken back from there, or left standing.
struct link_writer {
    struct link_text *text;
    struct writing side[LINK_SIDES];
};

static size_t write_aside(struct link_writer *writer, enum link_side side, write_setting *write) {
    size_t begin = writer->text->used;
    write(&writer->side[side]);
    // The end of one is the beginning of the next.
    if (writer->text->used + 1 < sizeof writer->text->text) writer->text->text[writer->text->used++] = 0;
    return begin;
}

// Whether both directions say the same; nothing stays written.
static bool is_same(struct link_writer *writer, write_setting *write) {
    size_t begin = writer->text->used;
    size_t down = write_aside(writer, LINK_SIDE_DOWN, write), up = write_aside(writer, LINK_SIDE_UP, write);
    bool same = strcmp(writer->text->text + down, writer->text->text + up) == 0;
    writer->text->used = begin;
    return same;
}

static bool is_usual(struct link_writer *writer, enum link_side side) {
    const char *otherwise = writer->side[side].setting->otherwise;
    size_t begin = writer->text->used, seen = write_aside(writer, side, put_value);
    if (!otherwise) otherwise = writer->text->text + write_aside(writer, side, put_usual_queue);
    bool usual = strcmp(writer->text->text + seen, otherwise) == 0;
    writer->text->used = begin;
    return usual;
}

static void put_setting(struct link_writer *writer, enum link_key key, enum link_side side,
                        write_setting *write) {
    put(writer->text, "%s%s=", writer->text->used > 0 ? "," : "", link_key_names[key]);
    write(&writer->side[side]);
}

static void put_each(struct link_writer *writer, enum link_key both, write_setting *write) {
    put_setting(writer, both + 1, LINK_SIDE_DOWN, write);
    put_setting(writer, both + 2, LINK_SIDE_UP, write);
}

static bool has_trace(const struct link_writer *writer, enum link_side side) {
    return json_object_get(writer->side[side].direction, "trace");
}

// 3mbit/50ms, or the same in more words where the directions differ.
static void put_rates_and_delays(struct link_writer *writer) {
    bool down = has_trace(writer, LINK_SIDE_DOWN), up = has_trace(writer, LINK_SIDE_UP);
    bool same_delay = is_same(writer, put_delays);
    if (!down && !up && is_same(writer, put_rates)) {
        put_rates(&writer->side[LINK_SIDE_DOWN]);
        if (same_delay) {
            put(writer->text, "/");
            put_round_trips(&writer->side[LINK_SIDE_DOWN]);
            return;
        }
    } else if (down && up && is_same(writer, put_trace)) {
        put_setting(writer, LINK_TRACE, LINK_SIDE_DOWN, put_trace);
    } else {
        put_setting(writer, down ? LINK_TRACE_DOWN : LINK_DOWN, LINK_SIDE_DOWN, down ? put_trace : put_rates);
        put_setting(writer, up ? LINK_TRACE_UP : LINK_UP, LINK_SIDE_UP, up ? put_trace : put_rates);
    }
    if (same_delay)
        put_setting(writer, LINK_RTT, LINK_SIDE_DOWN, put_round_trips);
    else
        put_each(writer, LINK_RTT, put_delays);
}

static void put_both(struct link_writer *writer, const struct link_setting *setting) {
    writer->side[LINK_SIDE_DOWN].setting = writer->side[LINK_SIDE_UP].setting = setting;
    bool down = is_usual(writer, LINK_SIDE_DOWN), up = is_usual(writer, LINK_SIDE_UP);
    if (down && up) return;
    // Even if one of them is usual: what that is may differ by direction.
    if (is_same(writer, put_value)) {
        put_setting(writer, setting->key, LINK_SIDE_DOWN, put_value);
        return;
    }
    if (!down) put_setting(writer, setting->key + 1, LINK_SIDE_DOWN, put_value);
    if (!up) put_setting(writer, setting->key + 2, LINK_SIDE_UP, put_value);
}

// All but what holds for the whole run.
static void write_shape(struct link_text *text, const json_t *profile, bool names_only) {
    struct link_writer writer = {.text = text};
    text->used = 0;
    for (int side = 0; side < LINK_SIDES; side++)
        writer.side[side] = (struct writing){
            .text = text,
            .direction = json_object_get(profile, side == LINK_SIDE_DOWN ? "down" : "up"),
            .rtt_ms = number_of(profile, "rtt_ms"),
            .names_only = names_only,
        };
    put_rates_and_delays(&writer);
    for (size_t s = 0; s < LINK_DIRECTION_SETTINGS; s++)
        put_both(&writer, &link_direction_settings[s]);
    text->text[text->used] = 0;
}

static int put_switch(struct link_text *text, const json_t *profile, bool names_only,
                      struct link_error *error) {
    const json_t *other = json_object_get(profile, "switch");
    if (!other) return 0;
    struct link_text link;
    write_shape(&link, json_object_get(other, "link"), names_only);
    if (strchr(link.text, LINK_INNER_COMMA))
        return link_fail(error,
                         "link: switch: a plus sign ends a setting of the link that is switched to (in "
                         "\"%.200s\"): give the file another name, or another place",
                         link.text);
    for (char *c = link.text; *c; c++)
        if (*c == ',') *c = LINK_INNER_COMMA;
    put(text, ",%s=", link_key_names[LINK_SWITCH]);
    put_span(text, number_of(other, "at_ms"));
    put(text, ":%s", link.text);
    return 0;
}

int link_write(struct link_text *text, const json_t *profile, bool names_only, struct link_error *error) {
    write_shape(text, profile, names_only);
    for (size_t s = 0; s < LINK_PATH_SETTINGS; s++) {
        const struct link_setting *setting = &link_path_settings[s];
        const struct writing writing = {.text = text, .direction = profile, .setting = setting};
        if (!json_object_get(profile, setting->member)) continue;
        put(text, ",%s=", link_key_names[setting->key]);
        put_value(&writing);
    }
    if (put_switch(text, profile, names_only, error) < 0) return -1;
    double seed = number_of(profile, "seed");
    if (seed != 1) put(text, ",seed=%.0f", seed);
    text->text[text->used] = 0;
    if (text->used + 1 < sizeof text->text) return 0;
    return link_fail(error, "link: its form is longer than %d bytes: shorten it", LINK_FORM_MAX);
}
