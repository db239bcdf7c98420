#include "archive/matcher.h"

#include "archive/destination.h"
#include "archive/match_index.h"
#include "archive/match_key.h"
#include "archive/path_similarity.h"

#include <stdlib.h>
#include <string.h>

struct matcher {
    struct match_index index;
};

struct matcher *matcher_open(const struct recording *recording) {
    struct matcher *matcher = calloc(1, sizeof *matcher);
    if (!matcher || match_index_open(&matcher->index, recording) == 0) return matcher;
    free(matcher);
    return NULL;
}

void matcher_close(struct matcher *matcher) {
    if (!matcher) return;
    match_index_close(&matcher->index);
    free(matcher);
}

static enum fit fit_of(const struct match_index *index, uint32_t at, const struct match_request *request) {
    return variant_fit(&index->variants[at], &index->exchanges[at], &request->wish);
}

// The list's next answer to the request; MATCH_NONE where none of it may be given.
static uint32_t next_of(const struct match_index *index, struct match_list *list, const uint32_t *next,
                        const struct match_request *request) {
    while (list->open != MATCH_NONE && index->given[list->open])
        list->open = next[list->open];
    if (!list->is_varied) {
        const uint32_t at = list->open != MATCH_NONE ? list->open : list->last;
        return at != MATCH_NONE && fit_of(index, at, request) != FIT_NONE ? at : MATCH_NONE;
    }
    // Requested in recorded order, as the parts of a film are, the next is soon found. It is what all below
    // would find.
    for (uint32_t at = list->open; at != MATCH_NONE; at = next[at])
        if (!index->given[at] && fit_of(index, at, request) == FIT_EXACT) return at;
    uint32_t best = MATCH_NONE;
    enum fit best_fit = FIT_NONE;
    for (uint32_t at = list->first; at != MATCH_NONE; at = next[at]) {
        const enum fit fit = fit_of(index, at, request);
        // Of the same fit: the first not given, else the last.
        if (fit == FIT_NONE || fit < best_fit) continue;
        if (fit == best_fit && best != MATCH_NONE && !index->given[best]) continue;
        best = at;
        best_fit = fit;
    }
    return best;
}

// Of an entry, in the request's scheme, else in the other one. `exact`: only with the request's body.
static uint32_t next_of_entry(const struct match_index *index, uint32_t at,
                              const struct match_request *request, bool exact) {
    struct match_entry *entry = &index->entries[at];
    for (int turn = 0; turn < 2; turn++) {
        const bool secure = request->wish.is_secure == (turn == 0);
        uint32_t found = MATCH_NONE;
        if (!exact || (!entry->has_bodies && !request->body_sha256)) {
            found = next_of(index, &entry->schemes[secure], index->next_of_scheme, request);
        } else if (entry->has_bodies) {
            const uint32_t body = match_index_body(index, at, secure, request->body_sha256);
            if (body != MATCH_NONE)
                found = next_of(index, &index->bodies[body].list, index->next_of_body, request);
        }
        if (found != MATCH_NONE) return found;
    }
    return MATCH_NONE;
}

static struct match_answer give(struct match_index *index, uint32_t entry_at, uint32_t at,
                                const struct match_request *request, struct match_answer answer) {
    struct match_entry *entry = &index->entries[entry_at];
    if (!request->look_only && !index->given[at]) {
        index->given[at] = true;
        if (--entry->left == 0 && entry->query != MATCH_NONE) index->query_used_up[entry->query] = true;
    }
    answer.exchange = &index->exchanges[at];
    answer.variant = &index->variants[at];
    return answer;
}

static bool find_exact(struct match_index *index, const struct match_key *key,
                       const struct match_request *request, struct match_answer *answer) {
    const uint32_t entry = match_index_entry(index, key, key->port);
    if (entry == MATCH_NONE) return false;
    for (int turn = 0; turn < (request->effort == MATCH_EXACTLY ? 1 : 2); turn++) {
        const uint32_t at = next_of_entry(index, entry, request, turn == 0);
        if (at == MATCH_NONE) continue;
        const struct match_answer found = {.match = turn == 0 ? MATCH_EXACT : MATCH_FUZZY,
                                           .difference = turn == 0 ? DIFFERENCE_NONE : DIFFERENCE_BODY,
                                           .similarity = 1};
        *answer = give(index, entry, at, request, found);
        return true;
    }
    return false;
}

