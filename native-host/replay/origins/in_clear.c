#include "replay/origins/in_clear.h"

#include <arpa/inet.h>
#include <stdbool.h>
#include <string.h>

enum { HTTP_PORT = 80, HTTPS_PORT = 443, NAME_MAX_BYTES = 253 };
static const char suffix[] = ".clear.test";

static bool is_https(const struct recorded_exchange *exchange) {
    return strcmp(exchange->scheme, "https") == 0;
}

static bool keeps_host(const char *host) {
    struct in6_addr address;
    return inet_pton(AF_INET, host, &address) == 1 || inet_pton(AF_INET6, host, &address) == 1 ||
           strlen(host) + sizeof suffix - 1 > NAME_MAX_BYTES;
}

size_t in_clear_bare_size(const char *host, size_t size) {
    const size_t suffix_size = sizeof suffix - 1;
    if (size <= suffix_size || memcmp(host + size - suffix_size, suffix, suffix_size) != 0) return size;
    return size - suffix_size;
}

int in_clear_arrange(struct recording *recording, struct arena *arena) {
    for (size_t i = 0; i < recording->exchange_count; i++) {
        struct recorded_exchange *exchange = &recording->exchanges[i];
        if (!is_https(exchange)) continue;
        exchange->scheme = "http";
        if (exchange->port == HTTPS_PORT) exchange->port = HTTP_PORT;
        if (keeps_host(exchange->host)) continue;
        const size_t size = strlen(exchange->host);
        char *host = arena_take(arena, size + sizeof suffix);
        if (!host) return -1;
        memcpy(host, exchange->host, size);
        memcpy(host + size, suffix, sizeof suffix);
        exchange->host = host;
    }
    return 0;
}
