// A link's canonical short form: the shortest that link_profile.h reads as this profile. It is the label of a
// link everywhere, and results are found by it: how something is written must not change. Does not read
// forms.
#pragma once

#include "shaper/language/short_form.h"

#include <jansson.h>
#include <stdbool.h>

struct link_text {
    size_t used;
    char text[3 * LINK_FORM_MAX]; // more than all settings in their longest words
};

// `profile`: as of link_profile_json, or of schemas/link-profile.schema.json. `names_only`: files by their
// names instead of their paths. 0, or -1 with the error's line where it is longer than any form.
int link_write(struct link_text *text, const json_t *profile, bool names_only, struct link_error *error);
