#include "archive/query_index.h"

#include "archive/query.h"

#include <stdlib.h>
#include <string.h>

enum { NONE = UINT32_MAX, FEATURES_EACH = 3, WANTED_MAX = FEATURES_EACH * QUERY_PARAMETERS_MAX };
enum kind { NAME = 1, LOOKS, PAIR };

// Queries of one path and with as many parameters.
struct group {
    uint32_t next; // of the same path
    uint32_t parameters;
    uint32_t count;
    uint32_t first; // its queries, in order
    uint32_t last;
    uint32_t unused; // no query before this one is not used up; NONE: all are
};

// A name, looks or pair in one group, and the queries that have it.
struct feature {
    uint64_t hash;
    uint32_t group;
    uint32_t count;
    uint32_t first; // place in `queries`
    bool is_common; // all of the group have it: then it does not matter which
};

struct query_index {
    struct group *groups;
    uint32_t group_count;
    uint32_t *paths; // first group of each
    uint32_t *next;  // of each query: the next of its group
    uint32_t query_count;
    struct feature *features;
    uint32_t feature_count;
    uint32_t *table; // places in `features` + 1; 0: free. Open addressing
    size_t mask;
    // Which query has which feature, by query and, when finished, by feature too.
    uint32_t *features_of; // of query i: from first_of[i] to first_of[i + 1]
    uint32_t *first_of;
    size_t mention_count;
    uint32_t *queries;
    uint8_t *worth; // of each feature: of the wanted query, 0 between questions
    uint32_t *seen; // of each query: the question in which it was last looked at
    uint32_t question;
};

// Every array, and how many elements it has.
#define EACH_ARRAY(array)                                                                                    \
    array(groups, queries + 1) array(paths, paths + 1) array(next, queries + 1) array(features, mentions)    \
        array(table, slots) array(features_of, mentions) array(first_of, queries + 2)                        \
            array(queries, mentions) array(worth, mentions) array(seen, queries + 1)

struct query_index *query_index_open(size_t queries, size_t parameters, size_t paths) {
    struct query_index *index = calloc(1, sizeof *index);
    const size_t mentions = FEATURES_EACH * parameters + 1;
    if (!index) return NULL;
    size_t slots = 64;
    while (slots < 2 * mentions)
        slots *= 2;
    index->mask = slots - 1;
    bool has_all = mentions < NONE;
#define ALLOCATE(array, count) has_all = has_all && (index->array = calloc(count, sizeof *index->array));
    EACH_ARRAY(ALLOCATE)
    if (!has_all) {
        query_index_close(index);
        return NULL;
    }
    for (size_t i = 0; i < paths; i++)
        index->paths[i] = NONE;
    return index;
}

void query_index_close(struct query_index *index) {
    if (!index) return;
#define RELEASE(array, count) free(index->array);
    EACH_ARRAY(RELEASE)
    free(index);
}

// --- adding

static struct group *group_of(struct query_index *index, uint32_t path, uint32_t parameters) {
    for (uint32_t at = index->paths[path]; at != NONE; at = index->groups[at].next)
        if (index->groups[at].parameters == parameters) return &index->groups[at];
    struct group *group = &index->groups[index->group_count];
    *group = (struct group){
        .next = index->paths[path], .parameters = parameters, .first = NONE, .last = NONE, .unused = NONE};
    index->paths[path] = index->group_count++; // their order does not matter
    return group;
}

// The slot of that group's feature, or the free one where it would go. Hashes of 64 bits stand for what they
// are of: two that fall together could only make a fuzzy answer a little less alike.
static uint32_t *feature_slot(const struct query_index *index, const struct group *group, enum kind kind,
                              uint64_t of, uint64_t *hash) {
    const uint64_t place = (uint64_t)(group - index->groups) << 2 | kind;
    *hash = (of ^ place * UINT64_C(0xff51afd7ed558ccd)) * UINT64_C(0x9e3779b97f4a7c15);
    *hash ^= *hash >> 29;
    for (uint64_t at = *hash;; at++) {
        uint32_t *slot = &index->table[at & index->mask];
        if (*slot == 0 || index->features[*slot - 1].hash == *hash) return slot;
    }
}

static void add_features(struct query_index *index, const struct group *group, enum kind kind,
                         const uint64_t *hashes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint64_t hash;
        uint32_t *slot = feature_slot(index, group, kind, hashes[i], &hash);
        if (*slot == 0) {
            *slot = ++index->feature_count;
            index->features[*slot - 1].hash = hash;
            index->features[*slot - 1].group = (uint32_t)(group - index->groups);
        }
        index->features[*slot - 1].count++;
        index->features_of[index->mention_count++] = *slot - 1;
    }
}

void query_index_add(struct query_index *index, uint32_t path, const char *text, size_t size) {
    struct query query;
    query_parse(&query, text, size);
    struct group *group = group_of(index, path, (uint32_t)query.count);
    const uint32_t place = index->query_count++;
    index->next[place] = NONE;
    if (group->first == NONE)
        group->first = group->unused = place;
    else
        index->next[group->last] = place;
    group->last = place;
    group->count++;
    add_features(index, group, NAME, query.names, query.count);
    add_features(index, group, LOOKS, query.looks, query.looks_count);
    add_features(index, group, PAIR, query.pairs, query.count);
    index->first_of[place + 1] = (uint32_t)index->mention_count;
}

// What distinguishes each query, in place of all that it has.
static void drop_common(struct query_index *index) {
    uint32_t kept = 0, at = 0;
    for (uint32_t query = 0; query < index->query_count; query++) {
        for (; at < index->first_of[query + 1]; at++)
            if (!index->features[index->features_of[at]].is_common)
                index->features_of[kept++] = index->features_of[at];
        index->first_of[query + 1] = kept;
    }
}

