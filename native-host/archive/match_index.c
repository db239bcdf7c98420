#include "archive/match_index.h"

#include <stdlib.h>
#include <string.h>

static uint64_t with_port(uint64_t hash, uint32_t port) {
    return hash ^ (port * UINT64_C(0x9e3779b97f4a7c15) >> 7);
}

// Each gives the slot of the key, or the free one where it would go.
static uint32_t *key_slot(const struct match_index *index, const struct match_key *key, uint32_t port) {
    for (uint64_t at = with_port(key->query_hash, port);; at++) {
        uint32_t *slot = &index->by_key.slots[at & index->by_key.mask];
        if (*slot == 0) return slot;
        const struct match_entry *entry = &index->entries[*slot - 1];
        if (entry->port == port && match_key_same_query(key, entry->exchange)) return slot;
    }
}

static uint32_t *path_slot(const struct match_index *index, const struct match_key *key, uint32_t port) {
    for (uint64_t at = with_port(key->place_hash, port);; at++) {
        uint32_t *slot = &index->by_path.slots[at & index->by_path.mask];
        if (*slot == 0) return slot;
        const struct match_entry *entry = &index->entries[index->paths[*slot - 1].entry];
        if (entry->port == port && match_key_same_place(key, entry->exchange)) return slot;
    }
}

static uint32_t *place_slot(const struct match_index *index, const struct match_key *key) {
    for (uint64_t at = key->place_hash;; at++) {
        uint32_t *slot = &index->by_place.slots[at & index->by_place.mask];
        if (*slot == 0) return slot;
        const struct match_path *path = &index->paths[index->places[*slot - 1]];
        if (match_key_same_place(key, index->entries[path->entry].exchange)) return slot;
    }
}

static uint32_t *host_slot(const struct match_index *index, const struct match_key *key) {
    for (uint64_t at = key->host_hash;; at++) {
        uint32_t *slot = &index->by_host.slots[at & index->by_host.mask];
        if (*slot == 0) return slot;
        const struct match_path *path = &index->paths[index->hosts[*slot - 1]];
        if (match_key_same_host(key, index->entries[path->entry].exchange)) return slot;
    }
}

static bool same_body(const uint8_t *a, const uint8_t *b) {
    return a && b ? memcmp(a, b, RECORDING_HASH_BYTES) == 0 : a == b;
}

static uint32_t *body_slot(const struct match_index *index, uint32_t entry, bool secure,
                           const uint8_t *sha256) {
    uint64_t at = (entry * 2 + secure) * UINT64_C(0x9e3779b97f4a7c15) >> 20;
    if (sha256) at = match_hash(at, sha256, 8); // a hash already: part of it will do
    for (;; at++) {
        uint32_t *slot = &index->by_body.slots[at & index->by_body.mask];
        if (*slot == 0) return slot;
        const struct match_body *body = &index->bodies[*slot - 1];
        if (body->entry == entry && body->secure == secure && same_body(body->sha256, sha256)) return slot;
    }
}

// --- opening

static bool is_https(const struct recorded_exchange *exchange) {
    return strcmp(exchange->scheme, "https") == 0;
}

static bool can_be_given(const struct recorded_exchange *exchange) {
    return exchange->status >= 200 && exchange->status <= 599;
}

// What may answer other queries than its own: not what is only for ranges or conditions.
static bool is_whole(const struct recorded_exchange *exchange) {
    return exchange->status != 304 && exchange->status != 206 && exchange->status != 412 &&
           exchange->status != 416;
}

static void append(struct match_index *index, struct match_list *list, uint32_t *next, uint32_t at) {
    next[at] = MATCH_NONE;
    if (list->first == MATCH_NONE) {
        *list = (struct match_list){.first = at, .last = at, .open = at};
    } else {
        next[list->last] = at;
        list->last = at;
    }
    const struct variant *variant = &index->variants[at], *first = &index->variants[list->first];
    list->is_varied |=
        variant->coding != first->coding || variant->is_part || variant->to_https ||
        (index->exchanges[at].body_size == 0) != (index->exchanges[list->first].body_size == 0) ||
        !is_whole(&index->exchanges[at]);
}

static const struct match_list empty_list = {.first = MATCH_NONE, .last = MATCH_NONE, .open = MATCH_NONE};

static void add_to_host(struct match_index *index, const struct match_key *key, uint32_t path) {
    uint32_t *host = host_slot(index, key);
    if (*host == 0) {
        *host = ++index->host_count;
        index->hosts[*host - 1] = path;
    } else {
        index->paths[index->host_ends[*host - 1]].next_of_host = path;
    }
    index->host_ends[*host - 1] = path;
}

static void add_path(struct match_index *index, const struct match_key *key, uint32_t entry) {
    uint32_t *slot = path_slot(index, key, key->port);
    if (*slot == 0) {
        const uint32_t path = index->path_count++;
        *slot = path + 1;
        index->paths[path] =
            (struct match_path){.entry = entry, .next = MATCH_NONE, .next_of_host = MATCH_NONE};
        add_to_host(index, key, path);
        uint32_t *place = place_slot(index, key);
        if (*place == 0) {
            *place = ++index->place_count;
            index->places[*place - 1] = path;
        } else {
            index->paths[index->place_ends[*place - 1]].next = path;
        }
        index->place_ends[*place - 1] = path;
    }
}

