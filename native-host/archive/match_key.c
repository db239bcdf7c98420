#include "archive/match_key.h"

#include <string.h>

enum { HTTP_PORT = 80, HTTPS_PORT = 443 };

// FNV-1a over eight bytes at a time: URLs are long, and these tables are used for each request.
uint64_t match_hash(uint64_t hash, const void *from, size_t size) {
    const char *bytes = from;
    for (; size >= 8; bytes += 8, size -= 8) {
        uint64_t word;
        memcpy(&word, bytes, 8);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    for (; size > 0; bytes++, size--)
        hash = (hash ^ (unsigned char)*bytes) * UINT64_C(1099511628211);
    hash = (hash ^ 0x1ff) * UINT64_C(0x9e3779b97f4a7c15); // parts end where they end
    return hash ^ hash >> 32;
}

static void hash_key(struct match_key *key) {
    const char *mark = memchr(key->path, '?', key->path_size);
    key->bare_size = mark ? (size_t)(mark - key->path) : key->path_size;
    uint64_t hash = match_hash(UINT64_C(14695981039346656037), key->method, key->method_size);
    key->host_hash = match_hash(hash, key->host, key->host_size);
    key->place_hash = match_hash(key->host_hash, key->path, key->bare_size);
    key->query_hash =
        match_hash(key->place_hash, key->path + key->bare_size, key->path_size - key->bare_size);
}

static bool is_https(const char *scheme) {
    return strcmp(scheme, "https") == 0;
}

static uint32_t canonical_port(uint32_t port, bool secure) {
    return port == (secure ? HTTPS_PORT : HTTP_PORT) ? MATCH_OWN_PORT : port;
}

struct match_key match_key_of(const struct recorded_exchange *exchange) {
    struct match_key key = {.method = exchange->method,
                            .method_size = strlen(exchange->method),
                            .host = exchange->host,
                            .host_size = strlen(exchange->host),
                            .path = exchange->path,
                            .path_size = strlen(exchange->path),
                            .port = canonical_port(exchange->port, is_https(exchange->scheme))};
    hash_key(&key);
    return key;
}

// The port after a host, the scheme's own where none is named.
static uint32_t port_of(const char *text, size_t size, bool secure) {
    if (size <= 1) return MATCH_OWN_PORT;
    uint32_t port = 0;
    if (text[0] != ':') return MATCH_NO_PORT;
    for (size_t i = 1; i < size; i++) {
        if (text[i] < '0' || text[i] > '9') return MATCH_NO_PORT;
        port = port * 10 + (uint32_t)(text[i] - '0');
        if (port > UINT16_MAX) return MATCH_NO_PORT;
    }
    return port == 0 ? MATCH_NO_PORT : canonical_port(port, secure);
}

// Lower case, without port, into `copy`; its size, or 0 when it is no host. *rest: what follows it, from the
// port's colon on.
static size_t bare_host(const char *host, size_t size, char copy[MATCH_HOST_MAX], const char **rest) {
    size_t end = size;
    if (size > 0 && host[0] == '[') { // an IPv6 address, recorded without its brackets
        const char *close = memchr(host, ']', size);
        if (!close) return 0;
        *rest = close + 1;
        host++;
        end = (size_t)(close - host);
    } else {
        const char *colon = memchr(host, ':', size);
        if (colon) end = (size_t)(colon - host);
        *rest = host + end;
    }
    if (end > 0 && host[end - 1] == '.') end--; // the root's dot: the same host
    if (end > MATCH_HOST_MAX) return 0;
    for (size_t i = 0; i < end; i++)
        copy[i] = (char)(host[i] >= 'A' && host[i] <= 'Z' ? host[i] - 'A' + 'a' : host[i]);
    return end;
}

size_t match_bare_host(const char *host, size_t size, char copy[MATCH_HOST_MAX]) {
    const char *rest;
    return bare_host(host, size, copy, &rest);
}

struct match_key match_key_of_request(const struct match_request_text *text, char copy[MATCH_HOST_MAX]) {
    const char *rest = text->host;
    struct match_key key = {.method = text->method,
                            .method_size = text->method_size,
                            .host = copy,
                            .path = text->path,
                            .path_size = text->path_size};
    key.host_size = bare_host(text->host, text->host_size, copy, &rest);
    key.port = port_of(rest, (size_t)(text->host + text->host_size - rest), text->is_secure);
    hash_key(&key);
    return key;
}

void match_key_set_method(struct match_key *key, const char *method) {
    key->method = method;
    key->method_size = strlen(method);
    hash_key(key);
}

static bool is_text(const char *text, const char *bytes, size_t size) {
    return strlen(text) == size && memcmp(text, bytes, size) == 0;
}

bool match_key_same_host(const struct match_key *key, const struct recorded_exchange *exchange) {
    return is_text(exchange->method, key->method, key->method_size) &&
           is_text(exchange->host, key->host, key->host_size);
}

bool match_key_same_place(const struct match_key *key, const struct recorded_exchange *exchange) {
    return match_key_same_host(key, exchange) && strnlen(exchange->path, key->bare_size) == key->bare_size &&
           memcmp(exchange->path, key->path, key->bare_size) == 0 &&
           (exchange->path[key->bare_size] == '\0' || exchange->path[key->bare_size] == '?');
}

bool match_key_same_query(const struct match_key *key, const struct recorded_exchange *exchange) {
    return match_key_same_place(key, exchange) && is_text(exchange->path, key->path, key->path_size);
}
