// Runs trilane-fetch for a test, and holds the row that it prints to what is expected.
#pragma once

#include "../shaper/run.h"

#include <jansson.h>

// `words` after the program, as a shell takes them.
void rows_fetch(struct run *run, const char *words);
// The only line, which must be a failure of that stage whose reason begins so, without time and digest of a
// whole object; or, without a stage, none.
void rows_expect(const struct run *run, const char *stage, const char *reason);
// The same of two lines of a connection that might have been used again: both objects came, each over its
// own.
void rows_expect_two_connections(const struct run *run);
// "null": it has none.
const char *rows_text(const json_t *row, const char *key);
