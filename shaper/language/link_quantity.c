#include "shaper/language/link_quantity.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { NUMBER_MAX = 63 }; // bytes

static const double max_rate_bps = 100e9;
static const double max_time_ns = 60e9;
static const double max_span_ns = 86400e9;
static const double max_queue = 1e9;
static const double max_queue_bdp = 1000;
static const double whole_within = 1e-6;

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// Digits, perhaps a point and digits, then a unit: nothing that strtod would take beyond that.
static int read_number(const char *name, const char *text, const char *example, double *value,
                       const char **unit, struct link_error *error) {
    if (strlen(text) > NUMBER_MAX)
        return link_fail(error, "link: %s \"%.20s...\" is longer than %d bytes: write it as %s", name, text,
                         NUMBER_MAX, example);
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
        return link_fail(error, "link: %s \"%s\" is not a number with a unit: write it as %s", name, text,
                         example);
    char digits[NUMBER_MAX + 1]; // without the unit: strtod would read 3e or 0x on into it
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

// As people write them, too: in any case, and as Mbps. But not as bytes a second (MBps), which are eight
// times as much.
static double rate_factor(const char *unit) {
    static const struct unit units[] = {{"gbit", 1e9}, {"mbit", 1e6}, {"kbit", 1e3},
                                        {"bit", 1},    {"gbps", 1e9}, {"mbps", 1e6},
                                        {"kbps", 1e3}, {"bps", 1},    {NULL, 0}};
    const struct unit *known = units;
    while (known->name && strcasecmp(known->name, unit) != 0)
        known++;
    return strstr(unit, "Bps") ? 0 : known->factor;
}

int link_read_rate(const char *name, const char *text, uint64_t *rate_bps, struct link_error *error) {
    if (strcmp(text, "unlimited") == 0) {
        *rate_bps = 0;
        return 0;
    }
    double value;
    const char *unit;
    if (read_number(name, text, "3mbit", &value, &unit, error) < 0) return -1;
    double factor = rate_factor(unit);
    double whole = round(value * factor);
    if (value == 0 || (factor > 0 && whole < 1))
        return link_fail(error, "link: rate must be above 0 (got \"%s\")", text);
    if (factor == 0)
        return link_fail(error, "link: %s \"%s\" has no unit of rate: use bit, kbit, mbit or gbit", name,
                         text);
    if (whole > max_rate_bps)
        return link_fail(error, "link: %s \"%s\" is above 100gbit: lower it, or say unlimited", name, text);
    *rate_bps = (uint64_t)whole;
    return 0;
}

static const struct unit time_units[] = {{"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {NULL, 0}};

static int read_time(const char *name, const char *text, double max_ns, uint64_t *time_ns,
                     struct link_error *error) {
    double value;
    const char *unit;
    if (read_number(name, text, "50ms", &value, &unit, error) < 0) return -1;
    double factor = value == 0 && !*unit ? 1 : factor_of(time_units, unit);
    if (factor == 0)
        return link_fail(error, "link: %s \"%s\" has no unit of time: use us, ms or s", name, text);
    double whole = round(value * factor);
    if (whole > max_ns)
        return link_fail(error, "link: %s \"%s\" is above %.0fs: lower it", name, text, max_ns / 1e9);
    *time_ns = (uint64_t)whole;
    return 0;
}

int link_read_time(const char *name, const char *text, uint64_t *time_ns, struct link_error *error) {
    return read_time(name, text, max_time_ns, time_ns, error);
}

int link_read_span(const char *name, const char *text, uint64_t *time_ns, struct link_error *error) {
    return read_time(name, text, max_span_ns, time_ns, error);
}

int link_read_queue(const char *name, const char *text, struct link_queue *queue, struct link_error *error) {
    static const struct unit units[] = {{"p", 1}, {"B", 1}, {"kB", 1e3}, {"MB", 1e6}, {NULL, 0}};
    if (strcmp(text, "unlimited") == 0) {
        *queue = (struct link_queue){.kind = LINK_QUEUE_UNLIMITED};
        return 0;
    }
    double value;
    const char *unit;
    if (read_number(name, text, "1bdp, 100p, 64kB or 50ms", &value, &unit, error) < 0) return -1;
    double factor = factor_of(units, unit), time_factor = factor_of(time_units, unit);
    if (value == 0 || (time_factor > 0 && round(value * time_factor) < 1))
        return link_fail(error, "link: %s must be above 0 (got \"%s\")", name, text);
    if (strcmp(unit, "bdp") == 0) {
        if (value > max_queue_bdp)
            return link_fail(error, "link: %s \"%s\" is above 1000bdp: lower it, or say unlimited", name,
                             text);
        *queue = (struct link_queue){.kind = LINK_QUEUE_BDP, .size = value};
        return 0;
    }
    if (time_factor > 0) {
        double whole = round(value * time_factor);
        if (whole > max_time_ns)
            return link_fail(error, "link: %s \"%s\" is above 60s: lower it, or say unlimited", name, text);
        *queue = (struct link_queue){.kind = LINK_QUEUE_TIME, .size = whole};
        return 0;
    }
    if (factor == 0)
        return link_fail(error,
                         "link: %s \"%s\" has no unit of a queue: use bdp, p (packets), B, kB, MB or ms",
                         name, text);
    bool packets = strcmp(unit, "p") == 0;
    double size = round(value * factor);
    if (size < 1 || fabs(value * factor - size) > whole_within) // 1.001 * 1000 is 1000.9999999999999
        return link_fail(error, "link: %s \"%s\" is not whole: give whole %s", name, text,
                         packets ? "packets" : "bytes");
    if (size > max_queue)
        return link_fail(error, "link: %s \"%s\" is too large: lower it, or say unlimited", name, text);
    *queue = (struct link_queue){.kind = packets ? LINK_QUEUE_PACKETS : LINK_QUEUE_BYTES, .size = size};
    return 0;
}

double link_rounded_share(double share) {
    enum { MIDDLE = 13 }; // where the first digit too many stands, in d.ddddddddddddd...
    char digits[64];
    if (share == 0 || share == 1) return share;
    snprintf(digits, sizeof digits, "%.40e",
             share); // printf rounds what lies in the middle to the even digit
    size_t zeros = strspn(digits + MIDDLE + 1, "0");
    bool middle = digits[MIDDLE] == '5' && digits[MIDDLE + 1 + zeros] == 'e';
    if (middle) {
        digits[MIDDLE] = '9';
        share = strtod(digits, NULL);
    }
    snprintf(digits, sizeof digits, "%.11e", share);
    return strtod(digits, NULL);
}

int link_read_share(const char *name, const char *text, double *share, struct link_error *error) {
    double value;
    const char *unit;
    if (read_number(name, text, "1%", &value, &unit, error) < 0) return -1;
    if (strcmp(unit, "%") != 0 && (*unit || value != 0))
        return link_fail(error, "link: %s \"%s\" has no unit: write it in per cent, as 1%%", name, text);
    if (value > 100) return link_fail(error, "link: %s must be at most 100%% (got \"%s\")", name, text);
    *share = link_rounded_share(value / 100);
    return 0;
}

int link_read_whole(const char *what, const char *text, uint64_t least, uint64_t most, uint64_t *value,
                    struct link_error *error) {
    size_t size = strspn(text, "0123456789");
    unsigned long long number = size > 0 && size <= 10 && !text[size] ? strtoull(text, NULL, 10) : UINT64_MAX;
    if (number < least || number > most)
        return link_fail(error, "link: %s must be a whole number from %llu to %llu (got \"%.40s\")", what,
                         (unsigned long long)least, (unsigned long long)most, text);
    *value = number;
    return 0;
}
