#include "replay/exchange/request_selectors.h"

#include "archive/destination.h"

#include <stdlib.h>
#include <string.h>

static const char *const field_names[SELECTOR_FIELDS] = {
    [SELECTOR_ACCEPT_ENCODING] = "accept-encoding",
    [SELECTOR_IF_MATCH] = "if-match",
    [SELECTOR_IF_MODIFIED_SINCE] = "if-modified-since",
    [SELECTOR_IF_NONE_MATCH] = "if-none-match",
    [SELECTOR_IF_RANGE] = "if-range",
    [SELECTOR_IF_UNMODIFIED_SINCE] = "if-unmodified-since",
    [SELECTOR_RANGE] = "range",
    [SELECTOR_ACCEPT] = "accept",
    [SELECTOR_ACCESS_CONTROL_REQUEST_HEADERS] = "access-control-request-headers",
    [SELECTOR_ACCESS_CONTROL_REQUEST_METHOD] = "access-control-request-method",
    [SELECTOR_CONTENT_TYPE] = "content-type",
    [SELECTOR_ORIGIN] = "origin",
    [SELECTOR_PING_TO] = "ping-to",
    [SELECTOR_SEC_FETCH_DEST] = "sec-fetch-dest"};

static bool is_field(const struct header *header, const char *name) {
    return strlen(name) == header->name_size && memcmp(header->name, name, header->name_size) == 0;
}

// True for those headers that can be one of ours: a request has dozens of others.
static int field_of(const struct header *header) {
    if (header->name_size == 0 || !strchr("aciorps", header->name[0])) return -1;
    for (int i = 0; i < SELECTOR_FIELDS; i++)
        if (is_field(header, field_names[i])) return i;
    return -1;
}

static const char *keep(char **at, const char *bytes, size_t size) {
    char *copy = *at;
    if (size > 0) memcpy(copy, bytes, size);
    *at += size;
    return copy;
}

// All lines of one field, joined.
static void keep_field(struct request_selectors_text *kept, char **at, const struct exchange_request *request,
                       int field) {
    for (size_t i = 0; i < request->header_count; i++) {
        const struct header *header = &request->headers[i];
        if (field_of(header) != field) continue;
        if (kept->text) {
            keep(at, ", ", 2);
            kept->size += 2;
        }
        const char *value = keep(at, header->value, header->value_size);
        if (!kept->text) kept->text = value;
        kept->size += header->value_size;
    }
}

int request_selectors_keep(struct request_selectors *selectors, const struct exchange_request *request) {
    size_t size = request->method_size + request->authority_size + request->path_size + 1;
    bool sent[SELECTOR_FIELDS] = {false};
    for (size_t i = 0; i < request->header_count; i++) {
        const int field = field_of(&request->headers[i]);
        if (field < 0) continue;
        sent[field] = true;
        size += request->headers[i].value_size + 2;
    }
    *selectors = (struct request_selectors){.text = malloc(size)};
    if (!selectors->text) return -1;
    char *at = selectors->text;
    selectors->match =
        (struct match_request){.method = keep(&at, request->method, request->method_size),
                               .method_size = request->method_size,
                               .scheme = strcmp(request->scheme, "https") == 0 ? "https" : "http",
                               .host = keep(&at, request->authority, request->authority_size),
                               .host_size = request->authority_size,
                               .path = keep(&at, request->path, request->path_size),
                               .path_size = request->path_size};
    for (int i = 0; i < SELECTOR_FIELDS; i++)
        if (sent[i]) keep_field(&selectors->fields[i], &at, request, i);
    selectors->is_head = request->method_size == 4 && memcmp(request->method, "HEAD", 4) == 0;
    selectors->is_get = request->method_size == 3 && memcmp(request->method, "GET", 3) == 0;
    return 0;
}

void request_selectors_body(struct request_selectors *selectors, const void *bytes, size_t size) {
    if (size == 0) return;
    if (selectors->body_bytes == 0) SHA256_Init(&selectors->hash);
    SHA256_Update(&selectors->hash, bytes, size);
    selectors->body_bytes += size;
}

void request_selectors_finish(struct request_selectors *selectors) {
    struct match_request *match = &selectors->match;
    if (selectors->body_bytes > 0) {
        SHA256_Final(selectors->body_sha256, &selectors->hash);
        match->body_sha256 = selectors->body_sha256;
    }
    const struct request_selectors_text *codings = &selectors->fields[SELECTOR_ACCEPT_ENCODING];
    const struct request_selectors_text *range = &selectors->fields[SELECTOR_RANGE];
    match->wish.accepted = codings_accepted(codings->text, codings->size);
    match->wish.is_conditional =
        selectors->fields[SELECTOR_IF_NONE_MATCH].text || selectors->fields[SELECTOR_IF_MODIFIED_SINCE].text;
    const struct request_selectors_text *dest = &selectors->fields[SELECTOR_SEC_FETCH_DEST];
    const struct request_selectors_text *accept = &selectors->fields[SELECTOR_ACCEPT];
    match->destination = destination_of(dest->text, dest->size, accept->text, accept->size);
    // Ranges are defined for GET alone (RFC 9110, 14.2).
    match->wish.has_range =
        selectors->is_get && range->text && range_parse(&match->wish.range, range->text, range->size);
}

void request_selectors_free(struct request_selectors *selectors) {
    free(selectors->text);
    selectors->text = NULL;
}
