#include "replay/h1/h1_request.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

void h1_request_free(struct h1_request *request) {
    buf_free(&request->text);
    free(request->fields);
    free(request->headers);
    *request = (struct h1_request){0};
}

void h1_request_clear(struct h1_request *request) {
    buf_drain(&request->text, buf_size(&request->text));
    free(request->headers);
    request->headers = NULL;
    request->target_size = 0;
    request->field_count = 0;
    request->in_value = false;
}

static int add(struct h1_request *request, const char *bytes, size_t size) {
    if (buf_size(&request->text) + size > H1_HEAD_BYTES_MAX) return -1;
    return buf_add(&request->text, bytes, size);
}

int h1_request_target(struct h1_request *request, const char *bytes, size_t size) {
    if (add(request, bytes, size) < 0) return -1;
    request->target_size += size;
    return 0;
}

int h1_request_name(struct h1_request *request, const char *bytes, size_t size) {
    if (request->field_count == 0 || request->in_value) {
        if (request->field_count == H1_HEADERS_MAX) return -1;
        if (!request->fields) request->fields = calloc(H1_HEADERS_MAX, sizeof *request->fields);
        if (!request->fields) return -1;
        request->fields[request->field_count++] = (struct h1_field){.name = buf_size(&request->text)};
        request->in_value = false;
    }
    if (add(request, bytes, size) < 0) return -1;
    request->fields[request->field_count - 1].name_size += size;
    return 0;
}

int h1_request_value(struct h1_request *request, const char *bytes, size_t size) {
    if (request->field_count == 0) return -1;
    struct h1_field *field = &request->fields[request->field_count - 1];
    if (!request->in_value) field->value = buf_size(&request->text);
    request->in_value = true;
    if (add(request, bytes, size) < 0) return -1;
    field->value_size += size;
    return 0;
}

static bool is(const struct header *header, const char *name) {
    return header->name_size == strlen(name) && memcmp(header->name, name, header->name_size) == 0;
}

// A target is a path, an absolute URL (as to a proxy: its authority wins over Host) or "*".
static const char *split_target(const char *target, size_t size, struct exchange_request *out) {
    static const char *const schemes[] = {"http://", "https://"};
    out->path = target;
    out->path_size = size;
    if (size > 0 && (target[0] == '/' || (size == 1 && target[0] == '*'))) return NULL;
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        size_t scheme_size = strlen(schemes[i]);
        if (size <= scheme_size || strncasecmp(target, schemes[i], scheme_size) != 0) continue;
        const char *authority = target + scheme_size;
        size_t rest = size - scheme_size;
        size_t end = 0;
        while (end < rest && authority[end] != '/' && authority[end] != '?')
            end++;
        if (end == 0) break;
        out->authority = authority;
        out->authority_size = end;
        out->path = end < rest ? authority + end : "/";
        out->path_size = end < rest ? rest - end : 1;
        return out->path[0] == '/' ? NULL : "a target without path";
    }
    return "a target that is neither path nor URL";
}

const char *h1_request_finish(struct h1_request *request, bool http_1_0, const char *default_authority,
                              struct exchange_request *out) {
    free(request->headers);
    request->headers = calloc(request->field_count + 1, sizeof *request->headers);
    if (!request->headers) return "memory is short";
    char *text = (char *)buf_bytes(&request->text);
    const struct header *host = NULL;
    for (size_t i = 0; i < request->field_count; i++) {
        const struct h1_field *field = &request->fields[i];
        for (size_t c = 0; c < field->name_size; c++) {
            char *letter = &text[field->name + c];
            if (*letter >= 'A' && *letter <= 'Z') *letter = (char)(*letter - 'A' + 'a');
        }
        struct header *header = &request->headers[i];
        *header =
            (struct header){text + field->name, text + field->value, field->name_size, field->value_size};
        while (header->value_size > 0 && strchr(" \t", header->value[header->value_size - 1]))
            header->value_size--;
        if (!is(header, "host")) continue;
        if (host) return "two Host headers";
        host = header;
    }
    out->headers = request->headers;
    out->header_count = request->field_count;
    const char *wrong = split_target(text, request->target_size, out);
    if (wrong) return wrong;
    if (!host && !http_1_0) return "no Host header";
    if (out->authority) return NULL;
    out->authority = host ? host->value : default_authority;
    out->authority_size = host ? host->value_size : strlen(default_authority);
    return NULL;
}

bool h1_request_expects_continue(const struct exchange_request *request) {
    static const char wanted[] = "100-continue";
    for (size_t i = 0; i < request->header_count; i++) {
        const struct header *header = &request->headers[i];
        if (is(header, "expect") && header->value_size == sizeof wanted - 1 &&
            strncasecmp(header->value, wanted, sizeof wanted - 1) == 0)
            return true;
    }
    return false;
}
