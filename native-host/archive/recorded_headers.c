#include "archive/recorded_headers.h"

#include <string.h>

enum { HINTS_MAX = 16 }; // servers send one or two

// Headers that say how one connection framed the response: each lane writes its own.
static bool is_framing(const char *name) {
    static const char *const framing[] = {"connection", "keep-alive", "proxy-connection", "transfer-encoding",
                                          "upgrade",    "te",         "trailer",          "content-length"};
    for (size_t i = 0; i < sizeof framing / sizeof *framing; i++)
        if (strcmp(name, framing[i]) == 0) return true;
    return false;
}

// A field name that all three lanes may send: a token (RFC 9110, 5.6.2) in lower case.
static bool name_can_be_sent(const char *name, size_t size) {
    if (size == 0) return false;
    for (size_t i = 0; i < size; i++) {
        char c = name[i];
        bool token = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c && strchr("!#$%&'*+-.^_`|~", c));
        if (!token) return false;
    }
    return true;
}

// CR, LF, NUL and other controls would end the field or the connection; HTAB is allowed inside.
static bool value_can_be_sent(const char *value, size_t size) {
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)value[i];
        if ((c < 0x20 && c != '\t') || c == 0x7f) return false;
    }
    return true;
}

static bool is_space(char c) {
    return c == ' ' || c == '\t';
}

enum recorded_headers recorded_headers_read(struct header **headers, size_t *count, const json_t *list,
                                            bool keeps_length, struct arena *arena, size_t *damaged) {
    *count = 0;
    *headers = arena_take(arena, (json_array_size(list) + 1) * sizeof **headers);
    if (!*headers) return RECORDED_HEADERS_NO_MEMORY;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *pair = json_array_get(list, i);
        *damaged = i;
        const json_t *name = json_array_get(pair, 0);
        const json_t *value = json_array_get(pair, 1);
        if (!json_is_string(name) || !json_is_string(value)) return RECORDED_HEADERS_DAMAGED;
        struct header header = {.name_size = json_string_length(name),
                                .value_size = json_string_length(value)};
        const char *raw_name = json_string_value(name);
        const char *raw_value = json_string_value(value);
        // Outer white space is not part of a value (RFC 9110, 5.5), and h2 and h3 peers refuse it.
        for (; header.value_size > 0 && is_space(*raw_value); header.value_size--)
            raw_value++;
        while (header.value_size > 0 && is_space(raw_value[header.value_size - 1]))
            header.value_size--;
        const bool is_kept_length = keeps_length && strcmp(raw_name, "content-length") == 0;
        if (!name_can_be_sent(raw_name, header.name_size) || (is_framing(raw_name) && !is_kept_length) ||
            !value_can_be_sent(raw_value, header.value_size))
            continue;
        header.name = arena_copy(arena, raw_name, header.name_size);
        header.value = arena_copy(arena, raw_value, header.value_size);
        if (!header.name || !header.value) return RECORDED_HEADERS_NO_MEMORY;
        (*headers)[(*count)++] = header;
    }
    return RECORDED_HEADERS_READ;
}

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
