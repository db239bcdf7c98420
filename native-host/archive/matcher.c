// Two hash tables over the same entries: by method, host, path and query (the exact match; an entry holds the
// answers of one such key in recorded order), and by method, host and path alone (the candidates of the fuzzy
// match, chained).
#include "archive/matcher.h"

#include "archive/query.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { HOST_MAX = 255, SCHEMES = 2 };

// The answers of one key and one scheme.
struct answers {
    size_t first; // places in matcher->order
    size_t count;
    size_t given;
};

// One exact key. The key's text is that of its first exchange.
struct entry {
    const struct recorded_exchange *exchange;
    struct answers answers[SCHEMES]; // http, https
    size_t next_plus_1;              // next entry of the same method, host and path, in recorded order
    size_t last_plus_1;              // of the first entry of such a chain: its last
};

struct matcher {
    struct entry *entries;
    size_t entry_count;
    size_t *exact;                          // place in entries + 1; 0: free. Open addressing
    size_t *fuzzy;                          // the same, for the first entry of each chain
    size_t slots;                           // of each table; a power of two
    const struct recorded_exchange **order; // by entry, then scheme, then recorded order
};

struct key {
    const char *method;
    size_t method_size;
    const char *host; // lower case, without port
    size_t host_size;
    const char *path; // with query
    size_t path_size;
    size_t bare_size; // of the path without query
};

// FNV-1a; the keys come from one recording and the table is never larger than twice that, so collisions cost
// little.
static uint64_t hash_bytes(uint64_t hash, const char *bytes, size_t size) {
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(1099511628211);
    return (hash ^ 0xff) * UINT64_C(1099511628211); // parts end where they end
}

static uint64_t hash_key(const struct key *key, bool exact) {
    uint64_t hash = hash_bytes(UINT64_C(14695981039346656037), key->method, key->method_size);
    hash = hash_bytes(hash, key->host, key->host_size);
    return hash_bytes(hash, key->path, exact ? key->path_size : key->bare_size);
}

static size_t bare_size(const char *path, size_t size) {
    const char *mark = memchr(path, '?', size);
    return mark ? (size_t)(mark - path) : size;
}

static struct key key_of(const struct recorded_exchange *exchange) {
    struct key key = {.method = exchange->method,
                      .method_size = strlen(exchange->method),
                      .host = exchange->host,
                      .host_size = strlen(exchange->host),
                      .path = exchange->path,
                      .path_size = strlen(exchange->path)};
    key.bare_size = bare_size(key.path, key.path_size);
    return key;
}

static bool same_bytes(const char *a, size_t a_size, const char *b, size_t b_size) {
    return a_size == b_size && memcmp(a, b, a_size) == 0;
}

static bool same_key(const struct key *a, const struct key *b, bool exact) {
    return same_bytes(a->method, a->method_size, b->method, b->method_size) &&
           same_bytes(a->host, a->host_size, b->host, b->host_size) &&
           same_bytes(a->path, exact ? a->path_size : a->bare_size, b->path,
                      exact ? b->path_size : b->bare_size);
}

// The slot of the key, or the free slot where it would go.
static size_t *slot_of(const struct matcher *matcher, size_t *table, const struct key *key, bool exact) {
    for (uint64_t at = hash_key(key, exact);; at++) {
        size_t *slot = &table[at & (matcher->slots - 1)];
        if (*slot == 0) return slot;
        struct key other = key_of(matcher->entries[*slot - 1].exchange);
        if (same_key(key, &other, exact)) return slot;
    }
}

static size_t scheme_place(const char *scheme) {
    return strcmp(scheme, "https") == 0 ? 1 : 0;
}

static bool can_be_given(const struct recorded_exchange *exchange) {
    return exchange->status >= 200 && exchange->status <= 599;
}

// Finds or makes the exchange's entry; counts it there.
static void add(struct matcher *matcher, const struct recorded_exchange *exchange) {
    struct key key = key_of(exchange);
    size_t *slot = slot_of(matcher, matcher->exact, &key, true);
    if (*slot == 0) {
        *slot = ++matcher->entry_count;
        matcher->entries[*slot - 1].exchange = exchange;
        size_t *chain = slot_of(matcher, matcher->fuzzy, &key, false);
        if (*chain == 0) {
            *chain = *slot;
        } else {
            struct entry *first = &matcher->entries[*chain - 1];
            matcher->entries[first->last_plus_1 - 1].next_plus_1 = *slot;
        }
        matcher->entries[*chain - 1].last_plus_1 = *slot;
    }
    matcher->entries[*slot - 1].answers[scheme_place(exchange->scheme)].count++;
}

// With all counts known, each entry's answers get their stretch of `order`, and then their exchanges.
static void put_in_order(struct matcher *matcher, const struct recording *recording) {
    size_t place = 0;
    for (size_t i = 0; i < matcher->entry_count; i++) {
        for (size_t scheme = 0; scheme < SCHEMES; scheme++) {
            struct answers *answers = &matcher->entries[i].answers[scheme];
            answers->first = place;
            place += answers->count;
            answers->count = 0;
        }
    }
    for (size_t i = 0; i < recording->exchange_count; i++) {
        const struct recorded_exchange *exchange = &recording->exchanges[i];
        if (!can_be_given(exchange)) continue;
        struct key key = key_of(exchange);
        struct entry *entry = &matcher->entries[*slot_of(matcher, matcher->exact, &key, true) - 1];
        struct answers *answers = &entry->answers[scheme_place(exchange->scheme)];
        matcher->order[answers->first + answers->count++] = exchange;
    }
}

