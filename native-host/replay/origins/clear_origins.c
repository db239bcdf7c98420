#include "replay/origins/clear_origins.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { HTTP_PORT = 80, HTTPS_PORT = 443 };
static const char policy_name[] = "content-security-policy";
static const char policy_value[] = "upgrade-insecure-requests";

static bool is_clear(const struct recorded_exchange *exchange) {
    return strcmp(exchange->scheme, "http") == 0;
}

size_t clear_origins_count(const struct recording *recording) {
    size_t count = 0;
    for (size_t i = 0; i < recording->exchange_count; i++)
        count += is_clear(&recording->exchanges[i]);
    return count;
}

static struct header *find_header(const struct recorded_exchange *exchange, const char *name) {
    for (size_t i = 0; i < exchange->header_count; i++)
        if (strcmp(exchange->headers[i].name, name) == 0) return &exchange->headers[i];
    return NULL;
}

static bool is_document(const struct recorded_exchange *exchange) {
    static const char *const types[] = {"text/html", "application/xhtml+xml"};
    const struct header *type = find_header(exchange, "content-type");
    for (size_t i = 0; type && i < sizeof types / sizeof *types; i++) {
        size_t size = strlen(types[i]);
        if (strncasecmp(type->value, types[i], size) != 0) continue;
        if (type->value[size] == '\0' || strchr("; \t", type->value[size])) return true;
    }
    return false;
}

static int add_policy(struct arena *arena, struct recorded_exchange *exchange) {
    struct header *headers = arena_take(arena, (exchange->header_count + 1) * sizeof *headers);
    if (!headers) return -1;
    if (exchange->header_count > 0)
        memcpy(headers, exchange->headers, exchange->header_count * sizeof *headers);
    headers[exchange->header_count++] = (struct header){.name = policy_name,
                                                        .value = policy_value,
                                                        .name_size = sizeof policy_name - 1,
                                                        .value_size = sizeof policy_value - 1};
    exchange->headers = headers;
    return 0;
}

static bool is_redirect(const struct recorded_exchange *exchange) {
    static const uint16_t redirects[] = {301, 302, 303, 307, 308};
    for (size_t i = 0; i < sizeof redirects / sizeof *redirects; i++)
        if (exchange->status == redirects[i]) return true;
    return false;
}

// http://HOST/PATH or http://HOST:80/PATH as https://HOST/PATH; any other port stays. 1: it was that, 0: it
// was not, -1: memory is short.
static int upgrade_location(struct arena *arena, struct header *location) {
    static const char scheme[] = "http://";
    const size_t scheme_size = sizeof scheme - 1;
    if (strncasecmp(location->value, scheme, scheme_size) != 0) return 0;
    const char *authority = location->value + scheme_size;
    size_t authority_size = strcspn(authority, "/?#");
    const char *rest = authority + authority_size;
    if (authority_size > 3 && strncmp(rest - 3, ":80", 3) == 0) authority_size -= 3;
    size_t size = scheme_size + 1 + authority_size + strlen(rest);
    char *value = arena_take(arena, size + 1);
    if (!value) return -1;
    snprintf(value, size + 1, "https://%.*s%s", (int)authority_size, authority, rest);
    location->value = value;
    location->value_size = size;
    return 1;
}

// Whether the redirect of an upgraded exchange leads to the exchange's own URL.
static bool leads_to_itself(const struct recorded_exchange *exchange, const struct header *location) {
    const char *host = exchange->host;
    char port[8] = "";
    if (exchange->port != HTTPS_PORT) snprintf(port, sizeof port, ":%u", exchange->port);
    bool is_v6 = strchr(host, ':') != NULL;
    char origin[512];
    int size =
        snprintf(origin, sizeof origin, "https://%s%s%s%s", is_v6 ? "[" : "", host, is_v6 ? "]" : "", port);
    if (size < 0 || (size_t)size >= sizeof origin) return false;
    if (strncasecmp(location->value, origin, (size_t)size) != 0) return false;
    const char *path = location->value + size;
    if (exchange->port == HTTPS_PORT && strncmp(path, ":443", 4) == 0) path += 4;
    size_t path_size = strcspn(path, "#");
    if (path_size == 0) return strcmp(exchange->path, "/") == 0;
    return path_size == strlen(exchange->path) && memcmp(path, exchange->path, path_size) == 0;
}

// Gives the exchange its part in the new arrangement; `left_out` where it has none. -1 when memory is short.
static int upgrade(struct arena *arena, struct recorded_exchange *exchange, bool *left_out) {
    bool was_clear = is_clear(exchange);
    if (was_clear) {
        exchange->scheme = "https";
        if (exchange->port == HTTP_PORT) exchange->port = HTTPS_PORT;
    }
    struct header *location = is_redirect(exchange) ? find_header(exchange, "location") : NULL;
    int led_to_clear = location ? upgrade_location(arena, location) : 0;
    if (led_to_clear < 0) return -1;
    *left_out = (was_clear || led_to_clear) && location && leads_to_itself(exchange, location);
    return is_document(exchange) ? add_policy(arena, exchange) : 0;
}

int clear_origins_upgrade(struct recording *recording, struct arena *arena,
                          struct clear_origins_counts *counts) {
    *counts = (struct clear_origins_counts){.exchanges = clear_origins_count(recording)};
    if (counts->exchanges == 0) return 0;
    size_t kept = 0;
    for (size_t i = 0; i < recording->exchange_count; i++) {
        bool left_out;
        if (upgrade(arena, &recording->exchanges[i], &left_out) < 0) return -1;
        if (left_out)
            counts->redirects++;
        else
            recording->exchanges[kept++] = recording->exchanges[i];
    }
    recording->exchange_count = kept;
    return 0;
}
