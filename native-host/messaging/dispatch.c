#include "messaging/dispatch.h"

#include "messaging/archive_messages.h"
#include "messaging/frame.h"
#include "messaging/message_fields.h"

#include <stdlib.h>
#include <string.h>

struct host {
    struct archive_conversation *archive;
};

static int hello(struct host *host, const json_t *message, json_t **result, struct message_error *error) {
    (void)host, (void)message, (void)error;
    *result = json_pack("{s:s, s:[s]}", "version", TRILANE_VERSION, "features", "archive");
    return *result ? 0
                   : message_fail(error, "failed", "close other programs and try again", "not enough memory");
}

// Handlers of the archive's messages take its conversation; this is how they stand in one table with the
// others.
#define ARCHIVE_HANDLER(handler)                                                                             \
    static int host_##handler(struct host *host, const json_t *message, json_t **result,                     \
                              struct message_error *error) {                                                 \
        return handler(host->archive, message, result, error);                                               \
    }
ARCHIVE_HANDLER(archive_message_list)
ARCHIVE_HANDLER(archive_message_show)
ARCHIVE_HANDLER(archive_message_verify)
ARCHIVE_HANDLER(archive_message_read)
ARCHIVE_HANDLER(archive_message_begin)
ARCHIVE_HANDLER(archive_message_body)
ARCHIVE_HANDLER(archive_message_exchange)
ARCHIVE_HANDLER(archive_message_commit)
ARCHIVE_HANDLER(archive_message_abort)
ARCHIVE_HANDLER(archive_message_remove)

enum { FIELDS_MAX = 10 };

struct message_type {
    const char *name;
    int (*handle)(struct host *host, const json_t *message, json_t **result, struct message_error *error);
    struct message_field fields[FIELDS_MAX]; // those beside id and type; ends with a NULL name
};

static const char number[] = "a number of 0 or more";
static const char any_name[] = "a recording's name";
static const char base64[] = "bytes in base64, at least one";
static const char sha256[] = "a SHA-256 in lower-case hex";
static const char object[] = "an object";

static const struct message_type message_types[] = {
    {"hello", hello, {{0}}},
    {"archive.list", host_archive_message_list, {{"after", false, is_text, "a string"}}},
    {"archive.show",
     host_archive_message_show,
     {{"name", true, is_text_not_empty, any_name}, {"from", false, is_number, number}}},
    {"archive.verify",
     host_archive_message_verify,
     {{"name", true, is_text_not_empty, any_name}, {"from", false, is_number, number}}},
    {"archive.read",
     host_archive_message_read,
     {{"sha256", true, is_sha256, sha256}, {"from", false, is_number, number}}},
    {"archive.begin",
     host_archive_message_begin,
     {{"name", true, is_recording_name,
       "1 to 100 of the characters A-Z a-z 0-9 . _ -, the first a letter or digit"},
      {"url", true, is_page_url, "an absolute http or https URL"},
      {"source", true, is_text_not_empty, "a string that says where the recording comes from"},
      {"notes", true, is_object, object},
      {"replace", false, is_flag, "true or false"}}},
    {"archive.body",
     host_archive_message_body,
     {{"transaction", true, is_number, number},
      {"upload", true, is_number, number},
      {"data", true, is_base64, base64}}},
    {"archive.exchange",
     host_archive_message_exchange,
     {{"transaction", true, is_number, number},
      {"exchange", true, is_object, object},
      {"body", false, is_base64, base64},
      {"body_upload", false, is_number, number},
      {"body_sha256", false, is_sha256, sha256},
      {"request_body", false, is_base64, base64},
      {"request_body_upload", false, is_number, number},
      {"request_body_sha256", false, is_sha256, sha256}}},
    {"archive.commit",
     host_archive_message_commit,
     {{"transaction", true, is_number, number}, {"notes", false, is_object, object}}},
    {"archive.abort", host_archive_message_abort, {{"transaction", true, is_number, number}}},
    {"archive.remove", host_archive_message_remove, {{"name", true, is_text_not_empty, any_name}}},
};

struct host *host_open(const char *home) {
    struct host *host = calloc(1, sizeof *host);
    if (host && !(host->archive = archive_conversation_open(home))) {
        free(host);
        return NULL;
    }
    return host;
}

void host_close(struct host *host) {
    if (!host) return;
    archive_conversation_close(host->archive);
    free(host);
}

static bool is_type_name(const json_t *value) {
    return json_is_string(value);
}

// id and type are every message's; the type's own fields come from its table.
static int check_message(const json_t *message, const struct message_type *type,
                         struct message_error *error) {
    struct message_field fields[FIELDS_MAX + 2] = {{"id", true, is_number, number},
                                                   {"type", true, is_type_name, "a string"}};
    size_t count = 2;
    for (const struct message_field *field = type->fields; field->name; field++)
        fields[count++] = *field;
    return message_check_fields(message, type->name, fields, count, error);
}

static int handle(struct host *host, const json_t *message, json_t **result, struct message_error *error) {
    if (!json_is_object(message)) return message_malformed(error, "message: must be an object");
    if (!is_number(json_object_get(message, "id")))
        return message_malformed(error, "message: `id` must be %s", number);
    const char *name = json_string_value(json_object_get(message, "type"));
    if (!name) return message_malformed(error, "message: `type` must be a string");
    for (size_t i = 0; i < sizeof message_types / sizeof *message_types; i++) {
        const struct message_type *type = &message_types[i];
        if (strcmp(type->name, name) != 0) continue;
        if (check_message(message, type, error) < 0) return -1;
        return type->handle(host, message, result, error);
    }
    return message_malformed(error, "message: type \"%.60s\" is unknown", name);
}

// `id`: borrowed, NULL for null.
static char *error_answer(json_t *id, const struct message_error *error) {
    json_t *answer = json_pack("{s:O?, s:b, s:{s:s, s:s, s:s}}", "id", id, "ok", 0, "error", "code",
                               error->code, "message", error->message, "remedy", error->remedy);
    char *text = answer ? json_dumps(answer, JSON_COMPACT) : NULL;
    json_decref(answer);
    return text;
}

static char *done_answer(json_t *id, json_t *result) {
    json_t *answer = json_pack("{s:O, s:b}", "id", id, "ok", 1);
    char *text = NULL;
    if (answer && json_object_update(answer, result) == 0) text = json_dumps(answer, JSON_COMPACT);
    json_decref(answer);
    return text;
}

char *dispatch(struct host *host, const char *bytes, size_t size) {
    struct message_error error;
    json_error_t where;
    json_t *result = NULL, *id = NULL;
    json_t *message = json_loadb(bytes, size, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &where);
    char *text;
    int status;
    if (message)
        status = handle(host, message, &result, &error);
    else if (json_error_code(&where) == json_error_invalid_utf8)
        status = message_malformed(&error, "message: is not UTF-8 (byte %d)", where.position);
    else
        status = message_malformed(&error, "message: is not JSON: %s (byte %d)", where.text, where.position);
    if (is_number(json_object_get(message, "id"))) id = json_object_get(message, "id");
    text = status == 0 ? done_answer(id, result) : error_answer(id, &error);
    if (text && status == 0 && strlen(text) > FRAME_OUT_MAX) {
        free(text);
        message_fail(&error, "too-large", "ask for less", "the answer is larger than a message may be");
        text = error_answer(id, &error);
    }
    json_decref(result);
    json_decref(message);
    return text;
}

char *dispatch_unreadable(const char *message) {
    struct message_error error;
    message_malformed(&error, "%s", message);
    return error_answer(NULL, &error);
}
