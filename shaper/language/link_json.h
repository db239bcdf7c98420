// A link's profile as JSON (schemas/link-profile.schema.json), as the report has it. The sums
// of files are not computed here: cli/link/files.ts adds them.
#pragma once

#include "shaper/language/link_profile.h"

#include <jansson.h>

// NULL when memory is short.
json_t *link_profile_json(const struct link_profile *profile);
