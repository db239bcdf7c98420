#include "shaper/language/link_files.h"

#include "shaper/language/link_switch.h"

#include <stdbool.h>
#include <string.h>

// The language of cli/link/profile_file.ts: a profile's file is a form without a setting.
static bool is_profile_file(const char *form) {
    static const char end[] = ".json";
    size_t size = strlen(form);
    return !strchr(form, '=') && size >= sizeof end - 1 && strcmp(form + size - (sizeof end - 1), end) == 0;
}

static bool is_file_setting(enum link_key key, const char *value) {
    if (key >= LINK_TRACE && key <= LINK_TRACE_UP) return true;
    bool numbers = (key >= LINK_JITTER && key <= LINK_JITTER_UP) || (key >= LINK_LOSS && key <= LINK_LOSS_UP);
    return numbers && strncmp(value, "file:", strlen("file:")) == 0;
}

static int names_file(const char *form, int depth, struct link_error *error) {
    struct link_settings settings;
    if (is_profile_file(form)) return 1;
    if (link_settings_read(&settings, form, error) < 0) return -1;
    for (int key = 0; key < LINK_KEYS; key++) {
        const char *value = link_settings_value(&settings, (enum link_key)key);
        if (value && is_file_setting((enum link_key)key, value)) return 1;
    }
    const char *other = link_settings_value(&settings, LINK_SWITCH);
    if (!other || strcmp(other, "off") == 0) return 0;
    uint64_t at_ns;
    char inner[LINK_FORM_MAX + 1];
    if (link_read_switch(other, &at_ns, inner, error) < 0) return -1;
    if (depth > 0) return link_check_switched(&settings, error);
    return names_file(inner, depth + 1, error);
}

int link_form_names_file(const char *form, struct link_error *error) {
    return names_file(form, 0, error);
}
