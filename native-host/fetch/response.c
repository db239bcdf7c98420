#include "fetch/response.h"

#include "base/clock.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { INTERIM_HEADS_MAX = 100 };

void response_begin(struct response *response, uint64_t max_body_bytes, void (*over)(void *context),
                    void *context) {
    *response = (struct response){
        .max_body_bytes = max_body_bytes, .over = over, .context = context, .declared_bytes = UINT64_MAX};
    SHA256_Init(&response->digest);
}

void response_free(struct response *response) {
    free(response->location);
    free(response->alt_svc);
    response->location = response->alt_svc = NULL;
}

static void end(struct response *response) {
    response->is_over = true;
    response->over(response->context);
}

void response_fail(struct response *response, enum fetch_stage stage, const char *reason, ...) {
    if (response->is_over) return;
    va_list arguments;
    va_start(arguments, reason);
    vsnprintf(response->reason, sizeof response->reason, reason, arguments);
    va_end(arguments);
    response->has_failed = true;
    response->failed_stage = stage;
    end(response);
}

void response_first_byte(struct response *response) {
    if (response->first_byte_ns == 0) response->first_byte_ns = clock_now_ns();
}

void response_head(struct response *response, int status, const char *version) {
    if (response->is_over) return;
    if (response->status >= 200) {
        response_fail(response, STAGE_RESPONSE, "it has a second status behind its head");
        return;
    }
    response_free(response);
    response->declared_bytes = UINT64_MAX;
    response->in_head = true;
    response->version = version;
    response->status = status;
    if (status < 100 || status > 999 || status == 101) {
        response->status = status == 101 ? 101 : 0;
        response_fail(response, STAGE_RESPONSE, "status %d is no answer to this request", status);
    } else if (status < 200 && ++response->interim_heads > INTERIM_HEADS_MAX) {
        response_fail(response, STAGE_RESPONSE, "it has more than %d interim responses (1xx)",
                      INTERIM_HEADS_MAX);
    }
}

void response_head_end(struct response *response) {
    response->in_head = false;
}

static bool is_name(const char *wanted, const void *name, size_t size) {
    return strlen(wanted) == size && strncasecmp(wanted, name, size) == 0;
}

// The first of several.
static void keep(char **place, const void *value, size_t size) {
    if (!*place) *place = strndup(value, size < RESPONSE_FIELD_KEPT ? size : RESPONSE_FIELD_KEPT);
}

static void declare(struct response *response, const char *value, size_t size) {
    uint64_t bytes = 0;
    bool good = size > 0 && size < 19;
    for (size_t i = 0; good && i < size; i++) {
        good = value[i] >= '0' && value[i] <= '9';
        bytes = 10 * bytes + (uint64_t)(value[i] - '0');
    }
    if (!good || (response->declared_bytes != UINT64_MAX && response->declared_bytes != bytes))
        response_fail(response, STAGE_RESPONSE, "content-length \"%.*s\" is no length",
                      (int)(size < 40 ? size : 40), value);
    response->declared_bytes = bytes;
}

void response_field(struct response *response, const void *name, size_t name_size, const void *value,
                    size_t value_size) {
    if (response->is_over) return;
    response->field_bytes += name_size + value_size;
    if (response->field_bytes > RESPONSE_FIELDS_MAX)
        response_fail(response, STAGE_RESPONSE, "its fields have more than %d bytes", RESPONSE_FIELDS_MAX);
    else if (!response->in_head)
        return;
    else if (is_name("location", name, name_size))
        keep(&response->location, value, value_size);
    else if (is_name("alt-svc", name, name_size))
        keep(&response->alt_svc, value, value_size);
    else if (is_name("content-length", name, name_size))
        declare(response, value, value_size);
}

void response_body(struct response *response, const void *bytes, size_t size) {
    if (response->is_over) return;
    if (response->status < 200) {
        response_fail(response, STAGE_RESPONSE, "a body came before its status");
        return;
    }
    SHA256_Update(&response->digest, bytes, size);
    response->body_bytes += size;
    if (response->body_bytes > response->declared_bytes)
        response_fail(response, STAGE_RESPONSE, "the body continues behind the %llu bytes of content-length",
                      (unsigned long long)response->declared_bytes);
    else if (response->body_bytes > response->max_body_bytes)
        response_fail(response, STAGE_RESPONSE,
                      "the body has more than the %llu bytes that --max-body allows",
                      (unsigned long long)response->max_body_bytes);
}

void response_end(struct response *response) {
    if (response->is_over) return;
    const uint64_t now_ns = clock_now_ns();
    const bool may_have_body = response->status != 204 && response->status != 304;
    if (response->status < 200)
        response_fail(response, STAGE_RESPONSE, "it ended before its status");
    else if (may_have_body && response->declared_bytes != UINT64_MAX &&
             response->body_bytes < response->declared_bytes)
        response_fail(response, STAGE_RESPONSE,
                      "the body ended after %llu of the %llu bytes of content-length",
                      (unsigned long long)response->body_bytes, (unsigned long long)response->declared_bytes);
    if (response->is_over) return;
    response->last_byte_ns = now_ns;
    SHA256_Final(response->sha256, &response->digest);
    end(response);
}
