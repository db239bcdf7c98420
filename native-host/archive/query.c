#include "archive/query.h"

#include <string.h>

enum { DIGITS_MIN = 6, HEX_MIN = 16, TOKEN_MIN = 16, TOKEN_KINDS_MIN = 2, UUID_SIZE = 36 };

enum looks { PLAIN, DIGITS, FRACTION, HEXADECIMAL, UUID, TOKEN };

// FNV-1a, with the bits spread at the end: tables use the low ones.
static uint64_t hash_bytes(uint64_t hash, const char *bytes, size_t size) {
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(1099511628211);
    return hash;
}

static uint64_t spread(uint64_t hash) {
    hash = (hash ^ hash >> 33) * UINT64_C(0xff51afd7ed558ccd);
    return hash ^ hash >> 33;
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_hex(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_uuid(const char *text, size_t size) {
    if (size != UUID_SIZE) return false;
    for (size_t i = 0; i < size; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (dash ? text[i] != '-' : !is_hex(text[i])) return false;
    }
    return true;
}

static enum looks looks_of(const char *text, size_t size) {
    if (size < DIGITS_MIN) return PLAIN;
    size_t digits = 0, hex = 0, letters = 0, dashes = 0, points = 0, after_point = 0;
    for (size_t i = 0; i < size; i++) {
        char c = text[i];
        digits += is_digit(c);
        hex += is_hex(c);
        letters += is_letter(c);
        dashes += c == '-' || c == '_';
        points += c == '.';
        if (points > 0 && is_digit(c)) after_point++;
    }
    if (digits == size) return DIGITS;
    if (digits + 1 == size && points == 1 && after_point >= DIGITS_MIN) return FRACTION;
    if (is_uuid(text, size)) return UUID;
    if (hex == size && size >= HEX_MIN && digits > 0) return HEXADECIMAL;
    if (digits + letters + dashes == size && size >= TOKEN_MIN && digits >= TOKEN_KINDS_MIN &&
        letters >= TOKEN_KINDS_MIN)
        return TOKEN;
    return PLAIN;
}

// The hash of the first, the second, ... of the same: `plain` holds those of the parameters before it.
static uint64_t nth(const uint64_t *plain, size_t count, uint64_t hash) {
    uint64_t before = 0;
    for (size_t i = 0; i < count; i++)
        before += plain[i] == hash;
    return spread(hash + before * UINT64_C(0x9e3779b97f4a7c15));
}

static void insert(uint64_t *list, size_t count, uint64_t hash) {
    size_t at = count;
    for (; at > 0 && list[at - 1] > hash; at--)
        list[at] = list[at - 1];
    list[at] = hash;
}

void query_parse(struct query *query, const char *text, size_t size) {
    uint64_t names[QUERY_PARAMETERS_MAX], looks[QUERY_PARAMETERS_MAX], pairs[QUERY_PARAMETERS_MAX];
    const char *end = text + size;
    query->count = query->looks_count = 0;
    if (size > 0 && *text == '?') text++;
    while (text < end && query->count < QUERY_PARAMETERS_MAX) {
        const char *stop = memchr(text, '&', (size_t)(end - text));
        if (!stop) stop = end;
        if (stop > text) {
            const size_t at = query->count++;
            const char *equals = memchr(text, '=', (size_t)(stop - text));
            const char *value = equals ? equals + 1 : text;
            const uint64_t start = UINT64_C(14695981039346656037);
            names[at] = equals ? hash_bytes(start, text, (size_t)(value - text)) : start;
            pairs[at] = hash_bytes(names[at], value, (size_t)(stop - value));
            enum looks kind = looks_of(value, (size_t)(stop - value));
            insert(query->names, at, nth(names, at, names[at]));
            query->pairs[at] = nth(pairs, at, pairs[at]);
            query->pair_is_volatile[at] = kind != PLAIN;
            if (kind != PLAIN) {
                const size_t place = query->looks_count++;
                looks[place] = spread(names[at] + (uint64_t)kind);
                insert(query->looks, place, nth(looks, place, looks[place]));
            }
        }
        text = stop + 1;
    }
}

double query_similarity(unsigned points, size_t a_count, size_t b_count) {
    if (a_count + b_count == 0) return 1;
    return 2.0 * points / (double)(QUERY_POINTS_FULL * (a_count + b_count));
}
