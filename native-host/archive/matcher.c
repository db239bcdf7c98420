// Two hash tables over the same entries: by method, host, path and query (an entry holds the answers of one
// such key in recorded order, each scheme's and port's for itself), and by method, host and path alone (the
// candidates of the fuzzy match, chained).
#include "archive/matcher.h"

#include "archive/query.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { HOST_MAX = 255, HTTP_PORT = 80, HTTPS_PORT = 443 };

// With the host: an origin (RFC 6454).
struct place {
    bool secure; // https
    uint16_t port;
};

// The answers of one key and one place.
struct answers {
    struct place place;
    size_t first; // places in matcher->order
    size_t count;
    size_t given;
    size_t next_plus_1; // those of the same key and the place that was recorded next
};

// One key. Its text is that of its first exchange.
struct entry {
    const struct recorded_exchange *exchange;
    size_t answers_plus_1;
    size_t next_plus_1; // next entry of the same method, host and path, in recorded order
    size_t last_plus_1; // of the first entry of such a chain: its last
};

struct matcher {
    struct entry *entries;
    size_t entry_count;
    struct answers *answers;
    size_t answers_count;
    size_t *exact;                          // place in entries + 1; 0: free. Open addressing
    size_t *fuzzy;                          // the same, for the first entry of each chain
    size_t slots;                           // of each table; a power of two
    const struct recorded_exchange **order; // by answers, then recorded order
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

static bool is_https(const char *scheme) {
    return strcmp(scheme, "https") == 0;
}

static struct place place_of(const struct recorded_exchange *exchange) {
    return (struct place){is_https(exchange->scheme), exchange->port};
}

static bool same_place(struct place a, struct place b) {
    return a.secure == b.secure && a.port == b.port;
}

// The key's answers of that place. NULL: none.
static struct answers *answers_at(const struct matcher *matcher, const struct entry *entry,
                                  struct place place) {
    for (size_t at = entry->answers_plus_1; at > 0; at = matcher->answers[at - 1].next_plus_1)
        if (same_place(matcher->answers[at - 1].place, place)) return &matcher->answers[at - 1];
    return NULL;
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
    struct entry *entry = &matcher->entries[*slot - 1];
    struct answers *answers = answers_at(matcher, entry, place_of(exchange));
    if (!answers) {
        size_t *end = &entry->answers_plus_1;
        while (*end > 0)
            end = &matcher->answers[*end - 1].next_plus_1;
        answers = &matcher->answers[matcher->answers_count++];
        answers->place = place_of(exchange);
        *end = matcher->answers_count;
    }
    answers->count++;
}

// With all counts known, all answers get their stretch of `order`, and then their exchanges.
static void put_in_order(struct matcher *matcher, const struct recording *recording) {
    size_t first = 0;
    for (size_t i = 0; i < matcher->answers_count; i++) {
        struct answers *answers = &matcher->answers[i];
        answers->first = first;
        first += answers->count;
        answers->count = 0;
    }
    for (size_t i = 0; i < recording->exchange_count; i++) {
        const struct recorded_exchange *exchange = &recording->exchanges[i];
        if (!can_be_given(exchange)) continue;
        struct key key = key_of(exchange);
        struct entry *entry = &matcher->entries[*slot_of(matcher, matcher->exact, &key, true) - 1];
        struct answers *answers = answers_at(matcher, entry, place_of(exchange));
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
    matcher->answers = calloc(count + 1, sizeof *matcher->answers);
    matcher->order = calloc(count + 1, sizeof *matcher->order);
    matcher->exact = calloc(matcher->slots, sizeof *matcher->exact);
    matcher->fuzzy = calloc(matcher->slots, sizeof *matcher->fuzzy);
    if (!matcher->entries || !matcher->answers || !matcher->order || !matcher->exact || !matcher->fuzzy) {
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
    free(matcher->answers);
    free(matcher->order);
    free(matcher->exact);
    free(matcher->fuzzy);
    free(matcher);
}

// The next of the answers; `keep_order`: without moving on to the one after it.
static const struct recorded_exchange *give(struct matcher *matcher, struct answers *answers,
                                            bool keep_order) {
    size_t given = answers->given < answers->count ? answers->given : answers->count - 1;
    if (!keep_order && answers->given < answers->count) answers->given++;
    return matcher->order[answers->first + given];
}

// Those of the place itself, else of its scheme on another port, else those recorded first.
static struct answers *nearest_answers(const struct matcher *matcher, const struct entry *entry,
                                       struct place place) {
    struct answers *nearest = answers_at(matcher, entry, place);
    for (size_t at = entry->answers_plus_1; at > 0 && !nearest; at = matcher->answers[at - 1].next_plus_1)
        if (matcher->answers[at - 1].place.secure == place.secure) nearest = &matcher->answers[at - 1];
    return nearest ? nearest : &matcher->answers[entry->answers_plus_1 - 1];
}

// Of those recorded at the place itself, if there are any, the entry whose query is most like the key's.
static struct entry *most_like(struct matcher *matcher, size_t chain, const struct key *key,
                               struct place place) {
    struct entry *best = NULL;
    bool best_is_here = false;
    struct query_likeness best_likeness = {0};
    for (size_t at = chain; at > 0; at = matcher->entries[at - 1].next_plus_1) {
        struct entry *entry = &matcher->entries[at - 1];
        bool is_here = answers_at(matcher, entry, place) != NULL;
        if (best_is_here && !is_here) continue;
        struct key other = key_of(entry->exchange);
        struct query_likeness likeness =
            query_compare(key->path + key->bare_size, key->path_size - key->bare_size,
                          other.path + other.bare_size, other.path_size - other.bare_size);
        if (best && best_is_here == is_here && !query_is_liker(&likeness, &best_likeness)) continue;
        best = entry;
        best_is_here = is_here;
        best_likeness = likeness;
    }
    return best;
}

static const struct recorded_exchange *find(struct matcher *matcher, const struct key *key,
                                            struct place place, bool keep_order, enum match *match) {
    size_t exact = *slot_of(matcher, matcher->exact, key, true);
    size_t chain = exact > 0 ? 0 : *slot_of(matcher, matcher->fuzzy, key, false);
    if (exact == 0 && chain == 0) {
        *match = MATCH_MISSED;
        return NULL;
    }
    const struct entry *entry =
        exact > 0 ? &matcher->entries[exact - 1] : most_like(matcher, chain, key, place);
    struct answers *answers = nearest_answers(matcher, entry, place);
    *match = exact > 0 && same_place(answers->place, place) ? MATCH_EXACT : MATCH_FUZZY;
    return give(matcher, answers, keep_order);
}

// The port after a host, the scheme's own where none is named; 0, which no server has, for what is no port.
static uint16_t port_of(const char *text, size_t size, bool secure) {
    if (size <= 1) return secure ? HTTPS_PORT : HTTP_PORT;
    unsigned port = 0;
    if (text[0] != ':') return 0;
    for (size_t i = 1; i < size; i++) {
        if (text[i] < '0' || text[i] > '9') return 0;
        port = port * 10 + (unsigned)(text[i] - '0');
        if (port > UINT16_MAX) return 0;
    }
    return (uint16_t)port;
}

// Lower case, without port, into `copy`; its size, or 0 when it is no host. *rest: what follows it, from the
// port's colon on.
static size_t bare_host(const char *host, size_t size, char copy[HOST_MAX], const char **rest) {
    size_t end = size;
    if (size > 0 && host[0] == '[') { // an IPv6 address, recorded without its brackets
        const char *close = memchr(host, ']', size);
        if (!close) return 0;
        *rest = close + 1;
        host++;
        end = (size_t)(close - host);
    } else {
        const char *colon = memchr(host, ':', size);
        if (colon) end = (size_t)(colon - host);
        *rest = host + end;
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
    const char *rest = request->host;
    size_t host_size = bare_host(request->host, request->host_size, host, &rest);
    const bool secure = is_https(request->scheme);
    const size_t rest_size = (size_t)(request->host + request->host_size - rest);
    const struct place place = {secure, port_of(rest, rest_size, secure)};
    struct key key = {.method = request->method,
                      .method_size = request->method_size,
                      .host = host,
                      .host_size = host_size,
                      .path = request->path,
                      .path_size = request->path_size,
                      .bare_size = bare_size(request->path, request->path_size)};
    const struct recorded_exchange *exchange = find(matcher, &key, place, false, match);
    if (!exchange && same_bytes(key.method, key.method_size, "HEAD", 4)) {
        key.method = "GET";
        key.method_size = 3;
        exchange = find(matcher, &key, place, true, match);
    }
    return exchange;
}