struct matcher *matcher_open(const struct recording *recording) {
    struct matcher *matcher = calloc(1, sizeof *matcher);
    if (!matcher) return NULL;
    size_t count = recording->exchange_count;
    matcher->slots = 64;
    while (matcher->slots < 2 * count)
        matcher->slots *= 2;
    matcher->entries = calloc(count + 1, sizeof *matcher->entries);
    matcher->order = calloc(count + 1, sizeof *matcher->order);
    matcher->exact = calloc(matcher->slots, sizeof *matcher->exact);
    matcher->fuzzy = calloc(matcher->slots, sizeof *matcher->fuzzy);
    if (!matcher->entries || !matcher->order || !matcher->exact || !matcher->fuzzy) {
        matcher_close(matcher);
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        if (can_be_given(&recording->exchanges[i])) add(matcher, &recording->exchanges[i]);
    put_in_order(matcher, recording);
    return matcher;
}

void matcher_close(struct matcher *matcher) {
    if (!matcher) return;
    free(matcher->entries);
    free(matcher->order);
    free(matcher->exact);
    free(matcher->fuzzy);
    free(matcher);
}

// The next of the entry's answers; `keep_order`: without moving on to the one after it.
static const struct recorded_exchange *give(struct matcher *matcher, struct entry *entry, const char *scheme,
                                            bool keep_order) {
    struct answers *answers = &entry->answers[scheme_place(scheme)];
    if (answers->count == 0) answers = &entry->answers[1 - scheme_place(scheme)];
    size_t place = answers->given < answers->count ? answers->given : answers->count - 1;
    if (!keep_order && answers->given < answers->count) answers->given++;
    return matcher->order[answers->first + place];
}

static struct entry *most_like(struct matcher *matcher, size_t chain, const struct key *key) {
    struct entry *best = NULL;
    struct query_likeness best_likeness = {0};
    for (size_t at = chain; at > 0; at = matcher->entries[at - 1].next_plus_1) {
        struct entry *entry = &matcher->entries[at - 1];
        struct key other = key_of(entry->exchange);
        struct query_likeness likeness =
            query_compare(key->path + key->bare_size, key->path_size - key->bare_size,
                          other.path + other.bare_size, other.path_size - other.bare_size);
        if (best && !query_is_liker(&likeness, &best_likeness)) continue;
        best = entry;
        best_likeness = likeness;
    }
    return best;
}

static const struct recorded_exchange *find(struct matcher *matcher, const struct key *key,
                                            const char *scheme, bool keep_order, enum match *match) {
    size_t exact = *slot_of(matcher, matcher->exact, key, true);
    if (exact > 0) {
        *match = MATCH_EXACT;
        return give(matcher, &matcher->entries[exact - 1], scheme, keep_order);
    }
    size_t chain = *slot_of(matcher, matcher->fuzzy, key, false);
    if (chain > 0) {
        *match = MATCH_FUZZY;
        return give(matcher, most_like(matcher, chain, key), scheme, keep_order);
    }
    *match = MATCH_MISSED;
    return NULL;
}

// Lower case, without port, into `copy`; its size, or 0 when it is no host.
static size_t bare_host(const char *host, size_t size, char copy[HOST_MAX]) {
    size_t end = size;
    if (size > 0 && host[0] == '[') { // an IPv6 address, recorded without its brackets
        const char *close = memchr(host, ']', size);
        if (!close) return 0;
        host++;
        end = (size_t)(close - host);
    } else {
        const char *colon = memchr(host, ':', size);
        if (colon) end = (size_t)(colon - host);
    }
    if (end > 0 && host[end - 1] == '.') end--; // the root's dot: the same host
    if (end > HOST_MAX) return 0;
    for (size_t i = 0; i < end; i++)
        copy[i] = (char)(host[i] >= 'A' && host[i] <= 'Z' ? host[i] - 'A' + 'a' : host[i]);
    return end;
}

const struct recorded_exchange *matcher_find(struct matcher *matcher, const struct match_request *request,
                                             enum match *match) {
    char host[HOST_MAX];
    struct key key = {.method = request->method,
                      .method_size = request->method_size,
                      .host = host,
                      .host_size = bare_host(request->host, request->host_size, host),
                      .path = request->path,
                      .path_size = request->path_size,
                      .bare_size = bare_size(request->path, request->path_size)};
    const struct recorded_exchange *exchange = find(matcher, &key, request->scheme, false, match);
    if (!exchange && same_bytes(key.method, key.method_size, "HEAD", 4)) {
        key.method = "GET";
        key.method_size = 3;
        exchange = find(matcher, &key, request->scheme, true, match);
    }
    return exchange;
}
