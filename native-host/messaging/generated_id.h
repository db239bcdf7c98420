// Names that the host makes for what it keeps: the time and a random part, in hex, so that no message's text
// becomes a path and names sort by age. Does not look whether one is taken.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { GENERATED_ID_LENGTH = 16, GENERATED_ID_SIZE = GENERATED_ID_LENGTH + 1 };

// 0, or -1 with errno.
int generate_id(char id[GENERATED_ID_SIZE]);
bool is_generated_id(const char *text);
// When it was made, as ISO 8601 in UTC: 2026-01-31T12:00:00Z. `id` is one.
enum { MADE_TIME_SIZE = 32 };
void generated_id_time(const char *id, char text[MADE_TIME_SIZE]);
