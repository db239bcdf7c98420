// The 103 responses (Early Hints, RFC 8297) that came before a recorded response: `early_hints` of the
// archive's column `recorded` (schemas/recorded.schema.json). What is not what it should be is left away and
// never an error: a page can be replayed without.
#pragma once

#include "archive/arena.h"
#include "archive/recording.h"

#include <stddef.h>

// Sets the exchange's hints, the arena's. 0, or -1 when memory is short.
int recorded_hints_read(struct recorded_exchange *exchange, const char *json, size_t json_size,
                        struct arena *arena);
