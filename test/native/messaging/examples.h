// The schema's examples of messages and their mutations, which tests in both languages read.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// Calls `each` with the text of every example that is valid, or of every one that is not; fails the test if
// there are few.
void each_example(bool valid, void (*each)(void *context, const char *name, const char *bytes, size_t size),
                  void *context);
