// Header fields of the archive's JSON, [["name", "value"], ...], as any lane may send them: those that frame
// one connection's message are left away, and those that no lane can carry.
#pragma once

#include "archive/arena.h"
#include "archive/recording.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum recorded_headers { RECORDED_HEADERS_READ, RECORDED_HEADERS_DAMAGED, RECORDED_HEADERS_NO_MEMORY };

// `list` is an array. `keeps_length`: content-length stays, which frames nothing of an answer to HEAD and
// says how long GET's body would be. *damaged: the place of the malformed field.
enum recorded_headers recorded_headers_read(struct header **headers, size_t *count, const json_t *list,
                                            bool keeps_length, struct arena *arena, size_t *damaged);

// The 103 responses (Early Hints, RFC 8297) that came before a recorded response: `early_hints` of the
// archive's column `recorded` (schemas/recorded.schema.json). What is not what it should be is left away and
// never an error: a page can be replayed without.
// Sets the exchange's hints, the arena's. 0, or -1 when memory is short.
int recorded_hints_read(struct recorded_exchange *exchange, const char *json, size_t json_size,
                        struct arena *arena);
