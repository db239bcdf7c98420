#include "archive/query_index.h"

#include "archive/query.h"

#include <stdlib.h>
#include <string.h>

enum { NONE = UINT32_MAX };

struct shape {
    uint32_t path;
    uint32_t next;  // of the same path
    uint32_t first; // its queries, in order
    uint32_t last;
    uint32_t count;
    uint32_t unused; // no query before this one is not used up; NONE: all are
    size_t hashes;   // place of its names in `hashes`, its looks after them
    uint32_t names_count;
    uint32_t looks_count;
};

// One name and value of one shape, and the queries that have it.
struct parameter {
    uint64_t hash; // of shape and pair
    uint32_t count;
    uint32_t first; // place in `posted`
};

struct mention {
    uint32_t parameter;
    uint32_t query;
};

struct query_index {
    struct shape *shapes;
    uint32_t shape_count;
    uint32_t *shape_table; // place + 1; 0: free. Open addressing
    uint32_t *paths;       // first shape of each
    uint32_t *next;        // of each query: the next of its shape
    uint32_t query_count;
    uint64_t *hashes;
    size_t hash_count;
    struct parameter *parameters;
    uint32_t parameter_count;
    uint32_t *parameter_table;
    struct mention *mentions; // until finished
    size_t mention_count;
    uint32_t *posted;   // queries by parameter
    uint32_t *points;   // of each query, 0 between questions
    uint32_t *touched;  // those whose points are not 0
    size_t shape_slots; // a power of two each
    size_t parameter_slots;
};

static size_t slots_for(size_t count) {
    size_t slots = 16;
    while (slots < 2 * count)
        slots *= 2;
    return slots;
}

struct query_index *query_index_open(size_t queries, size_t parameters, size_t paths) {
    struct query_index *index = calloc(1, sizeof *index);
    if (!index || queries >= NONE || parameters >= NONE) return free(index), NULL;
    index->shape_slots = slots_for(queries);
    index->parameter_slots = slots_for(parameters);
    index->shapes = calloc(queries + 1, sizeof *index->shapes);
    index->shape_table = calloc(index->shape_slots, sizeof *index->shape_table);
    index->paths = malloc((paths + 1) * sizeof *index->paths);
    index->next = calloc(queries + 1, sizeof *index->next);
    index->hashes = calloc(2 * parameters + 1, sizeof *index->hashes);
    index->parameters = calloc(parameters + 1, sizeof *index->parameters);
    index->parameter_table = calloc(index->parameter_slots, sizeof *index->parameter_table);
    index->mentions = calloc(parameters + 1, sizeof *index->mentions);
    index->posted = calloc(parameters + 1, sizeof *index->posted);
    index->points = calloc(queries + 1, sizeof *index->points);
    index->touched = calloc(queries + 1, sizeof *index->touched);
    if (!index->shapes || !index->shape_table || !index->paths || !index->next || !index->hashes ||
        !index->parameters || !index->parameter_table || !index->mentions || !index->posted ||
        !index->points || !index->touched) {
        query_index_close(index);
        return NULL;
    }
    for (size_t i = 0; i < paths; i++)
        index->paths[i] = NONE;
    return index;
}

void query_index_close(struct query_index *index) {
    if (!index) return;
    free(index->shapes);
    free(index->shape_table);
    free(index->paths);
    free(index->next);
    free(index->hashes);
    free(index->parameters);
    free(index->parameter_table);
    free(index->mentions);
    free(index->posted);
    free(index->points);
    free(index->touched);
    free(index);
}

