#include "shaper/link_profile.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t max_rate_bps = UINT64_C(100000000000);
static const uint64_t max_time_ns = UINT64_C(60000000000);
static const double max_queue = 1e9;
static const double max_queue_bdp = 1000;

const char *const link_key_names[LINK_KEYS] = {
    "rate",       "down",     "up",   "rtt",       "delay_down", "delay_up", "queue",
    "queue_down", "queue_up", "loss", "loss_down", "loss_up",    "seed",
};

__attribute__((format(printf, 2, 3))) static int fail(struct link_error *error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->line, sizeof error->line, format, arguments);
    va_end(arguments);
    return -1;
}

// One of `size` bytes at `text`, each setting at most once.
static int set_once(struct link_settings *settings, enum link_key key, const char *text, size_t size,
                    const char *form, struct link_error *error) {
    char *place = settings->text[key];
    const char *name = link_key_names[key];
    if (place[0]) return fail(error, "link: %s is given twice (in \"%s\"): give it once", name, form);
    if (size == 0) return fail(error, "link: %s has no value (in \"%s\"): write %s=VALUE", name, form, name);
    if (size >= sizeof settings->text[key])
        return fail(error, "link: %s is too long (in \"%s\")", name, form);
    memcpy(place, text, size);
    place[size] = 0;
    return 0;
}

int link_settings_read(struct link_settings *settings, const char *form, struct link_error *error) {
    *settings = (struct link_settings){0};
    for (const char *part = form;; part++) {
        size_t size = strcspn(part, ",");
        const char *equals = memchr(part, '=', size);
        if (!equals) {
            if (part != form || size == 0)
                return fail(
                    error,
                    "link: \"%.*s\" is not KEY=VALUE (in \"%s\"): a bare RATE/RTT may only come first, as "
                    "3mbit/50ms",
                    (int)size, part, form);
            const char *slash = memchr(part, '/', size);
            size_t rate_size = slash ? (size_t)(slash - part) : size;
            if (set_once(settings, LINK_RATE, part, rate_size, form, error) < 0) return -1;
            if (slash && set_once(settings, LINK_RTT, slash + 1, size - rate_size - 1, form, error) < 0)
                return -1;
        } else {
            size_t name_size = (size_t)(equals - part);
            int key = 0;
            while (key < LINK_KEYS && (strlen(link_key_names[key]) != name_size ||
                                       memcmp(link_key_names[key], part, name_size) != 0))
                key++;
            if (key == LINK_KEYS)
                return fail(
                    error,
                    "link: no setting \"%.*s\" (in \"%s\"): there are rate, down, up, rtt, delay_down, "
                    "delay_up, queue, queue_down, queue_up, loss, loss_down, loss_up, seed",
                    (int)name_size, part, form);
            if (set_once(settings, (enum link_key)key, equals + 1, size - name_size - 1, form, error) < 0)
                return -1;
        }
        part += size;
        if (!*part) return 0;
    }
}

