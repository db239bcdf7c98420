#include "fetch/url.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char scheme[] = "https://";

static bool is_address_4(const char *host) {
    struct in_addr ignored;
    return inet_pton(AF_INET, host, &ignored) == 1;
}

static bool is_address_6(const char *host) {
    struct in6_addr ignored;
    return inet_pton(AF_INET6, host, &ignored) == 1;
}

static bool is_name(const char *host) {
    if (!*host || strspn(host, ".") > 0) return false;
    for (const char *c = host; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("-._", *c)) return false;
    return strstr(host, "..") == NULL;
}

// From behind the scheme to where the path, query or fragment begins.
static const char *authority_into(struct url *url, const char *text, const char **why) {
    const size_t size = strcspn(text, "/?#\\");
    const char *end = text + size, *host_end = end, *host = text;
    *why = "its host is no name or address of a host";
    if (memchr(text, '@', size)) {
        *why = "it has a user's name in it";
        return NULL;
    }
    if (*text == '[') {
        host = text + 1;
        host_end = memchr(text, ']', size);
        if (!host_end) return NULL;
    } else {
        const char *colon = memchr(text, ':', size);
        if (colon) host_end = colon;
    }
    const size_t host_size = (size_t)(host_end - host);
    if (host_size == 0 || host_size >= sizeof url->host) return NULL;
    for (size_t i = 0; i < host_size; i++)
        url->host[i] = (char)tolower((unsigned char)host[i]);
    url->host[host_size] = 0;
    const bool is_6 = is_address_6(url->host);
    url->is_address = is_6 || is_address_4(url->host);
    if ((*text == '[') != is_6 || (!is_6 && !is_name(url->host))) return NULL;
    const char *port = host_end + (*text == '[');
    url->port = 443;
    if (port < end) {
        char *rest;
        if (*port != ':') return NULL;
        const unsigned long number = port + 1 == end ? 443 : strtoul(port + 1, &rest, 10);
        *why = "its port must be from 1 to 65535";
        if (port + 1 < end && (!isdigit((unsigned char)port[1]) || rest != end)) return NULL;
        if (number < 1 || number > 65535) return NULL;
        url->port = (uint16_t)number;
    }
    const char *open = is_6 ? "[" : "", *close = is_6 ? "]" : "";
    if (url->port == 443)
        snprintf(url->authority, sizeof url->authority, "%s%s%s", open, url->host, close);
    else
        snprintf(url->authority, sizeof url->authority, "%s%s%s:%u", open, url->host, close, url->port);
    return end;
}

// Up to the fragment; what is not ASCII gets percent-encoded, as browsers do.
static char *target_of(const char *text, const char **why) {
    const size_t size = strcspn(text, "#");
    char *target = malloc(3 * size + 2), *out = target;
    *why = "memory is short";
    if (!target) return NULL;
    if (size == 0 || *text == '?') *out++ = '/';
    for (size_t i = 0; i < size; i++) {
        const unsigned char c = (unsigned char)text[i];
        if (c <= ' ' || c == 0x7f) {
            *why = "it has a blank or a control character in it";
            free(target);
            return NULL;
        }
        if (c < 0x7f)
            *out++ = c == '\\' ? '/' : (char)c;
        else
            out += sprintf(out, "%%%02X", c);
    }
    *out = 0;
    return target;
}

int url_parse(struct url *url, const char *text, const char **why) {
    *url = (struct url){0};
    *why = "only https:// is fetched";
    if (strncasecmp(text, scheme, sizeof scheme - 1) != 0) return -1;
    *why = "it is too long";
    if (strlen(text) > URL_MAX) return -1;
    const char *rest = authority_into(url, text + sizeof scheme - 1, why);
    if (rest) url->target = target_of(rest, why);
    return url->target ? 0 : -1;
}

void url_free(struct url *url) {
    free(url->target);
    url->target = NULL;
}

// RFC 3986, 5.2.4, of a path (without query) that begins with "/": in place.
static void remove_dots(char *path) {
    char *out = path;
    for (const char *in = path; *in;) {
        const size_t size = 1 + strcspn(in + 1, "/"); // "/segment"
        const bool last = in[size] == 0;
        if (size == 2 && in[1] == '.') {
            if (last) *out++ = '/';
        } else if (size == 3 && in[1] == '.' && in[2] == '.') {
            while (out > path && *--out != '/')
                ;
            if (last) *out++ = '/';
        } else {
            memmove(out, in, size);
            out += size;
        }
        in += size;
    }
    *out = 0;
}

// Joins a path that is relative to the one of `base`, before its own query.
static char *relative(const struct url *base, const char *location) {
    const size_t base_path = strcspn(base->target, "?"), own_path = strcspn(location, "?#");
    size_t kept = base_path;
    if (own_path > 0)
        while (kept > 0 && base->target[kept - 1] != '/')
            kept--;
    const size_t size = strlen(scheme) + strlen(base->authority) + kept + strlen(location) + 2;
    char *path = malloc(kept + own_path + 2), *text = malloc(size);
    if (path && text) {
        snprintf(path, kept + own_path + 2, "%.*s%.*s", (int)kept, base->target, (int)own_path, location);
        if (own_path > 0) remove_dots(path);
        snprintf(text, size, "%s%s%s%s", scheme, base->authority, path, location + own_path);
    }
    free(path);
    if (path) return text;
    free(text);
    return NULL;
}

char *url_resolve(const struct url *base, const char *location) {
    const size_t head = strcspn(location, ":/?#");
    if (location[head] == ':' && head > 0 && isalpha((unsigned char)*location)) return strdup(location);
    if (strlen(location) > URL_MAX) return strdup(location); // which url_parse refuses
    if (strncmp(location, "//", 2) == 0) {
        const size_t size = sizeof "https:" + strlen(location);
        char *text = malloc(size);
        if (text) snprintf(text, size, "https:%s", location);
        return text;
    }
    if (*location != '/') return relative(base, location);
    const struct url root = {.target = (char *)(uintptr_t) "/"};
    struct url at_root = *base;
    at_root.target = root.target;
    return relative(&at_root, location + 1);
}