static bool find_on_other_port(struct match_index *index, uint32_t first_path, const struct match_key *key,
                               const struct match_request *request, struct match_answer *answer) {
    // First in the request's own scheme, then in any.
    for (int turn = 0; turn < 2; turn++) {
        for (uint32_t path = first_path; path != MATCH_NONE; path = index->paths[path].next) {
            const uint32_t port = index->entries[index->paths[path].entry].port;
            const uint32_t entry = match_index_entry(index, key, port);
            if (entry == MATCH_NONE) continue;
            if (turn == 0 && index->entries[entry].schemes[request->wish.is_secure].first == MATCH_NONE)
                continue;
            const uint32_t at = next_of_entry(index, entry, request, false);
            if (at == MATCH_NONE) continue;
            const struct match_answer found = {
                .match = MATCH_FUZZY, .difference = DIFFERENCE_PORT, .similarity = 1};
            *answer = give(index, entry, at, request, found);
            return true;
        }
    }
    return false;
}

// On one path and port.
static bool find_other_query(struct match_index *index, uint32_t path, const struct match_key *key,
                             const struct match_request *request, struct match_answer *answer) {
    if (!index->paths[path].has_queries) return false;
    struct match_answer found = {.match = MATCH_FUZZY, .difference = DIFFERENCE_QUERY};
    const uint32_t query =
        query_index_find(index->queries, path, key->path + key->bare_size, key->path_size - key->bare_size,
                         index->query_used_up, &found.similarity);
    const uint32_t entry = index->entry_of_query[query];
    uint32_t at = next_of_entry(index, entry, request, true);
    if (at == MATCH_NONE) at = next_of_entry(index, entry, request, false);
    if (at == MATCH_NONE) return false;
    *answer = give(index, entry, at, request, found);
    return true;
}

static bool find_similar_path(struct match_index *index, const struct match_key *key,
                              const struct match_request *request, struct match_answer *answer) {
    uint32_t best = MATCH_NONE;
    double similarity = 0;
    bool is_used_up = false;
    size_t compared_bytes = 0;
    for (uint32_t path = match_index_host(index, key); path != MATCH_NONE;
         path = index->paths[path].next_of_host) {
        const struct match_entry *entry = &index->entries[index->paths[path].entry];
        const char *recorded = entry->exchange->path;
        if (!index->paths[path].has_queries || match_key_same_place(key, entry->exchange) ||
            !destination_takes(request->destination, key->path, key->bare_size, entry->exchange))
            continue;
        const size_t recorded_size = strcspn(recorded, "?");
        compared_bytes += key->bare_size + recorded_size;
        if (compared_bytes > MATCH_SIMILAR_BYTES_MAX) break;
        const double own = path_similarity(key->path, key->bare_size, recorded, recorded_size);
        if (own < PATH_SIMILARITY_LEAST || own < similarity || (own == similarity && !is_used_up)) continue;
        best = path;
        similarity = own;
        is_used_up = entry->left == 0;
    }
    if (best == MATCH_NONE || !find_other_query(index, best, key, request, answer)) return false;
    answer->difference = DIFFERENCE_PATH;
    answer->similarity = similarity;
    return true;
}

static struct match_answer find(struct match_index *index, const struct match_key *key,
                                const struct match_request *request) {
    struct match_answer answer = {.match = MATCH_MISSED};
    if (find_exact(index, key, request, &answer) || request->effort == MATCH_EXACTLY) return answer;
    const uint32_t first_path = match_index_place(index, key);
    if (find_on_other_port(index, first_path, key, request, &answer)) return answer;
    const uint32_t own_path = match_index_path(index, key);
    if (own_path != MATCH_NONE && find_other_query(index, own_path, key, request, &answer)) return answer;
    for (uint32_t path = first_path; path != MATCH_NONE; path = index->paths[path].next)
        if (path != own_path && find_other_query(index, path, key, request, &answer)) return answer;
    if (request->effort == MATCH_ANYHOW) find_similar_path(index, key, request, &answer);
    return answer;
}

struct match_answer matcher_find(struct matcher *matcher, const struct match_request *wanted) {
    struct match_request request = *wanted;
    request.wish.is_secure = strcmp(wanted->scheme, "https") == 0;
    const struct match_request_text text = {.method = wanted->method,
                                            .method_size = wanted->method_size,
                                            .host = wanted->host,
                                            .host_size = wanted->host_size,
                                            .path = wanted->path,
                                            .path_size = wanted->path_size,
                                            .is_secure = request.wish.is_secure};
    char host[MATCH_HOST_MAX];
    struct match_key key = match_key_of_request(&text, host);
    struct match_answer answer = find(&matcher->index, &key, &request);
    if (!answer.exchange && key.method_size == 4 && memcmp(key.method, "HEAD", 4) == 0) {
        match_key_set_method(&key, "GET");
        request.look_only = true;
        answer = find(&matcher->index, &key, &request);
    }
    return answer;
}
