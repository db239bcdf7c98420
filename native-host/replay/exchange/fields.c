#include "replay/exchange/fields.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// Offsets, since the text moves while it grows.
struct field_place {
    size_t name, name_size;
    size_t value, value_size;
};

void fields_free(struct fields *fields) {
    buf_free(&fields->text);
    free(fields->places);
    free(fields->headers);
    *fields = (struct fields){0};
}

int fields_add(struct fields *fields, const void *name, size_t name_size, const void *value,
               size_t value_size) {
    size_t at = buf_size(&fields->text);
    if (name_size > FIELDS_SIZE_MAX || value_size > FIELDS_SIZE_MAX ||
        at + name_size + value_size + 2 > FIELDS_SIZE_MAX)
        return -1;
    if (fields->count == fields->capacity) {
        size_t capacity = fields->capacity ? fields->capacity * 2 : 32;
        struct field_place *places = realloc(fields->places, capacity * sizeof *places);
        if (!places) return -1;
        fields->places = places;
        fields->capacity = capacity;
    }
    if (buf_reserve(&fields->text, name_size + value_size + 2) < 0) return -1;
    buf_add(&fields->text, name, name_size);
    buf_add(&fields->text, "", 1);
    buf_add(&fields->text, value, value_size);
    buf_add(&fields->text, "", 1);
    fields->places[fields->count++] = (struct field_place){at, name_size, at + name_size + 1, value_size};
    return 0;
}

static bool is(const struct header *header, const char *name) {
    return header->name_size == strlen(name) && memcmp(header->name, name, header->name_size) == 0;
}

static bool is_connection_specific(const struct header *header) {
    return is(header, "connection") || is(header, "keep-alive") || is(header, "proxy-connection") ||
           is(header, "transfer-encoding") || is(header, "upgrade");
}

// RFC 9110, 5.5: no control but HTAB, and no white space around it.
static bool is_field_value(const char *value, size_t size) {
    if (size > 0 &&
        (value[0] == ' ' || value[0] == '\t' || value[size - 1] == ' ' || value[size - 1] == '\t'))
        return false;
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)value[i];
        if ((c < ' ' && c != '\t') || c == 0x7f) return false;
    }
    return true;
}

static bool is_well_formed(const struct header *header) {
    if (header->name_size == 0) return false;
    for (size_t i = 0; i < header->name_size; i++) {
        unsigned char c = (unsigned char)header->name[i];
        if (c <= ' ' || c >= 0x7f || (c >= 'A' && c <= 'Z') || (c == ':' && i > 0)) return false;
    }
    if (!is_field_value(header->value, header->value_size)) return false;
    if (is(header, "te")) return header->value_size == 8 && memcmp(header->value, "trailers", 8) == 0;
    return !is_connection_specific(header);
}

static struct header header_at(struct fields *fields, size_t i) {
    const char *text = (const char *)buf_bytes(&fields->text);
    const struct field_place *place = &fields->places[i];
    return (struct header){text + place->name, text + place->value, place->name_size, place->value_size};
}

// Takes a pseudo-header; each may stand once.
static int take_pseudo(struct exchange_request *request, const struct header *header) {
    if (is(header, ":method") && !request->method) {
        request->method = header->value;
        request->method_size = header->value_size;
    } else if (is(header, ":scheme") && !request->scheme) {
        request->scheme = header->value;
    } else if (is(header, ":authority") && !request->authority) {
        request->authority = header->value;
        request->authority_size = header->value_size;
    } else if (is(header, ":path") && !request->path) {
        request->path = header->value;
        request->path_size = header->value_size;
    } else {
        return -1;
    }
    return 0;
}

static size_t size_without_port(const char *authority, size_t size, const char *port) {
    const size_t port_size = strlen(port);
    return size > port_size && memcmp(authority + size - port_size, port, port_size) == 0 ? size - port_size
                                                                                          : size;
}

// Whether each `host` names the request's authority (RFC 9113, 8.3.1; RFC 9114, 4.3.1), its default port
// written or not.
static bool hosts_agree(const struct exchange_request *request) {
    const char *port = strcmp(request->scheme, "https") == 0 ? ":443" : ":80";
    const size_t size = size_without_port(request->authority, request->authority_size, port);
    for (size_t i = 0; i < request->header_count; i++) {
        const struct header *host = &request->headers[i];
        if (!is(host, "host")) continue;
        if (size_without_port(host->value, host->value_size, port) != size ||
            strncasecmp(host->value, request->authority, size) != 0)
            return false;
    }
    return true;
}

