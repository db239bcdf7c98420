#include "replay/exchange/unrecorded.h"

#include "archive/match_key.h"
#include "replay/exchange/request_selectors.h"
#include "replay/origins/in_clear.h"

#include <string.h>
#include <strings.h>

const char *unrecorded_name(enum unrecorded kind) {
    static const char *const names[UNRECORDED_KINDS] = {
        [UNRECORDED_REPORT] = "report", [UNRECORDED_OTHER] = "other", [UNRECORDED_FAILED] = "failed"};
    return names[kind];
}

static bool is_text(const char *text, size_t size, const char *wanted) {
    return size == strlen(wanted) && strncasecmp(text, wanted, size) == 0;
}

static bool has(const struct request_selectors *selectors, enum selector_field field, const char *value) {
    const struct request_selectors_text *sent = &selectors->fields[field];
    return sent->text && is_text(sent->text, sent->size, value);
}

static bool is_sent(const struct request_selectors *selectors, enum selector_field field) {
    return selectors->fields[field].text != NULL;
}

// The media type without its parameters.
static bool has_type(const struct request_selectors *selectors, const char *type) {
    const struct request_selectors_text *sent = &selectors->fields[SELECTOR_CONTENT_TYPE];
    if (!sent->text) return false;
    const char *semicolon = memchr(sent->text, ';', sent->size);
    size_t size = semicolon ? (size_t)(semicolon - sent->text) : sent->size;
    while (size > 0 && (sent->text[size - 1] == ' ' || sent->text[size - 1] == '\t'))
        size--;
    return is_text(sent->text, size, type);
}

static bool is_method(const struct request_selectors *selectors, const char *method) {
    return is_text(selectors->match.method, selectors->match.method_size, method);
}

static bool is_preflight(const struct request_selectors *selectors) {
    return is_method(selectors, "OPTIONS") && is_sent(selectors, SELECTOR_ACCESS_CONTROL_REQUEST_METHOD);
}

static bool is_sent_by_browser(const struct request_selectors *selectors) {
    static const char *const types[] = {"application/csp-report", "application/reports+json", "text/ping"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (has_type(selectors, types[i])) return true;
    return has(selectors, SELECTOR_SEC_FETCH_DEST, "report") || is_sent(selectors, SELECTOR_PING_TO);
}

// Sec-Fetch fields go to https only, and not all browsers have them: without them it is no navigation by what
// it accepts.
static bool is_sent_away(const struct request_selectors *selectors) {
    if (!is_method(selectors, "POST")) return false;
    if (is_sent(selectors, SELECTOR_SEC_FETCH_DEST) && !has(selectors, SELECTOR_SEC_FETCH_DEST, "empty"))
        return false;
    return !is_sent(selectors, SELECTOR_ACCEPT) || has(selectors, SELECTOR_ACCEPT, "*/*");
}

static bool failed(const struct request_selectors *selectors, const struct recording *recording) {
    if (!recording->failures) return false;
    const struct match_request *match = &selectors->match;
    char host[MATCH_HOST_MAX];
    const size_t size = match_bare_host(match->host, match->host_size, host);
    return recorded_failures_has(recording->failures, host, in_clear_bare_size(host, size), match->path,
                                 match->path_size);
}

enum unrecorded unrecorded_kind(const struct request_selectors *selectors,
                                const struct recording *recording) {
    if (failed(selectors, recording)) return UNRECORDED_FAILED;
    if (is_sent_by_browser(selectors) || is_sent_away(selectors) || is_preflight(selectors))
        return UNRECORDED_REPORT;
    return UNRECORDED_OTHER;
}

static void add(struct header *headers, size_t *count, const char *name, const char *value, size_t size) {
    headers[(*count)++] =
        (struct header){.name = name, .value = value, .name_size = strlen(name), .value_size = size};
}

static void add_text(struct header *headers, size_t *count, const char *name, const char *value) {
    add(headers, count, name, value, strlen(value));
}

static void add_sent(struct header *headers, size_t *count, const char *name,
                     const struct request_selectors *selectors, enum selector_field field) {
    const struct request_selectors_text *sent = &selectors->fields[field];
    if (sent->text) add(headers, count, name, sent->text, sent->size);
}

size_t unrecorded_headers(enum unrecorded kind, const struct request_selectors *selectors,
                          struct header headers[UNRECORDED_HEADERS_MAX]) {
    size_t count = 0;
    add_text(headers, &count, "x-trilane", kind == UNRECORDED_REPORT ? "report" : "missed");
    add_text(headers, &count, "cache-control", "no-store");
    if (kind == UNRECORDED_OTHER) add_text(headers, &count, "content-type", "text/plain");
    if (!is_sent(selectors, SELECTOR_ORIGIN)) return count;
    add_sent(headers, &count, "access-control-allow-origin", selectors, SELECTOR_ORIGIN);
    add_text(headers, &count, "access-control-allow-credentials", "true");
    if (!is_preflight(selectors)) return count;
    add_sent(headers, &count, "access-control-allow-methods", selectors,
             SELECTOR_ACCESS_CONTROL_REQUEST_METHOD);
    add_sent(headers, &count, "access-control-allow-headers", selectors,
             SELECTOR_ACCESS_CONTROL_REQUEST_HEADERS);
    return count;
}
