// The schema's examples of messages, which tests in both languages read.
#ifndef TRILANE_TEST_MESSAGING_EXAMPLES_H
#define TRILANE_TEST_MESSAGING_EXAMPLES_H

#include <stddef.h>

// Calls `each` with every example of the kind, "valid" or "invalid"; fails the test where there are few.
void each_example(const char *kind,
                  void (*each)(void *context, const char *name, const char *bytes, size_t size),
                  void *context);

#endif