static void add_query(struct match_index *index, const struct match_key *key, uint32_t entry) {
    const uint32_t path = *path_slot(index, key, key->port) - 1;
    index->paths[path].has_queries = true;
    index->entries[entry].query = index->query_count;
    index->entry_of_query[index->query_count++] = entry;
    query_index_add(index->queries, path, key->path + key->bare_size, key->path_size - key->bare_size);
}

static void add(struct match_index *index, uint32_t at) {
    const struct recorded_exchange *exchange = &index->exchanges[at];
    const bool secure = is_https(exchange);
    struct match_key key = match_key_of(exchange);
    uint32_t *slot = key_slot(index, &key, key.port);
    if (*slot == 0) {
        *slot = ++index->entry_count;
        index->entries[*slot - 1] = (struct match_entry){
            .exchange = exchange, .port = key.port, .schemes = {empty_list, empty_list}, .query = MATCH_NONE};
        add_path(index, &key, *slot - 1);
    }
    struct match_entry *entry = &index->entries[*slot - 1];
    append(index, &entry->schemes[secure], index->next_of_scheme, at);
    if (entry->query == MATCH_NONE && is_whole(exchange)) add_query(index, &key, *slot - 1);
    entry->left++;
    entry->has_bodies |= exchange->request_body_sha256 != NULL;
}

// Only where bodies tell exchanges apart.
static void add_body(struct match_index *index, uint32_t at) {
    const struct recorded_exchange *exchange = &index->exchanges[at];
    const bool secure = is_https(exchange);
    struct match_key key = match_key_of(exchange);
    const uint32_t entry = *key_slot(index, &key, key.port) - 1;
    if (!index->entries[entry].has_bodies) return;
    uint32_t *slot = body_slot(index, entry, secure, exchange->request_body_sha256);
    if (*slot == 0) {
        *slot = ++index->body_count;
        index->bodies[*slot - 1] = (struct match_body){
            .entry = entry, .secure = secure, .sha256 = exchange->request_body_sha256, .list = empty_list};
    }
    append(index, &index->bodies[*slot - 1].list, index->next_of_body, at);
}

static bool table_open(struct match_table *table, size_t count) {
    size_t slots = 64;
    while (slots < 2 * count)
        slots *= 2;
    table->mask = slots - 1;
    table->slots = calloc(slots, sizeof *table->slots);
    return table->slots != NULL;
}

static size_t parameters_at_most(const struct recording *recording) {
    size_t count = recording->exchange_count;
    for (size_t i = 0; i < recording->exchange_count; i++)
        for (const char *c = recording->exchanges[i].path; *c; c++)
            count += *c == '&';
    return count;
}

#define EACH_ARRAY(array)                                                                                    \
    array(variants) array(given) array(next_of_scheme) array(next_of_body) array(entries) array(paths)       \
        array(places) array(place_ends) array(hosts) array(host_ends) array(bodies) array(entry_of_query)    \
            array(query_used_up)
#define EACH_TABLE(table) table(by_key) table(by_path) table(by_place) table(by_host) table(by_body)

static bool make_room(struct match_index *index, const struct recording *recording) {
    const size_t count = recording->exchange_count;
#define ALLOCATE(array)                                                                                      \
    if (!(index->array = calloc(count + 1, sizeof *index->array))) return false;
    EACH_ARRAY(ALLOCATE)
#define OPEN(table)                                                                                          \
    if (!table_open(&index->table, count)) return false;
    EACH_TABLE(OPEN)
    index->queries = query_index_open(count, parameters_at_most(recording), count);
    return index->queries != NULL;
}

int match_index_open(struct match_index *index, const struct recording *recording) {
    *index = (struct match_index){.exchanges = recording->exchanges};
    const size_t count = recording->exchange_count;
    if (count >= MATCH_NONE || !make_room(index, recording)) {
        match_index_close(index);
        return -1;
    }
    for (uint32_t i = 0; i < count; i++) {
        variant_read(&index->variants[i], &recording->exchanges[i]);
        if (can_be_given(&recording->exchanges[i])) add(index, i);
    }
    for (uint32_t i = 0; i < count; i++)
        if (can_be_given(&recording->exchanges[i])) add_body(index, i);
    query_index_finish(index->queries);
    return 0;
}

void match_index_close(struct match_index *index) {
#define RELEASE(array) free(index->array);
    EACH_ARRAY(RELEASE)
#define CLOSE(table) free(index->table.slots);
    EACH_TABLE(CLOSE)
    query_index_close(index->queries);
}

static uint32_t place_in(const uint32_t *slot) {
    return *slot == 0 ? MATCH_NONE : *slot - 1;
}

uint32_t match_index_entry(const struct match_index *index, const struct match_key *key, uint32_t port) {
    return place_in(key_slot(index, key, port));
}

uint32_t match_index_path(const struct match_index *index, const struct match_key *key) {
    return place_in(path_slot(index, key, key->port));
}

uint32_t match_index_place(const struct match_index *index, const struct match_key *key) {
    const uint32_t place = place_in(place_slot(index, key));
    return place == MATCH_NONE ? MATCH_NONE : index->places[place];
}

uint32_t match_index_host(const struct match_index *index, const struct match_key *key) {
    const uint32_t host = place_in(host_slot(index, key));
    return host == MATCH_NONE ? MATCH_NONE : index->hosts[host];
}

uint32_t match_index_body(const struct match_index *index, uint32_t entry, bool secure,
                          const uint8_t *sha256) {
    return place_in(body_slot(index, entry, secure, sha256));
}
