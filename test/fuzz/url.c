// URLs, and what a Location means at one: what is taken can be taken again, and its target is a path of
// visible characters.
#include "fetch/url.h"
#include "target.h"

#include <string.h>

static void check(const char *text, unsigned depth) {
    struct url url;
    const char *why = NULL;
    if (url_parse(&url, text, &why) < 0) {
        PROMISE(why && why[0]);
        return;
    }
    PROMISE(url.host[0] && url.target[0] == '/');
    for (const char *c = url.target; *c; c++)
        PROMISE(*c > ' ' && *c < 127);
    char *there = depth > 0 ? url_resolve(&url, text) : NULL;
    if (there) check(there, depth - 1);
    free(there);
    url_free(&url);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    PROMISE(text);
    memcpy(text, data, size);
    text[size] = 0;
    check(text, 1);
    struct url base;
    const char *why;
    PROMISE(url_parse(&base, "https://a.example/b/c?d", &why) == 0);
    char *there = url_resolve(&base, text);
    if (there) check(there, 1);
    free(there);
    url_free(&base);
    free(text);
    return 0;
}
