#include "archive/variant.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { HTTPS_PORT = 443, URL_MAX = 8192 };

static bool is_space(char c) {
    return c == ' ' || c == '\t';
}

enum coding coding_of(const char *name, size_t size) {
    static const struct {
        const char *name;
        enum coding coding;
    } known[] = {{"identity", CODING_IDENTITY}, {"gzip", CODING_GZIP}, {"x-gzip", CODING_GZIP},
                 {"deflate", CODING_DEFLATE},   {"br", CODING_BR},     {"zstd", CODING_ZSTD}};
    while (size > 0 && is_space(*name))
        name++, size--;
    while (size > 0 && is_space(name[size - 1]))
        size--;
    if (size == 0) return CODING_IDENTITY;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i].name) == size && strncasecmp(known[i].name, name, size) == 0)
            return known[i].coding;
    return CODING_OTHER;
}

// "q=0", "q=0.000": refused (RFC 9110, 12.4.2). `at` is after the coding's name.
static bool is_refused(const char *at, const char *end) {
    for (; at < end; at++) {
        if (*at != ';') continue;
        const char *q = at + 1;
        while (q < end && is_space(*q))
            q++;
        if (end - q < 3 || (*q != 'q' && *q != 'Q') || q[1] != '=') continue;
        q += 2;
        if (*q != '0') return false;
        for (q++; q < end && !is_space(*q) && *q != ';'; q++)
            if (*q != '.' && *q != '0') return false;
        return true;
    }
    return false;
}

unsigned codings_accepted(const char *text, size_t size) {
    const unsigned all =
        CODING_IDENTITY | CODING_GZIP | CODING_DEFLATE | CODING_BR | CODING_ZSTD | CODING_OTHER;
    if (!text) return all;
    unsigned named = 0, accepted = 0;
    bool rest = false, rest_refused = false;
    const char *end = text + size;
    while (text < end) {
        const char *stop = memchr(text, ',', (size_t)(end - text));
        if (!stop) stop = end;
        const char *name_end = memchr(text, ';', (size_t)(stop - text));
        if (!name_end) name_end = stop;
        while (text < name_end && is_space(*text))
            text++;
        while (name_end > text && is_space(name_end[-1]))
            name_end--;
        const bool refused = is_refused(name_end, stop);
        if (name_end - text == 1 && *text == '*') {
            rest = !refused;
            rest_refused = refused;
        } else if (name_end > text) {
            const unsigned coding = coding_of(text, (size_t)(name_end - text));
            if (coding != CODING_OTHER) named |= coding;
            if (!refused && coding != CODING_OTHER) accepted |= coding;
        }
        text = stop + 1;
    }
    if (rest) accepted |= all & ~named;
    // As it stands is always acceptable, unless it is refused by name or with all the rest.
    if (!(named & CODING_IDENTITY) && !rest_refused) accepted |= CODING_IDENTITY;
    return accepted;
}

const struct header *recorded_header(const struct recorded_exchange *exchange, const char *name) {
    const size_t size = strlen(name);
    for (size_t i = 0; i < exchange->header_count; i++)
        if (exchange->headers[i].name_size == size && memcmp(exchange->headers[i].name, name, size) == 0)
            return &exchange->headers[i];
    return NULL;
}

static bool is_redirect(uint16_t status) {
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

static bool sends_to_https(const struct recorded_exchange *exchange) {
    if (strcmp(exchange->scheme, "http") != 0 || !is_redirect(exchange->status)) return false;
    const struct header *location = recorded_header(exchange, "location");
    if (!location) return false;
    char url[URL_MAX];
    const bool v6 = strchr(exchange->host, ':') != NULL;
    for (int with_port = 0; with_port < 2; with_port++) {
        int size = snprintf(url, sizeof url, "https://%s%s%s%s%s", v6 ? "[" : "", exchange->host,
                            v6 ? "]" : "", with_port ? ":443" : "", exchange->path);
        if (size > 0 && (size_t)size == location->value_size && (size_t)size < sizeof url &&
            memcmp(url, location->value, (size_t)size) == 0)
            return true;
    }
    return false;
}

void variant_read(struct variant *variant, const struct recorded_exchange *exchange) {
    *variant = (struct variant){.coding = CODING_IDENTITY, .to_https = sends_to_https(exchange)};
    const struct header *coding = recorded_header(exchange, "content-encoding");
    if (coding) variant->coding = coding_of(coding->value, coding->value_size);
    const struct header *range = exchange->status == 206 ? recorded_header(exchange, "content-range") : NULL;
    variant->is_part =
        range && exchange->body_size > 0 &&
        content_range_parse(&variant->range, &variant->whole_size, range->value, range->value_size);
    // What was recorded of it may be less: a player stops reading where it has enough.
    if (variant->is_part && exchange->body_size <= variant->range.last - variant->range.first)
        variant->range.last = variant->range.first + exchange->body_size - 1;
}

static enum fit fit_of_part(const struct variant *variant, const struct variant_wish *wish) {
    const struct byte_range *part = &variant->range;
    if (!wish->has_range) // all of it, or nothing
        return part->first == 0 && part->last + 1 == variant->whole_size ? FIT_USABLE : FIT_NONE;
    struct byte_range wanted;
    // Beyond its end there is nothing, whichever part is known: 416.
    if (!range_resolve(&wish->range, variant->whole_size, &wanted))
        return variant->whole_size == UINT64_MAX ? FIT_NONE : FIT_USABLE;
    if (wanted.first == part->first && wanted.last == part->last) return FIT_EXACT;
    return wanted.first >= part->first && wanted.first <= part->last ? FIT_USABLE : FIT_NONE;
}

enum fit variant_fit(const struct variant *variant, const struct recorded_exchange *exchange,
                     const struct variant_wish *wish) {
    if (variant->to_https && wish->is_secure) return FIT_NONE; // it would send there for ever
    if (exchange->status == 304) return wish->is_conditional ? FIT_USABLE : FIT_NONE;
    if (exchange->status == 412) return wish->is_conditional ? FIT_USABLE : FIT_NONE;
    if (exchange->status == 416) return wish->has_range ? FIT_USABLE : FIT_NONE;
    enum fit fit = FIT_EXACT;
    if (exchange->status == 206 && !variant->is_part) fit = wish->has_range ? FIT_USABLE : FIT_NONE;
    if (variant->is_part) fit = fit_of_part(variant, wish);
    if (exchange->status != 206 && wish->has_range) fit = FIT_USABLE;
    if (fit != FIT_NONE && exchange->body_size > 0 && !(variant->coding & wish->accepted)) return FIT_RECODED;
    return fit;
}
