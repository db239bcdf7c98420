// https:// URLs, as far as a client needs them: whom to ask, and for what. Resolves what a Location says.
// Does not know other schemes, user names or names that are not in ASCII.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { URL_HOST_SIZE = 256, URL_AUTHORITY_SIZE = URL_HOST_SIZE + sizeof "[]:65535", URL_MAX = 65536 };

struct url {
    char host[URL_HOST_SIZE]; // in lower case, without brackets
    bool is_address;          // of either version, not a name
    uint16_t port;
    char authority[URL_AUTHORITY_SIZE]; // as the request has it: without the port if it is 443
    char *target;                       // path and query, from "/" on; percent-encoded where need be
};

// 0, or -1 with a reason in `why` (a literal) and nothing to free.
int url_parse(struct url *url, const char *text, const char **why);
void url_free(struct url *url); // zeroed: nothing

// What `location` means at `base`, for url_parse: the caller's to free. NULL when memory is short.
char *url_resolve(const struct url *base, const char *location);
