// A link's profile as JSON (schemas/link-profile.schema.json), as the report has it. The sums
// of files are not computed here: cli/link/files.ts adds them.
#pragma once

#include "shaper/language/link_profile.h"

#include <jansson.h>

// NULL when memory is short.
json_t *link_profile_json(const struct link_profile *profile);

// For all that a shaper reports. NULL when memory is short.
static inline json_t *json_number(uint64_t value) {
    return json_integer((json_int_t)value);
}
