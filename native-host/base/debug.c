#include "base/debug.h"

#include <stdlib.h>
#include <string.h>

#define DEBUG_NAME(name, about) #name,
static const char *const names[] = {DEBUG_PARTS(DEBUG_NAME)};
#undef DEBUG_NAME
#define DEBUG_LISTED(name, about) " " #name

// Written once at start.
static unsigned parts_on;

static int part_named(const char *name, size_t size) {
    for (int part = 0; part < DEBUG_PART_COUNT; part++)
        if (strlen(names[part]) == size && memcmp(names[part], name, size) == 0) return part;
    return -1;
}

void debug_open(void) {
    const char *at = getenv("TRILANE_DEBUG");
    while (at && *at) {
        size_t size = strcspn(at, ",");
        int part = part_named(at, size);
        if (part < 0)
            die(EXIT_BAD_INPUT,
                "TRILANE_DEBUG: no part \"%.*s\": use one or several of" DEBUG_PARTS(DEBUG_LISTED), (int)size,
                at);
        parts_on |= 1U << part;
        at += size;
        if (*at == ',') at++;
    }
}

bool debug_is_on(enum debug_part part) {
    return parts_on >> part & 1;
}
