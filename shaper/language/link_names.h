// The links that have a name: "3g", "lighthouse-slow-4g"; what they are, and whose figures they have.
#pragma once

#include <stddef.h>

struct named_link {
    const char *name;
    // One-way delays, so that a form may change either; no setting for both directions where each has its
    // own.
    const char *form;
    const char *summary;
    const char *source; // who published the figures; "Round figures": Trilane's own, of the size people meet
};

// The link with this name of `size` bytes; NULL: there is none.
const struct named_link *link_named(const char *name, size_t size);

// The index-th; NULL past the last.
const struct named_link *link_named_at(size_t index);