static uint64_t mix(uint64_t hash, uint64_t more) {
    hash = (hash ^ more) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static bool has_shape(const struct query_index *index, const struct shape *shape, uint32_t path,
                      const struct query *query) {
    const uint64_t *hashes = index->hashes + shape->hashes;
    return shape->path == path && shape->names_count == query->count &&
           shape->looks_count == query->looks_count &&
           memcmp(hashes, query->names, query->count * sizeof *hashes) == 0 &&
           memcmp(hashes + query->count, query->looks, query->looks_count * sizeof *hashes) == 0;
}

// The shape of that path's query, made where there is none yet.
static struct shape *shape_of(struct query_index *index, uint32_t path, const struct query *query) {
    uint64_t hash = mix(path, query->count);
    for (size_t i = 0; i < query->count; i++)
        hash = mix(hash, query->names[i]);
    for (size_t i = 0; i < query->looks_count; i++)
        hash = mix(hash, query->looks[i]);
    uint32_t *slot;
    for (;; hash++) {
        slot = &index->shape_table[hash & (index->shape_slots - 1)];
        if (*slot == 0) break;
        if (has_shape(index, &index->shapes[*slot - 1], path, query)) return &index->shapes[*slot - 1];
    }
    struct shape *shape = &index->shapes[index->shape_count++];
    *slot = index->shape_count;
    *shape = (struct shape){.path = path,
                            .next = NONE,
                            .first = NONE,
                            .last = NONE,
                            .unused = NONE,
                            .hashes = index->hash_count,
                            .names_count = (uint32_t)query->count,
                            .looks_count = (uint32_t)query->looks_count};
    memcpy(index->hashes + index->hash_count, query->names, query->count * sizeof *index->hashes);
    index->hash_count += query->count;
    memcpy(index->hashes + index->hash_count, query->looks, query->looks_count * sizeof *index->hashes);
    index->hash_count += query->looks_count;
    shape->next = index->paths[path]; // their order does not matter
    index->paths[path] = index->shape_count - 1;
    return shape;
}

// The slot of that shape's parameter, or the free one where it would go. Hashes of 64 bits stand for what
// they are of: two that fall together could only make a fuzzy answer a little less alike.
static uint32_t *parameter_slot(const struct query_index *index, uint32_t shape, uint64_t pair,
                                uint64_t *hash) {
    *hash = mix(pair, shape + 1);
    for (uint64_t at = *hash;; at++) {
        uint32_t *slot = &index->parameter_table[at & (index->parameter_slots - 1)];
        if (*slot == 0 || index->parameters[*slot - 1].hash == *hash) return slot;
    }
}

void query_index_add(struct query_index *index, uint32_t path, const char *text, size_t size) {
    struct query query;
    query_parse(&query, text, size);
    struct shape *shape = shape_of(index, path, &query);
    const uint32_t place = index->query_count++;
    index->next[place] = NONE;
    if (shape->first == NONE)
        shape->first = shape->unused = place;
    else
        index->next[shape->last] = place;
    shape->last = place;
    shape->count++;
    for (size_t i = 0; i < query.count; i++) {
        uint64_t hash;
        uint32_t *slot = parameter_slot(index, (uint32_t)(shape - index->shapes), query.pairs[i], &hash);
        if (*slot == 0) {
            *slot = ++index->parameter_count;
            index->parameters[*slot - 1].hash = hash;
        }
        index->parameters[*slot - 1].count++;
        index->mentions[index->mention_count++] = (struct mention){*slot - 1, place};
    }
}

void query_index_finish(struct query_index *index) {
    uint32_t first = 0;
    for (uint32_t i = 0; i < index->parameter_count; i++) {
        index->parameters[i].first = first;
        first += index->parameters[i].count;
        index->parameters[i].count = 0;
    }
    for (size_t i = 0; i < index->mention_count; i++) {
        struct parameter *parameter = &index->parameters[index->mentions[i].parameter];
        index->posted[parameter->first + parameter->count++] = index->mentions[i].query;
    }
    free(index->mentions);
    index->mentions = NULL;
}

struct candidate {
    uint32_t query;
    uint32_t points;
    uint32_t parameters; // of the recorded query
    bool used_up;
};

// Points over parameters of both, then not used up, then the order: the last of those used up.
static bool is_better(const struct candidate *a, const struct candidate *b, size_t asked) {
    const uint64_t a_share = (uint64_t)a->points * (asked + b->parameters);
    const uint64_t b_share = (uint64_t)b->points * (asked + a->parameters);
    if (a_share != b_share) return a_share > b_share;
    if (a->used_up != b->used_up) return b->used_up;
    return a->used_up ? a->query > b->query : a->query < b->query;
}

// Where none of the shape has more than the shape's own points.
static uint32_t any_of(const struct query_index *index, struct shape *shape, const bool *used_up) {
    while (shape->unused != NONE && used_up[shape->unused])
        shape->unused = index->next[shape->unused];
    return shape->unused != NONE ? shape->unused : shape->last;
}

static struct candidate best_of(struct query_index *index, struct shape *shape, const struct query *asked,
                                const bool *used_up) {
    const uint64_t *hashes = index->hashes + shape->hashes;
    size_t own = QUERY_POINTS_NAME * query_common(asked->names, asked->count, hashes, shape->names_count) +
                 QUERY_POINTS_LOOKS * query_common(asked->looks, asked->looks_count,
                                                   hashes + shape->names_count, shape->looks_count);
    size_t touched_count = 0;
    for (size_t i = 0; i < asked->count; i++) {
        uint64_t hash;
        uint32_t slot = *parameter_slot(index, (uint32_t)(shape - index->shapes), asked->pairs[i], &hash);
        if (slot == 0) continue;
        const struct parameter *parameter = &index->parameters[slot - 1];
        const uint32_t more = asked->pair_is_volatile[i] ? QUERY_POINTS_VOLATILE_VALUE : QUERY_POINTS_VALUE;
        if (parameter->count == shape->count) { // all of them have it
            own += more;
            continue;
        }
        for (uint32_t at = 0; at < parameter->count; at++) {
            uint32_t query = index->posted[parameter->first + at];
            if (index->points[query] == 0) index->touched[touched_count++] = query;
            index->points[query] += more;
        }
    }
    struct candidate best = {.parameters = shape->names_count};
    for (size_t i = 0; i < touched_count; i++) {
        const uint32_t query = index->touched[i];
        const struct candidate other = {query, index->points[query], shape->names_count, used_up[query]};
        if (best.points == 0 || is_better(&other, &best, asked->count)) best = other;
        index->points[query] = 0;
    }
    if (best.points == 0) {
        best.query = any_of(index, shape, used_up);
        best.used_up = used_up[best.query];
    }
    best.points += (uint32_t)own;
    return best;
}

uint32_t query_index_find(struct query_index *index, uint32_t path, const char *text, size_t size,
                          const bool *used_up, double *likeness) {
    struct query asked;
    query_parse(&asked, text, size);
    struct candidate best = {.query = NONE};
    for (uint32_t at = index->paths[path]; at != NONE; at = index->shapes[at].next) {
        const struct candidate other = best_of(index, &index->shapes[at], &asked, used_up);
        if (best.query == NONE || is_better(&other, &best, asked.count)) best = other;
    }
    *likeness = query_likeness(best.points, asked.count, best.parameters);
    return best.query;
}