void query_index_finish(struct query_index *index) {
    uint32_t first = 0;
    for (uint32_t i = 0; i < index->feature_count; i++) {
        struct feature *feature = &index->features[i];
        feature->is_common = feature->count == index->groups[feature->group].count;
        feature->first = first;
        if (feature->is_common) continue;
        first += feature->count;
        feature->count = 0;
    }
    drop_common(index);
    for (uint32_t query = 0; query < index->query_count; query++)
        for (uint32_t at = index->first_of[query]; at < index->first_of[query + 1]; at++) {
            struct feature *feature = &index->features[index->features_of[at]];
            index->queries[feature->first + feature->count++] = query;
        }
}

// --- asking

struct candidate {
    uint32_t query;
    uint32_t points;
    uint32_t parameters; // of the recorded query
    bool used_up;
};

// Points over parameters of both, then not used up, then the order: the last of those used up.
static bool is_better(const struct candidate *a, const struct candidate *b, size_t wanted) {
    const uint64_t a_share = (uint64_t)a->points * (wanted + b->parameters);
    const uint64_t b_share = (uint64_t)b->points * (wanted + a->parameters);
    if (a_share != b_share) return a_share > b_share;
    if (a->used_up != b->used_up) return b->used_up;
    return a->used_up ? a->query > b->query : a->query < b->query;
}

// The wanted query's features that some of a group have and others have not, the rarest first.
struct telling {
    uint32_t features[WANTED_MAX];
    size_t count;
    uint32_t points;     // of all of them
    uint32_t own_points; // of those that all the group have
};

static void add_telling(struct query_index *index, struct telling *telling, const struct group *group,
                        enum kind kind, uint64_t of, uint8_t points) {
    uint64_t hash;
    const uint32_t slot = *feature_slot(index, group, kind, of, &hash);
    if (slot == 0) return;
    const struct feature *feature = &index->features[slot - 1];
    if (feature->is_common) {
        telling->own_points += points;
        return;
    }
    index->worth[slot - 1] = points;
    telling->points += points;
    size_t at = telling->count++;
    for (; at > 0 && index->features[telling->features[at - 1]].count > feature->count; at--)
        telling->features[at] = telling->features[at - 1];
    telling->features[at] = slot - 1;
}

static void find_telling(struct query_index *index, struct telling *telling, const struct group *group,
                         const struct query *wanted) {
    telling->count = 0;
    telling->points = telling->own_points = 0;
    for (size_t i = 0; i < wanted->count; i++) {
        add_telling(index, telling, group, NAME, wanted->names[i], QUERY_POINTS_NAME);
        add_telling(index, telling, group, PAIR, wanted->pairs[i],
                    wanted->pair_is_volatile[i] ? QUERY_POINTS_VOLATILE_VALUE : QUERY_POINTS_VALUE);
    }
    for (size_t i = 0; i < wanted->looks_count; i++)
        add_telling(index, telling, group, LOOKS, wanted->looks[i], QUERY_POINTS_LOOKS);
}

static uint32_t points_of(const struct query_index *index, uint32_t query) {
    uint32_t points = 0;
    for (uint32_t at = index->first_of[query]; at < index->first_of[query + 1]; at++)
        points += index->worth[index->features_of[at]];
    return points;
}

// Of the group's queries that have a telling feature, the best. Its points are 0 if there is none.
static struct candidate best_telling(struct query_index *index, const struct group *group,
                                     const struct telling *telling, size_t wanted, const bool *used_up) {
    struct candidate best = {.parameters = group->parameters};
    uint32_t left = telling->points; // what a query can have that was not looked at yet
    index->question++;
    for (size_t i = 0; i < telling->count && best.points <= left; i++) {
        const struct feature *feature = &index->features[telling->features[i]];
        for (uint32_t at = 0; at < feature->count; at++) {
            const uint32_t query = index->queries[feature->first + at];
            if (index->seen[query] == index->question) continue;
            index->seen[query] = index->question;
            const struct candidate other = {query, points_of(index, query), group->parameters,
                                            used_up[query]};
            if (best.points == 0 || is_better(&other, &best, wanted)) best = other;
            // One that has all is among those of the rarest feature, and this is the first of them.
            if (best.points == telling->points && !best.used_up) return best;
        }
        left -= index->worth[telling->features[i]];
    }
    return best;
}

// If nothing distinguishes the group's queries.
static uint32_t any_of(const struct query_index *index, struct group *group, const bool *used_up) {
    while (group->unused != NONE && used_up[group->unused])
        group->unused = index->next[group->unused];
    return group->unused != NONE ? group->unused : group->last;
}

static struct candidate best_of(struct query_index *index, struct group *group, const struct query *wanted,
                                const bool *used_up) {
    struct telling telling;
    find_telling(index, &telling, group, wanted);
    struct candidate best = best_telling(index, group, &telling, wanted->count, used_up);
    for (size_t i = 0; i < telling.count; i++)
        index->worth[telling.features[i]] = 0;
    if (best.points == 0) {
        best.query = any_of(index, group, used_up);
        best.used_up = used_up[best.query];
    }
    best.points += telling.own_points;
    return best;
}

uint32_t query_index_find(struct query_index *index, uint32_t path, const char *text, size_t size,
                          const bool *used_up, double *similarity) {
    struct query wanted;
    query_parse(&wanted, text, size);
    struct candidate best = {.query = NONE};
    for (uint32_t at = index->paths[path]; at != NONE; at = index->groups[at].next) {
        const struct candidate other = best_of(index, &index->groups[at], &wanted, used_up);
        if (best.query == NONE || is_better(&other, &best, wanted.count)) best = other;
    }
    *similarity = query_similarity(best.points, wanted.count, best.parameters);
    return best.query;
}
