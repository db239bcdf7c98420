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
