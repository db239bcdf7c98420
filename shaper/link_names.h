// The links that have a name: "3g", "lighthouse-slow-4g". cli/link/names.ts has the same, with what they are
// and whose figures they have; schemas/examples/link-forms.json is the test of both.
#ifndef TRILANE_SHAPER_LINK_NAMES_H
#define TRILANE_SHAPER_LINK_NAMES_H

#include <stddef.h>

// The short form of the link with this name of `size` bytes; NULL: there is none.
const char *link_form_named(const char *name, size_t size);

// The index-th name; NULL past the last.
const char *link_name(size_t index);

#endif
