// A recording's exchanges by what they answer, for the matcher: entries by method, host, port, path and
// query; paths, the same without the query; places, the same without the port too; hosts, with the method. An
// entry's exchanges are lists, one for each scheme; where request bodies were recorded there is one more list
// for each body. Does not choose.
#pragma once

#include "archive/match_key.h"
#include "archive/query_index.h"
#include "archive/recording.h"
#include "archive/variant.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MATCH_NONE = UINT32_MAX }; // no place in an array

// Exchanges in recorded order, chained by one of the index's `next` arrays.
struct match_list {
    uint32_t first;
    uint32_t last;
    uint32_t open;  // none before this one is still to be given; MATCH_NONE: none at all is
    bool is_varied; // not all of them fit every request alike
};

struct match_entry {
    const struct recorded_exchange *exchange; // the first: its key is the entry's
    uint32_t port;                            // as in its key
    uint32_t left;                            // exchanges not given yet
    struct match_list schemes[2];             // [1]: https
    bool has_bodies;
    uint32_t query; // in `queries`; MATCH_NONE: it answers only who asks for exactly it
};

struct match_path {
    uint32_t entry;        // the first
    uint32_t next;         // of the same place, on another port
    uint32_t next_of_host; // of the same method and host
    bool has_queries;
};

struct match_body {
    uint32_t entry;
    bool secure;
    const uint8_t *sha256; // NULL: those without one
    struct match_list list;
};

struct match_table {
    uint32_t *slots; // place + 1; 0: free. Open addressing
    size_t mask;
};

struct match_index {
    const struct recorded_exchange *exchanges;
    struct variant *variants; // of each exchange, as the next three
    bool *given;
    uint32_t *next_of_scheme;
    uint32_t *next_of_body;
    struct match_entry *entries;
    uint32_t entry_count;
    struct match_path *paths;
    uint32_t path_count;
    uint32_t *places; // first path of each
    uint32_t *place_ends;
    uint32_t place_count;
    uint32_t *hosts; // first path of each
    uint32_t *host_ends;
    uint32_t host_count;
    struct match_body *bodies;
    uint32_t body_count;
    struct match_table by_key, by_path, by_place, by_host, by_body;
    struct query_index *queries; // by path
    uint32_t *entry_of_query;
    bool *query_used_up; // all its exchanges have been given
    uint32_t query_count;
};

// 0, or -1 when memory is short.
int match_index_open(struct match_index *index, const struct recording *recording);
void match_index_close(struct match_index *index);

// Places in entries, paths, first path of a place, first path of a method and host, bodies; MATCH_NONE where
// there is none. `port` instead of the key's.
uint32_t match_index_entry(const struct match_index *index, const struct match_key *key, uint32_t port);
uint32_t match_index_path(const struct match_index *index, const struct match_key *key);
uint32_t match_index_place(const struct match_index *index, const struct match_key *key);
uint32_t match_index_host(const struct match_index *index, const struct match_key *key);
uint32_t match_index_body(const struct match_index *index, uint32_t entry, bool secure,
                          const uint8_t *sha256);
