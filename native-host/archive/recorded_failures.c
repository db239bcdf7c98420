#include "archive/recorded_failures.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum kind { BEFORE_A_SERVER, AT_A_SERVER, GIVEN_UP };

struct failure {
    char *text; // one allocation: host, NUL, path with query
    const char *path;
    enum kind kind;
};

// Sorted by host.
struct recorded_failures {
    struct failure *list;
    size_t count;
};

static enum kind kind_of(const json_t *failures, const char *url) {
    const char *kind = json_string_value(json_object_get(failures, url));
    if (!kind) return AT_A_SERVER;
    if (strcmp(kind, "name") == 0 || strcmp(kind, "blocked") == 0) return BEFORE_A_SERVER;
    return strcmp(kind, "aborted") == 0 ? GIVEN_UP : AT_A_SERVER;
}

// Of "https://HOST:PORT/PATH?QUERY#FRAGMENT". 1: taken, 0: no such URL, -1: memory is short.
static int take_url(struct failure *failure, const char *url) {
    const char *host = strstr(url, "://");
    if (!host) return 0;
    host += 3;
    const char *path = host + strcspn(host, "/?#");
    const char *end = path;
    size_t host_size;
    if (*host == '[') {
        host++;
        end = memchr(host, ']', (size_t)(path - host));
        if (!end) return 0;
        host_size = (size_t)(end - host);
    } else {
        const char *colon = memchr(host, ':', (size_t)(path - host));
        host_size = (size_t)((colon ? colon : path) - host);
    }
    const char *const shown = *path == '/' ? path : "/";
    const size_t path_size = *path == '/' ? strcspn(path, "#") : 1;
    if (host_size == 0) return 0;
    failure->text = malloc(host_size + path_size + 2);
    if (!failure->text) return -1;
    memcpy(failure->text, host, host_size);
    failure->text[host_size] = '\0';
    char *const copy = failure->text + host_size + 1;
    memcpy(copy, shown, path_size);
    copy[path_size] = '\0';
    failure->path = copy;
    return 1;
}

static int compare(const void *a, const void *b) {
    return strcmp(((const struct failure *)a)->text, ((const struct failure *)b)->text);
}

static int take_all(struct recorded_failures *failures, const json_t *urls, const json_t *kinds) {
    failures->list = calloc(json_array_size(urls) + 1, sizeof *failures->list);
    if (!failures->list) return -1;
    size_t at;
    const json_t *url;
    json_array_foreach(urls, at, url) {
        struct failure *failure = &failures->list[failures->count];
        const char *text = json_string_value(url);
        const int taken = text ? take_url(failure, text) : 0;
        if (taken < 0) return -1;
        if (taken == 0) continue;
        failure->kind = kind_of(kinds, text);
        failures->count++;
    }
    qsort(failures->list, failures->count, sizeof *failures->list, compare);
    return 0;
}

int recorded_failures_open(struct recorded_failures **out, const char *notes, size_t size) {
    struct recorded_failures *failures = calloc(1, sizeof *failures);
    if (!failures) return -1;
    json_t *json = json_loadb(notes, size, JSON_ALLOW_NUL, NULL);
    const int result =
        take_all(failures, json_object_get(json, "failed_urls"), json_object_get(json, "failures"));
    json_decref(json);
    if (result < 0)
        recorded_failures_close(failures);
    else
        *out = failures;
    return result;
}

void recorded_failures_close(struct recorded_failures *failures) {
    if (!failures) return;
    for (size_t i = 0; i < failures->count; i++)
        free(failures->list[i].text);
    free(failures->list);
    free(failures);
}

static int compare_host(const struct failure *failure, const char *host, size_t size) {
    const int order = strncmp(failure->text, host, size);
    return order != 0 ? order : failure->text[size] != '\0';
}

// The first of the host's; `count` where there is none.
static size_t first_of(const struct recorded_failures *failures, const char *host, size_t size) {
    size_t low = 0, high = failures->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_host(&failures->list[middle], host, size) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool recorded_failures_has(const struct recorded_failures *failures, const char *host, size_t host_size,
                           const char *path, size_t path_size) {
    if (!failures || host_size == 0) return false;
    for (size_t i = first_of(failures, host, host_size);
         i < failures->count && compare_host(&failures->list[i], host, host_size) == 0; i++) {
        const struct failure *failure = &failures->list[i];
        if (failure->kind != GIVEN_UP && strlen(failure->path) == path_size &&
            memcmp(failure->path, path, path_size) == 0)
            return true;
    }
    return false;
}

bool recorded_failures_unnamed(const struct recorded_failures *failures, const char *host) {
    if (!failures || !*host) return false;
    const size_t size = strlen(host);
    bool unnamed = false;
    for (size_t i = first_of(failures, host, size);
         i < failures->count && compare_host(&failures->list[i], host, size) == 0; i++) {
        if (failures->list[i].kind == AT_A_SERVER) return false;
        unnamed |= failures->list[i].kind == BEFORE_A_SERVER;
    }
    return unnamed;
}