int link_settings_set(struct link_settings *settings, enum link_key key, const char *text,
                      struct link_error *error) {
    settings->text[key][0] = 0;
    return set_once(settings, key, text, strlen(text), text, error);
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// Digits, perhaps a point and digits, then a unit: nothing that strtod would take beyond that.
static int read_number(const char *name, const char *text, const char *example, double *value,
                       const char **unit, struct link_error *error) {
    const char *end = text;
    while (is_digit(*end))
        end++;
    bool good = end > text;
    if (*end == '.') {
        const char *fraction = ++end;
        while (is_digit(*end))
            end++;
        good = good && end > fraction;
    }
    for (const char *c = end; *c; c++)
        good = good && ((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || *c == '%');
    if (!good)
        return fail(error, "link: %s \"%s\" is not a number with a unit: write it as %s", name, text,
                    example);
    char digits[64]; // without the unit: strtod would read 3e or 0x on into it
    snprintf(digits, sizeof digits, "%.*s", (int)(end - text), text);
    *value = strtod(digits, NULL);
    *unit = end;
    return 0;
}

struct unit {
    const char *name;
    double factor;
};

static double factor_of(const struct unit *units, const char *name) {
    for (; units->name; units++)
        if (strcmp(units->name, name) == 0) return units->factor;
    return 0;
}

static int read_rate(const char *name, const char *text, uint64_t *rate_bps, struct link_error *error) {
    static const struct unit units[] = {{"gbit", 1e9}, {"mbit", 1e6}, {"kbit", 1e3}, {"bit", 1}, {NULL, 0}};
    if (strcmp(text, "unlimited") == 0) {
        *rate_bps = 0;
        return 0;
    }
    double value;
    const char *unit;
    if (read_number(name, text, "3mbit", &value, &unit, error) < 0) return -1;
    double factor = factor_of(units, unit);
    if (value == 0) return fail(error, "link: rate must be above 0 (got \"%s\")", text);
    if (factor == 0)
        return fail(error, "link: %s \"%s\" has no unit of rate: use bit, kbit, mbit or gbit", name, text);
    if (value * factor > (double)max_rate_bps + 0.4)
        return fail(error, "link: %s \"%s\" is above 100gbit: lower it, or say unlimited", name, text);
    *rate_bps = (uint64_t)llround(value * factor);
    if (*rate_bps == 0) return fail(error, "link: rate must be above 0 (got \"%s\")", text);
    return 0;
}

static int read_time(const char *name, const char *text, uint64_t *time_ns, struct link_error *error) {
    static const struct unit units[] = {{"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {NULL, 0}};
    double value;
    const char *unit;
    if (read_number(name, text, "50ms", &value, &unit, error) < 0) return -1;
    double factor = value == 0 && !*unit ? 1 : factor_of(units, unit);
    if (factor == 0) return fail(error, "link: %s \"%s\" has no unit of time: use us, ms or s", name, text);
    if (value * factor > (double)max_time_ns + 0.4)
        return fail(error, "link: %s \"%s\" is above 60s: lower it", name, text);
    *time_ns = (uint64_t)llround(value * factor);
    return 0;
}

static int read_queue(const char *name, const char *text, struct link_queue *queue,
                      struct link_error *error) {
    static const struct unit units[] = {{"p", 1}, {"B", 1}, {"kB", 1e3}, {"MB", 1e6}, {NULL, 0}};
    if (strcmp(text, "unlimited") == 0) {
        *queue = (struct link_queue){.kind = LINK_QUEUE_UNLIMITED};
        return 0;
    }
    double value;
    const char *unit;
    if (read_number(name, text, "1bdp, 100p or 64kB", &value, &unit, error) < 0) return -1;
    if (value == 0) return fail(error, "link: %s must be above 0 (got \"%s\")", name, text);
    if (strcmp(unit, "bdp") == 0) {
        if (value > max_queue_bdp)
            return fail(error, "link: %s \"%s\" is above 1000bdp: lower it, or say unlimited", name, text);
        *queue = (struct link_queue){.kind = LINK_QUEUE_BDP, .size = value};
        return 0;
    }
    double factor = factor_of(units, unit);
    if (factor == 0)
        return fail(error, "link: %s \"%s\" has no unit of a queue: use bdp, p (packets), B, kB or MB", name,
                    text);
    bool packets = strcmp(unit, "p") == 0;
    double size = value * factor;
    if (size != floor(size))
        return fail(error, "link: %s \"%s\" is not whole: give whole %s", name, text,
                    packets ? "packets" : "bytes");
    if (size > max_queue)
        return fail(error, "link: %s \"%s\" is too large: lower it, or say unlimited", name, text);
    *queue = (struct link_queue){.kind = packets ? LINK_QUEUE_PACKETS : LINK_QUEUE_BYTES, .size = size};
    return 0;
}

static int read_share(const char *name, const char *text, double *share, struct link_error *error) {
    double value;
    const char *unit;
    if (read_number(name, text, "1%", &value, &unit, error) < 0) return -1;
    if (strcmp(unit, "%") != 0 && (*unit || value != 0))
        return fail(error, "link: %s \"%s\" has no unit: write it in per cent, as 1%%", name, text);
    if (value > 100) return fail(error, "link: %s must be at most 100%% (got \"%s\")", name, text);
    *share = value / 100;
    return 0;
}

static int read_seed(const char *text, uint32_t *seed, struct link_error *error) {
    size_t size = strspn(text, "0123456789");
    unsigned long long value = size > 0 && size <= 10 && !text[size] ? strtoull(text, NULL, 10) : UINT64_MAX;
    if (value > UINT32_MAX)
        return fail(error, "link: seed must be a whole number from 0 to 4294967295 (got \"%s\")", text);
    *seed = (uint32_t)value;
    return 0;
}

// The setting for one direction, or the one for both.
static enum link_key key_of(const struct link_settings *settings, enum link_key special, enum link_key both) {
    return settings->text[special][0] ? special : both;
}

static struct steps constant(uint64_t value) {
    return (struct steps){.count = 1, .step = {{.value = value}}};
}

uint64_t link_rate_bps(const struct direction_settings *direction) {
    return direction->rate.kind == RATE_STEPS ? direction->rate.steps_bps.step[0].value : 0;
}

uint64_t link_delay_ns(const struct direction_settings *direction) {
    return direction->delay.delay_ns.count > 0 ? direction->delay.delay_ns.step[0].value : 0;
}

static void set_limits(struct queue_settings *queue, const struct link_queue *asked, double bdp_bytes) {
    static const double initial_window_bytes = 10 * 1500;
    double size_bytes = asked->size * bdp_bytes;
    switch (asked->kind) {
    case LINK_QUEUE_BDP:
        queue->limit_bytes =
            (uint64_t)llround(size_bytes > initial_window_bytes ? size_bytes : initial_window_bytes);
        break;
    case LINK_QUEUE_PACKETS:
        queue->limit_packets = (uint64_t)asked->size;
        break;
    case LINK_QUEUE_BYTES:
        queue->limit_bytes = (uint64_t)asked->size;
        break;
    case LINK_QUEUE_UNLIMITED:
        break;
    }
}

static int read_direction(struct direction_settings *direction, struct link_queue *asked,
                          const struct link_settings *settings, enum link_key rate, enum link_key queue,
                          enum link_key loss, uint64_t rtt_ns, struct link_error *error) {
    enum link_key key = key_of(settings, rate, LINK_RATE);
    uint64_t rate_bps = 0;
    if (settings->text[key][0] && read_rate(link_key_names[key], settings->text[key], &rate_bps, error) < 0)
        return -1;
    if (rate_bps > 0)
        direction->rate = (struct rate_settings){.kind = RATE_STEPS, .steps_bps = constant(rate_bps)};
    bool has_product = rate_bps > 0 && rtt_ns > 0;
    *asked = has_product ? (struct link_queue){.kind = LINK_QUEUE_BDP, .size = 1}
                         : (struct link_queue){.kind = LINK_QUEUE_PACKETS, .size = 1000};
    key = key_of(settings, queue, LINK_QUEUE);
    if (settings->text[key][0] && read_queue(link_key_names[key], settings->text[key], asked, error) < 0)
        return -1;
    if (asked->kind == LINK_QUEUE_BDP && !has_product)
        return fail(error, "link: %s of %s is no size: give the queue in packets, as queue=1000p",
                    settings->text[key], rate_bps == 0 ? "an unlimited rate" : "no delay");
    set_limits(&direction->queue, asked, (double)rate_bps / 8 * ((double)rtt_ns / 1e9));
    key = key_of(settings, loss, LINK_LOSS);
    if (settings->text[key][0] &&
        read_share(link_key_names[key], settings->text[key], &direction->loss.probability, error) < 0)
        return -1;
    return 0;
}

int link_profile_read(struct link_profile *profile, const struct link_settings *settings,
                      struct link_error *error) {
    *profile = (struct link_profile){.seed = 1};
    const char *rtt = settings->text[LINK_RTT];
    const char *delay_down = settings->text[LINK_DELAY_DOWN], *delay_up = settings->text[LINK_DELAY_UP];
    if (rtt[0] && (delay_down[0] || delay_up[0]))
        return fail(error,
                    "link: rtt and one-way delays exclude each other: give rtt, or delay_down and delay_up");
    uint64_t rtt_ns = 0, down_ns = 0, up_ns = 0;
    if (rtt[0]) {
        if (read_time("rtt", rtt, &rtt_ns, error) < 0) return -1;
        down_ns = rtt_ns / 2;
        up_ns = rtt_ns - rtt_ns / 2;
    }
    if (delay_down[0] && read_time("delay_down", delay_down, &down_ns, error) < 0) return -1;
    if (delay_up[0] && read_time("delay_up", delay_up, &up_ns, error) < 0) return -1;
    profile->down.delay.delay_ns = constant(down_ns);
    profile->up.delay.delay_ns = constant(up_ns);
    rtt_ns = down_ns + up_ns;
    if (read_direction(&profile->down, &profile->queue_down, settings, LINK_DOWN, LINK_QUEUE_DOWN,
                       LINK_LOSS_DOWN, rtt_ns, error) < 0 ||
        read_direction(&profile->up, &profile->queue_up, settings, LINK_UP, LINK_QUEUE_UP, LINK_LOSS_UP,
                       rtt_ns, error) < 0)
        return -1;
    const char *seed = settings->text[LINK_SEED];
    return seed[0] ? read_seed(seed, &profile->seed, error) : 0;
}