// RFC 9113, 8.3.1; RFC 9114, 4.3.1.
static bool is_path(const struct exchange_request *request) {
    if (!request->path || request->path_size == 0) return false;
    if (request->path[0] == '/') return true;
    return request->path_size == 1 && request->path[0] == '*' && request->method_size == 7 &&
           memcmp(request->method, "OPTIONS", 7) == 0;
}

int fields_request(struct fields *fields, struct exchange_request *request) {
    *request = (struct exchange_request){0};
    free(fields->headers);
    fields->headers = calloc(fields->count + 1, sizeof *fields->headers);
    if (!fields->headers) return -1;
    const struct header *host = NULL;
    for (size_t i = 0; i < fields->count; i++) {
        const struct header header = header_at(fields, i);
        if (!is_well_formed(&header)) return -1;
        if (header.name[0] == ':') {
            if (request->header_count > 0 || take_pseudo(request, &header) < 0) return -1;
            continue;
        }
        fields->headers[request->header_count] = header;
        if (is(&header, "host")) host = &fields->headers[request->header_count];
        request->header_count++;
    }
    request->headers = fields->headers;
    if (!request->authority && host) {
        request->authority = host->value;
        request->authority_size = host->value_size;
    }
    bool known_scheme =
        request->scheme && (strcmp(request->scheme, "https") == 0 || strcmp(request->scheme, "http") == 0);
    return request->method && request->method_size > 0 && known_scheme && is_path(request) &&
                   request->authority && request->authority_size > 0 && hosts_agree(request)
               ? 0
               : -1;
}

bool fields_are_trailers(struct fields *fields) {
    for (size_t i = 0; i < fields->count; i++) {
        const struct header header = header_at(fields, i);
        if (header.name[0] == ':' || !is_well_formed(&header)) return false;
    }
    return true;
}

int fields_content_length(const struct exchange_request *request, uint64_t *size) {
    int found = 0;
    for (size_t i = 0; i < request->header_count; i++) {
        const struct header *header = &request->headers[i];
        if (!is(header, "content-length")) continue;
        if (found++ || header->value_size == 0) return -1;
        *size = 0;
        for (size_t at = 0; at < header->value_size; at++) {
            const unsigned digit = (unsigned)(header->value[at] - '0');
            if (digit > 9 || *size > (UINT64_MAX - digit) / 10) return -1;
            *size = *size * 10 + digit;
        }
    }
    return found;
}

const struct header *fields_find(const struct exchange_request *request, const char *name) {
    for (size_t i = request->header_count; i > 0; i--)
        if (is(&request->headers[i - 1], name)) return &request->headers[i - 1];
    return NULL;
}

static void list_add(struct response_fields *fields, const char *name, const char *value) {
    fields->list[fields->count++] = (struct header){name, value, strlen(name), strlen(value)};
}

static int begin_list(struct response_fields *fields, unsigned status, const struct header *headers,
                      size_t count) {
    *fields = (struct response_fields){.list = malloc((count + 2) * sizeof *fields->list)};
    if (!fields->list) return -1;
    snprintf(fields->status, sizeof fields->status, "%03u", status > 999 ? 500 : status);
    list_add(fields, ":status", fields->status);
    for (size_t i = 0; i < count; i++)
        if (headers[i].name[0] != ':' && !is_connection_specific(&headers[i]))
            fields->list[fields->count++] = headers[i];
    return 0;
}

int hint_fields_make(struct response_fields *fields, const struct recorded_hint *hint) {
    return begin_list(fields, 103, hint->headers, hint->header_count);
}

int response_fields_make(struct response_fields *fields, const struct exchange *exchange) {
    size_t count;
    const struct header *headers = exchange_headers(exchange, &count);
    if (begin_list(fields, exchange_status(exchange), headers, count) < 0) return -1;
    if (exchange_has_content_length(exchange)) {
        snprintf(fields->content_length, sizeof fields->content_length, "%llu",
                 (unsigned long long)exchange_content_length(exchange));
        list_add(fields, "content-length", fields->content_length);
    }
    return 0;
}

void response_fields_free(struct response_fields *fields) {
    free(fields->list);
    fields->list = NULL;
}
