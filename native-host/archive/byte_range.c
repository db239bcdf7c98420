#include "archive/byte_range.h"

#include <strings.h>

struct text {
    const char *at;
    const char *end;
};

static void skip_spaces(struct text *text) {
    while (text->at < text->end && (*text->at == ' ' || *text->at == '\t'))
        text->at++;
}

static bool take(struct text *text, char c) {
    if (text->at == text->end || *text->at != c) return false;
    text->at++;
    return true;
}

// Digits, as many as there are; false where there are none or too many for 64 bits.
static bool take_number(struct text *text, uint64_t *number) {
    const char *start = text->at;
    *number = 0;
    for (; text->at < text->end && *text->at >= '0' && *text->at <= '9'; text->at++) {
        const uint64_t digit = (uint64_t)(*text->at - '0');
        if (*number > (UINT64_MAX - digit) / 10) return false;
        *number = *number * 10 + digit;
    }
    return text->at > start;
}

static bool take_unit(struct text *text) {
    skip_spaces(text);
    if (text->end - text->at < 5 || strncasecmp(text->at, "bytes", 5) != 0) return false;
    text->at += 5;
    return true;
}

static bool at_end(struct text *text) {
    skip_spaces(text);
    return text->at == text->end;
}

bool range_parse(struct range_request *range, const char *bytes, size_t size) {
    struct text text = {bytes, bytes + size};
    if (!take_unit(&text) || !take(&text, '=')) return false;
    skip_spaces(&text);
    range->last = UINT64_MAX;
    range->is_suffix = take(&text, '-');
    if (!take_number(&text, &range->first)) return false;
    if (range->is_suffix) return at_end(&text);
    if (!take(&text, '-')) return false;
    if (at_end(&text)) return true;
    return take_number(&text, &range->last) && range->last >= range->first && at_end(&text);
}

bool range_resolve(const struct range_request *range, uint64_t size, struct byte_range *out) {
    if (size == 0) return false;
    if (range->is_suffix) {
        if (range->first == 0) return false;
        *out = (struct byte_range){range->first < size ? size - range->first : 0, size - 1};
        return true;
    }
    if (range->first >= size) return false;
    *out = (struct byte_range){range->first, range->last < size ? range->last : size - 1};
    return true;
}

bool content_range_parse(struct byte_range *range, uint64_t *whole_size, const char *bytes, size_t size) {
    struct text text = {bytes, bytes + size};
    if (!take_unit(&text) || text.at == text.end || *text.at != ' ') return false;
    skip_spaces(&text);
    if (!take_number(&text, &range->first) || !take(&text, '-') || !take_number(&text, &range->last) ||
        !take(&text, '/'))
        return false;
    if (take(&text, '*'))
        *whole_size = UINT64_MAX;
    else if (!take_number(&text, whole_size) || *whole_size <= range->last)
        return false;
    return range->first <= range->last && at_end(&text);
}
