// The settings of a link as one table: how each is written, its unit and range, where it is stored, its key
// in JSON. link_read.c reads by it, link_json.c and link_write.c write by it. Rates, traces and delays, which
// have steps, stand beside it in each of the three, as do switch and seed.
#pragma once

#include "shaper/language/link_profile.h"

#include <stddef.h>

enum link_unit {
    UNIT_NONE, // no field
    UNIT_SHARE,
    UNIT_TIME, // up to 60s
    UNIT_SPAN, // up to a day
    UNIT_RATE,
    UNIT_WHOLE,
    UNIT_QUEUE,
    UNIT_WORD,
    UNIT_FILE,     // of numbers
    UNIT_CONSTANT, // in JSON only: `word`, or true
};

struct link_field {
    enum link_unit unit;
    const char *key;       // in JSON; NULL: the setting's member is the value itself
    size_t at, size;       // in struct link_profile; for a direction, down's
    const char *name;      // of this field in errors, behind the setting's; NULL: none
    uint64_t least, most;  // most: of UNIT_WHOLE, and of UNIT_FILE's numbers
    const char *too_small; // what an error says that it must be; NULL: the setting is off below `least`
    const char *word;
    const char *const *words; // ends with NULL; the first is the default
    bool is_optional;         // may be left out at the end of what is written,
    double otherwise;         // and is this then
    bool is_beside;           // stands beside the setting's member, and only if it is not 0
    size_t owner;             // UNIT_FILE: within `files` of struct link_profile
};

// The queue's disciplines are shapes, too.
enum { LINK_FIELDS_MAX = 4, LINK_SHAPES_MAX = QUEUE_DISCIPLINES > 6 ? QUEUE_DISCIPLINES : 6 };

// One way to write a setting: a prefix, then fields between colons.
struct link_shape {
    const char *prefix; // "ge:"; "codel" alone, or with fields behind a colon; "": none
    uint32_t kind;      // as stored, if the setting has kinds
    const char *member; // in JSON; NULL: the setting's
    struct link_field fields[LINK_FIELDS_MAX];
};

struct link_setting {
    enum link_key key; // for both ways
    const char *member;
    const char *otherwise;     // as written if it is not given; NULL: the queue's depends
    const char *usage;         // what an error says that it must be; NULL: one of the prefixes
    size_t kind_at, kind_size; // kind_size 0: it has no kinds
    struct link_shape shapes[LINK_SHAPES_MAX]; // prefix NULL: the end. The first that fits JSON is written
};

enum { LINK_DIRECTION_SETTINGS = 12, LINK_PATH_SETTINGS = 2 };
extern const struct link_setting link_direction_settings[LINK_DIRECTION_SETTINGS]; // in the order of forms
extern const struct link_setting link_path_settings[LINK_PATH_SETTINGS];           // of both ways together

// Where a value is stored. For a path's setting, `side` is LINK_SIDE_DOWN.
void *link_place(const struct link_profile *profile, enum link_side side, size_t at);
// Whole numbers, words and kinds: a bool, an enum or uint32_t, or a uint64_t.
uint64_t link_stored(const struct link_profile *profile, enum link_side side, size_t at, size_t size);
void link_store(struct link_profile *profile, enum link_side side, size_t at, size_t size, uint64_t value);
