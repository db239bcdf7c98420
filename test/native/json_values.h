// Members of a JSON object as values, for tests: one that is missing or of another kind fails the test. A
// header only.
#pragma once

#include "test/native/cmocka_unit.h"

#include <jansson.h>

static inline json_int_t number(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    if (!json_is_integer(value)) fail_msg("%s: is no number", key);
    return json_integer_value(value);
}

static inline const char *text(const json_t *object, const char *key) {
    const char *value = json_string_value(json_object_get(object, key));
    if (!value) fail_msg("%s: is no text", key);
    return value;
}

// Of a list of objects.
static inline json_t *entry(const json_t *object, const char *key, size_t place) {
    json_t *value = json_array_get(json_object_get(object, key), place);
    if (!value) fail_msg("%s: has no entry %zu", key, place);
    return value;
}
