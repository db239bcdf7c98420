#include "replay/asked.h"

#include "archive/destination.h"

#include <stdlib.h>
#include <string.h>

static const char *const field_names[ASKED_FIELDS] = {
    [ASKED_ACCEPT_ENCODING] = "accept-encoding",
    [ASKED_IF_MATCH] = "if-match",
    [ASKED_IF_MODIFIED_SINCE] = "if-modified-since",
    [ASKED_IF_NONE_MATCH] = "if-none-match",
    [ASKED_IF_RANGE] = "if-range",
    [ASKED_IF_UNMODIFIED_SINCE] = "if-unmodified-since",
    [ASKED_RANGE] = "range",
    [ASKED_ACCEPT] = "accept",
    [ASKED_ACCESS_CONTROL_REQUEST_HEADERS] = "access-control-request-headers",
    [ASKED_ACCESS_CONTROL_REQUEST_METHOD] = "access-control-request-method",
    [ASKED_CONTENT_TYPE] = "content-type",
    [ASKED_ORIGIN] = "origin",
    [ASKED_PING_TO] = "ping-to",
    [ASKED_SEC_FETCH_DEST] = "sec-fetch-dest"};

static bool is_field(const struct header *header, const char *name) {
    return strlen(name) == header->name_size && memcmp(header->name, name, header->name_size) == 0;
}

// True for those headers that can be one of ours: a request has dozens of others.
static int field_of(const struct header *header) {
    if (header->name_size == 0 || !strchr("aciorps", header->name[0])) return -1;
    for (int i = 0; i < ASKED_FIELDS; i++)
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
static void keep_field(struct asked_text *kept, char **at, const struct exchange_request *request,
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

int asked_keep(struct asked *asked, const struct exchange_request *request) {
    size_t size = request->method_size + request->authority_size + request->path_size + 1;
    bool sent[ASKED_FIELDS] = {false};
    for (size_t i = 0; i < request->header_count; i++) {
        const int field = field_of(&request->headers[i]);
        if (field < 0) continue;
        sent[field] = true;
        size += request->headers[i].value_size + 2;
    }
    *asked = (struct asked){.text = malloc(size)};
    if (!asked->text) return -1;
    char *at = asked->text;
    asked->match = (struct match_request){.method = keep(&at, request->method, request->method_size),
                                          .method_size = request->method_size,
                                          .scheme = strcmp(request->scheme, "https") == 0 ? "https" : "http",
                                          .host = keep(&at, request->authority, request->authority_size),
                                          .host_size = request->authority_size,
                                          .path = keep(&at, request->path, request->path_size),
                                          .path_size = request->path_size};
    for (int i = 0; i < ASKED_FIELDS; i++)
        if (sent[i]) keep_field(&asked->fields[i], &at, request, i);
    asked->is_head = request->method_size == 4 && memcmp(request->method, "HEAD", 4) == 0;
    asked->is_get = request->method_size == 3 && memcmp(request->method, "GET", 3) == 0;
    return 0;
}

void asked_body(struct asked *asked, const void *bytes, size_t size) {
    if (size == 0) return;
    if (asked->body_bytes == 0) SHA256_Init(&asked->hash);
    SHA256_Update(&asked->hash, bytes, size);
    asked->body_bytes += size;
}

void asked_finish(struct asked *asked) {
    struct match_request *match = &asked->match;
    if (asked->body_bytes > 0) {
        SHA256_Final(asked->body_sha256, &asked->hash);
        match->body_sha256 = asked->body_sha256;
    }
    const struct asked_text *codings = &asked->fields[ASKED_ACCEPT_ENCODING];
    const struct asked_text *range = &asked->fields[ASKED_RANGE];
    match->wish.accepted = codings_accepted(codings->text, codings->size);
    match->wish.is_conditional =
        asked->fields[ASKED_IF_NONE_MATCH].text || asked->fields[ASKED_IF_MODIFIED_SINCE].text;
    const struct asked_text *dest = &asked->fields[ASKED_SEC_FETCH_DEST];
    const struct asked_text *accept = &asked->fields[ASKED_ACCEPT];
    match->destination = destination_of(dest->text, dest->size, accept->text, accept->size);
    // Ranges are defined for GET alone (RFC 9110, 14.2).
    match->wish.has_range =
        asked->is_get && range->text && range_parse(&match->wish.range, range->text, range->size);
}

void asked_free(struct asked *asked) {
    free(asked->text);
    asked->text = NULL;
}
