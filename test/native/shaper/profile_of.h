// A link's profile from its short form, for tests.
#pragma once

#include "shaper/language/link_profile.h"
#include "test/native/cmocka_unit.h"

static inline struct link_profile profile_of(const char *form) {
    struct link_settings settings;
    struct link_profile profile = {0};
    struct link_error error;
    if (link_settings_read(&settings, form, &error) < 0 || link_profile_read(&profile, &settings, &error) < 0)
        fail_msg("%s", error.line);
    return profile;
}
