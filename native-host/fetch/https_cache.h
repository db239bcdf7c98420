// The HTTPS records of the names that a run has met, each looked up once. As long as the run: it knows no
// TTL.
#pragma once

#include "base/loop.h"
#include "fetch/https_record.h"

struct https_cache;

struct https_cache *https_cache_open(void);        // NULL when memory is short
void https_cache_close(struct https_cache *cache); // NULL: nothing

// Runs the loop until the answer is there, some seconds at most. `took_ns`: how long it took when it was
// looked up. NULL when memory is short; else as long as the cache.
const struct https_answer *https_cache_ask(struct https_cache *cache, struct loop *loop, const char *host,
                                           uint16_t port, uint64_t *took_ns);
