#include "archive/recording_digest.h"

#include "archive/archive_writer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void add_bytes(struct recording_digest *digest, const char *bytes, size_t size) {
    uint8_t size_bytes[8];
    for (unsigned i = 0; i < sizeof size_bytes; i++)
        size_bytes[i] = (uint8_t)((uint64_t)size >> (56 - 8 * i));
    SHA256_Update(&digest->hash, size_bytes, sizeof size_bytes);
    SHA256_Update(&digest->hash, bytes, size);
}

static void add_text(struct recording_digest *digest, const char *text) {
    add_bytes(digest, text, strlen(text));
}

static void add_number(struct recording_digest *digest, uint64_t number) {
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)number);
    add_text(digest, text);
}

// In whole thousandths: a double's own digits would depend on who writes them.
static void add_time(struct recording_digest *digest, const json_t *time_ms) {
    const double time_us = json_number_value(time_ms) * 1000;
    if (json_is_number(time_ms) && time_us >= 0 && time_us < 1e15)
        add_number(digest, (uint64_t)llround(time_us));
    else
        add_text(digest, "");
}

// A text, or a whole number from 0.
static void add_known(struct recording_digest *digest, const json_t *value) {
    if (json_is_string(value))
        add_bytes(digest, json_string_value(value), json_string_length(value));
    else if (json_is_integer(value) && json_integer_value(value) >= 0)
        add_number(digest, (uint64_t)json_integer_value(value));
    else
        add_text(digest, "");
}

static void add_headers(struct recording_digest *digest, const json_t *headers) {
    add_number(digest, json_array_size(headers));
    size_t i;
    json_t *header;
    json_array_foreach(headers, i, header) {
        const json_t *name = json_array_get(header, 0), *value = json_array_get(header, 1);
        add_bytes(digest, json_string_value(name), json_string_length(name));
        add_bytes(digest, json_string_value(value), json_string_length(value));
    }
}

// Nothing where there are none, as before they were recorded.
static void add_hints(struct recording_digest *digest, const json_t *hints) {
    if (json_array_size(hints) == 0) return;
    add_text(digest, "early_hints");
    add_number(digest, json_array_size(hints));
    size_t i;
    json_t *hint;
    json_array_foreach(hints, i, hint) {
        add_time(digest, json_object_get(hint, "time_ms"));
        add_headers(digest, json_object_get(hint, "headers"));
    }
}

static void add_recorded(struct recording_digest *digest, const json_t *recorded) {
    const json_t *tls = json_object_get(recorded, "tls");
    const json_t *names = json_object_get(tls, "names");
    add_time(digest, json_object_get(recorded, "server_time_ms"));
    add_time(digest, json_object_get(recorded, "rtt_ms"));
    add_known(digest, json_object_get(recorded, "connection"));
    add_known(digest, json_object_get(tls, "chain_bytes"));
    add_known(digest, json_object_get(tls, "record_bytes"));
    add_known(digest, json_object_get(tls, "group"));
    add_number(digest, json_array_size(names));
    size_t i;
    json_t *name;
    json_array_foreach(names, i, name) add_known(digest, name);
    add_hints(digest, json_object_get(recorded, "early_hints"));
}

void recording_digest_start(struct recording_digest *digest, enum recording_digest_kind kind) {
    digest->kind = kind;
    SHA256_Init(&digest->hash);
    add_text(digest, kind == RECORDING_DIGEST_FIRST ? "trilane/recording/1" : "trilane/recording/2");
}

void recording_digest_add(struct recording_digest *digest, const struct archive_exchange *exchange,
                          const char *request_body_sha256, const char *body_sha256) {
    add_text(digest, exchange->method);
    add_text(digest, exchange->scheme);
    add_text(digest, exchange->host);
    add_number(digest, exchange->port);
    add_text(digest, exchange->path);
    add_text(digest, request_body_sha256);
    add_text(digest, exchange->address);
    add_number(digest, exchange->status);
    add_headers(digest, exchange->response_headers);
    add_text(digest, body_sha256);
    if (digest->kind != RECORDING_DIGEST_FIRST) add_recorded(digest, exchange->recorded);
}

void recording_digest_finish(struct recording_digest *digest, char hex[2 * SHA256_DIGEST_LENGTH + 1]) {
    uint8_t bytes[SHA256_DIGEST_LENGTH];
    SHA256_Final(bytes, &digest->hash);
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
}
