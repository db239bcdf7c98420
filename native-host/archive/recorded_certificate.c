#include "archive/recorded_certificate.h"

#include <jansson.h>
#include <stdbool.h>
#include <string.h>

enum { NAME_MAX_BYTES = 253, NAMES_MAX = 4096 };
static const json_int_t chain_max_bytes = 1 << 24; // what TLS can say

struct recorded_certificate_entry {
    struct recorded_certificate_entry *next;
    struct recorded_certificate certificate;
};

// A name that may stand in a certificate, in lower case; NULL for one that may not.
static const char *usable_name(const json_t *value, char lower[NAME_MAX_BYTES + 1]) {
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789-._:*";
    size_t size = json_is_string(value) ? json_string_length(value) : 0;
    if (size == 0 || size > NAME_MAX_BYTES) return NULL;
    const char *text = json_string_value(value);
    for (size_t i = 0; i < size; i++)
        lower[i] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] - 'A' + 'a' : text[i]);
    lower[size] = '\0';
    return strspn(lower, allowed) == size ? lower : NULL;
}

// Whether the certificate has the names of the list that can be used, in the list's order, and no others.
static bool has_names(const struct recorded_certificate *certificate, const json_t *list) {
    size_t at, seen = 0;
    json_t *value;
    char lower[NAME_MAX_BYTES + 1];
    json_array_foreach(list, at, value) {
        const char *name = seen < NAMES_MAX ? usable_name(value, lower) : NULL;
        if (!name) continue;
        if (seen == certificate->name_count || strcmp(certificate->names[seen], name) != 0) return false;
        seen++;
    }
    return seen == certificate->name_count;
}

// By one name each, so that they can be compared by pointer. As DevTools and BoringSSL have them.
static const char *known_group(const json_t *value) {
    static const char *const known[] = {"X25519MLKEM768", "X25519", "P-256", "P-384", "P-521"};
    for (size_t i = 0; json_is_string(value) && i < sizeof known / sizeof *known; i++)
        if (strcmp(json_string_value(value), known[i]) == 0) return known[i];
    return NULL;
}

static int add_certificate(struct recorded_certificates *certificates, const json_t *list,
                           uint32_t chain_bytes, const char *group, struct arena *arena) {
    struct recorded_certificate_entry *entry = arena_take(arena, sizeof *entry);
    const char **names = arena_take(arena, (json_array_size(list) + 1) * sizeof *names);
    if (!entry || !names) return -1;
    size_t at, count = 0;
    json_t *value;
    char lower[NAME_MAX_BYTES + 1];
    json_array_foreach(list, at, value) {
        const char *name = count < NAMES_MAX ? usable_name(value, lower) : NULL;
        if (!name) continue;
        names[count] = arena_copy(arena, name, strlen(name));
        if (!names[count++]) return -1;
    }
    *entry = (struct recorded_certificate_entry){
        .next = certificates->first,
        .certificate = {.names = names, .name_count = count, .chain_bytes = chain_bytes, .group = group}};
    certificates->first = entry;
    return 0;
}

int recorded_certificate_read(const struct recorded_certificate **certificate, const char *json,
                              size_t json_size, struct recorded_certificates *certificates,
                              struct arena *arena) {
    *certificate = NULL;
    json_t *tls = json_loadb(json, json_size, JSON_ALLOW_NUL, NULL);
    const json_t *list = json_object_get(tls, "names");
    const json_t *chain = json_object_get(tls, "chain_bytes");
    json_int_t bytes = json_is_integer(chain) ? json_integer_value(chain) : 0;
    uint32_t chain_bytes = bytes > 0 && bytes < chain_max_bytes ? (uint32_t)bytes : 0;
    const char *group = known_group(json_object_get(tls, "group"));
    const struct recorded_certificate_entry *known = certificates->first;
    int result = 0;
    if (json_array_size(list) > 0) {
        while (known && (known->certificate.chain_bytes != chain_bytes || known->certificate.group != group ||
                         !has_names(&known->certificate, list)))
            known = known->next;
        if (!known) {
            result = add_certificate(certificates, list, chain_bytes, group, arena);
            known = certificates->first;
        }
        if (result == 0 && known->certificate.name_count > 0) *certificate = &known->certificate;
    }
    json_decref(tls);
    return result;
}
