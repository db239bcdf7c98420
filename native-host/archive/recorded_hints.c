#include "archive/recorded_hints.h"

#include "archive/recorded_headers.h"

#include <jansson.h>

enum { HINTS_MAX = 16 }; // servers send one or two

// What no server can have taken is as good as not known: at once.
static uint64_t time_of(const json_t *time_ms) {
    static const double most_ms = 3600e3;
    const double value_ms = json_number_value(time_ms);
    return value_ms > 0 && value_ms <= most_ms ? (uint64_t)(value_ms * 1e6) : 0;
}

int recorded_hints_read(struct recorded_exchange *exchange, const char *json, size_t json_size,
                        struct arena *arena) {
    exchange->hints = NULL;
    exchange->hint_count = 0;
    json_t *list = json ? json_loadb(json, json_size, JSON_ALLOW_NUL, NULL) : NULL;
    const size_t size = json_array_size(list) < HINTS_MAX ? json_array_size(list) : HINTS_MAX;
    struct recorded_hint *hints = size > 0 ? arena_take(arena, size * sizeof *hints) : NULL;
    int result = size > 0 && !hints ? -1 : 0;
    uint64_t last_ns = 0;
    for (size_t i = 0, damaged; result == 0 && i < size; i++) {
        const json_t *hint = json_array_get(list, i), *headers = json_object_get(hint, "headers");
        struct recorded_hint *read = &hints[exchange->hint_count];
        if (!json_is_array(headers)) continue;
        const enum recorded_headers found =
            recorded_headers_read(&read->headers, &read->header_count, headers, false, arena, &damaged);
        if (found == RECORDED_HEADERS_NO_MEMORY) result = -1;
        if (found != RECORDED_HEADERS_READ || read->header_count == 0) continue;
        const uint64_t time_ns = time_of(json_object_get(hint, "time_ms"));
        // One after the other, as they came.
        last_ns = read->time_ns = time_ns > last_ns ? time_ns : last_ns;
        exchange->hint_count++;
    }
    if (exchange->hint_count > 0) exchange->hints = hints;
    json_decref(list);
    return result;
}
