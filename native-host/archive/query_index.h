// The recorded queries of each path, to find the one that is most like another (archive/query.h),
// without scoring each. A query's points are the sum of what its features are worth that the wanted one has
// too: a name, a name with volatile looks, a name with its value. Queries of one path and with as many
// parameters are a group, compared by points alone. What all of a group have distinguishes none of them; of
// the rest only those queries are looked at that have the rarest of the wanted features, until no other can
// have as many points. Does not know requests or responses.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct query_index;

// For that many queries, of so many parameters at most altogether, and paths numbered from 0. NULL when
// memory is short.
struct query_index *query_index_open(size_t queries, size_t parameters, size_t paths);
void query_index_close(struct query_index *index);

// Queries are numbered from 0 in the order in which they are added. Each is added once, before any is looked
// for.
void query_index_add(struct query_index *index, uint32_t path, const char *text, size_t size);
void query_index_finish(struct query_index *index);

// The one most like the text, of a path that has any. Of several the first that is not used up; if all are,
// the last. `used_up`: for each query; what is used up stays so.
uint32_t query_index_find(struct query_index *index, uint32_t path, const char *text, size_t size,
                          const bool *used_up, double *similarity);
