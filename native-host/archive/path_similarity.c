#include "archive/path_similarity.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { HASH_MIN = 6, LETTERS_MIN = 8 };
static const double looks_points = 0.9;

struct segment {
    const char *text;
    size_t size;
};

struct path {
    struct segment directories[PATH_DIRECTORIES_MAX];
    size_t directory_count;
    struct segment name;
};

struct token {
    uint64_t hash;
    uint64_t looks; // 0: a word
    bool in_list;
    bool paired;
};

struct tokens {
    struct token list[PATH_TOKENS_MAX];
    size_t count;
};

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_lower(char c) {
    return c >= 'a' && c <= 'z';
}

static bool is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}

static bool is_of_token(char c) {
    return is_digit(c) || is_lower(c) || is_upper(c) || (unsigned char)c >= 0x80;
}

static uint64_t hash_of(const char *text, size_t size) {
    uint64_t hash = UINT64_C(14695981039346656037); // FNV-1a
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
    return hash;
}

// 0 of a word; else what those that look alike have in common.
static uint64_t looks_of(const char *text, size_t size) {
    enum { DIGITS = 1, HASH = 2 };
    size_t digits = 0, hexadecimal = 0, case_changes = 0, stem = 0;
    for (size_t i = 0; i < size; i++) {
        const char c = text[i];
        digits += is_digit(c);
        hexadecimal += is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
        case_changes +=
            i > 0 && ((is_lower(text[i - 1]) && is_upper(c)) || (is_upper(text[i - 1]) && is_lower(c)));
        if (digits == 0) stem = i + 1;
    }
    if (digits == size) return DIGITS;
    if (digits == 0)
        return size >= LETTERS_MIN && (hexadecimal == size || 5 * case_changes >= 2 * size) ? HASH : 0;
    if ((hexadecimal == size && size >= HASH_MIN) || stem == 0 || stem + digits != size) return HASH;
    return hash_of(text, stem) | 4; // neither of the others
}

static void take_tokens(struct tokens *tokens, const struct segment *segment) {
    const char *at = segment->text, *const end = at + segment->size;
    tokens->count = 0;
    while (tokens->count < PATH_TOKENS_MAX) {
        while (at < end && !is_of_token(*at))
            at++;
        if (at == end) return;
        const char *const start = at;
        while (at < end && is_of_token(*at))
            at++;
        const size_t size = (size_t)(at - start);
        tokens->list[tokens->count++] = (struct token){
            .hash = hash_of(start, size),
            .looks = looks_of(start, size),
            .in_list = (start > segment->text && start[-1] == ',') || (at < end && *at == ',')};
    }
}

// Pairs tokens of which `same` holds, each with one at most, and returns how many pairs there are.
static size_t pair(struct tokens *a, struct tokens *b,
                   bool (*same)(const struct token *, const struct token *)) {
    size_t pairs = 0, first = 0; // of b's that are not paired
    for (size_t i = 0; i < a->count; i++) {
        if (a->list[i].paired) continue;
        while (first < b->count && b->list[first].paired)
            first++;
        for (size_t j = first; j < b->count; j++) {
            if (b->list[j].paired || !same(&a->list[i], &b->list[j])) continue;
            a->list[i].paired = b->list[j].paired = true;
            pairs++;
            break;
        }
    }
    return pairs;
}

static bool are_same(const struct token *a, const struct token *b) {
    return a->hash == b->hash;
}

static bool look_alike(const struct token *a, const struct token *b) {
    return a->looks != 0 && a->looks == b->looks;
}

static bool has_word_left(const struct tokens *tokens) {
    for (size_t i = 0; i < tokens->count; i++)
        if (tokens->list[i].looks == 0 && !tokens->list[i].in_list && !tokens->list[i].paired) return true;
    return false;
}

static bool are_equal(const struct segment *a, const struct segment *b) {
    return a->size == b->size && memcmp(a->text, b->text, a->size) == 0;
}

static double segment_similarity(const struct segment *a, const struct segment *b, bool is_name) {
    if (are_equal(a, b)) return 1;
    struct tokens left, right;
    take_tokens(&left, a);
    take_tokens(&right, b);
    const size_t same = pair(&left, &right, are_same);
    if (is_name && (has_word_left(&left) || has_word_left(&right))) return 0;
    const size_t alike = pair(&left, &right, look_alike);
    if (left.count + right.count == 0) return 0; // "-" and "--"
    return 2 * ((double)same + looks_points * (double)alike) / (double)(left.count + right.count);
}

static void take_path(struct path *path, const char *text, size_t size) {
    path->directory_count = 0;
    while (size > 0 && text[size - 1] == '/')
        size--;
    const char *at = text, *const end = text + size;
    if (at < end && *at == '/') at++;
    for (;;) {
        const char *const slash = memchr(at, '/', (size_t)(end - at));
        if (!slash) break;
        if (path->directory_count < PATH_DIRECTORIES_MAX)
            path->directories[path->directory_count++] = (struct segment){at, (size_t)(slash - at)};
        at = slash + 1;
    }
    path->name = (struct segment){at, (size_t)(end - at)};
}

static double directories_similarity(const struct path *a, const struct path *b) {
    const size_t shorter = a->directory_count < b->directory_count ? a->directory_count : b->directory_count;
    size_t front = 0, back = 0;
    while (front < shorter && are_equal(&a->directories[front], &b->directories[front]))
        front++;
    while (back < shorter - front && are_equal(&a->directories[a->directory_count - 1 - back],
                                               &b->directories[b->directory_count - 1 - back]))
        back++;
    double sum = (double)(front + back);
    for (size_t i = front; i < shorter - back; i++)
        sum += segment_similarity(&a->directories[i], &b->directories[i], false);
    return 2 * sum / (double)(a->directory_count + b->directory_count);
}

double path_similarity(const char *a, size_t a_size, const char *b, size_t b_size) {
    struct path left, right;
    take_path(&left, a, a_size);
    take_path(&right, b, b_size);
    if (left.name.size == 0 || right.name.size == 0) return 0;
    const double names = segment_similarity(&left.name, &right.name, true);
    if (names == 0 || left.directory_count + right.directory_count == 0) return names;
    return (directories_similarity(&left, &right) + names) / 2;
}
