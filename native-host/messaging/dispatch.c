#include "messaging/dispatch.h"

#include "messaging/archive_messages.h"
#include "messaging/frame.h"
#include "messaging/handled.h"
#include "messaging/lab_messages.h"
#include "messaging/message_fields.h"
#include "messaging/profile_messages.h"
#include "messaging/queries.h"
#include "messaging/race_messages.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct host {
    const struct host_paths *paths;
    const struct answers *answers;
    struct archive_conversation *archive;
    struct profile_conversation *profiles;
    struct queries *queries;
    struct race_conversation *races;
    struct lab_conversation labs;
};

static int hello(struct host *host, const json_t *message, json_t **result, struct message_error *error) {
    (void)host, (void)message;
    *result =
        json_pack("{s:s, s:s, s:[s, s, s, s, s, s]}", "version", TRILANE_VERSION, "schema",
                  "trilane/message/1", "features", "archive", "doctor", "lab", "links", "profile", "race");
    return *result ? HANDLED : message_fail_memory(error);
}

// `trilane WHAT --json`.
static int ask(struct host *host, const json_t *message, const char *what, struct message_error *error) {
    char home[PATH_MAX + 8];
    snprintf(home, sizeof home, "--home=%s", host->paths->home);
    char *const words[] = {(char *)(uintptr_t)host->paths->cli, (char *)(uintptr_t)what, "--json", home,
                           NULL};
    if (queries_ask(host->queries, json_object_get(message, "id"), what, words, error) < 0) return REFUSED;
    return ANSWERED;
}

static int doctor(struct host *host, const json_t *message, json_t **result, struct message_error *error) {
    (void)result;
    return ask(host, message, "doctor", error);
}

static int links(struct host *host, const json_t *message, json_t **result, struct message_error *error) {
    (void)result;
    return ask(host, message, "links", error);
}

// Handlers of an area take its part of the conversation; this is how they stand in one table.
#define AREA_HANDLER(part, handler)                                                                          \
    static int host_##handler(struct host *host, const json_t *message, json_t **result,                     \
                              struct message_error *error) {                                                 \
        return handler(part, message, result, error);                                                        \
    }
AREA_HANDLER(host->archive, archive_message_list)
AREA_HANDLER(host->archive, archive_message_show)
AREA_HANDLER(host->archive, archive_message_verify)
AREA_HANDLER(host->archive, archive_message_read)
AREA_HANDLER(host->archive, archive_message_begin)
AREA_HANDLER(host->archive, archive_message_body)
AREA_HANDLER(host->archive, archive_message_exchange)
AREA_HANDLER(host->archive, archive_message_commit)
AREA_HANDLER(host->archive, archive_message_abort)
AREA_HANDLER(host->archive, archive_message_remove)
AREA_HANDLER(host->profiles, profile_message_begin)
AREA_HANDLER(host->profiles, profile_message_data)
AREA_HANDLER(host->profiles, profile_message_commit)
AREA_HANDLER(host->profiles, profile_message_abort)
AREA_HANDLER(host->profiles, profile_message_list)
AREA_HANDLER(host->profiles, profile_message_get)
AREA_HANDLER(host->profiles, profile_message_remove)
AREA_HANDLER(host->races, race_message_start)
AREA_HANDLER(host->races, race_message_follow)
AREA_HANDLER(host->races, race_message_unfollow)
AREA_HANDLER(host->races, race_message_list)
AREA_HANDLER(host->races, race_message_cancel)
AREA_HANDLER(host->races, race_message_result)
AREA_HANDLER(host->races, race_message_remove)
AREA_HANDLER(&host->labs, lab_message_start)
AREA_HANDLER(&host->labs, lab_message_steer)
AREA_HANDLER(&host->labs, lab_message_stop)
AREA_HANDLER(&host->labs, lab_message_list)

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
static const char made[] = "an id that the host made";
static const char lanes[] = "an array of lanes, each once";
static const char lane[] = "a lane";
static const char link[] = "a link that names no file";
static const char recording[] = "1 to 100 of the characters A-Z a-z 0-9 . _ -, the first a letter or digit";

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
     {{"name", true, is_recording_name, recording},
      {"url", true, is_page_url, "an absolute http or https URL"},
      {"source", true, is_text_not_empty, "a string that says where the recording comes from"},
      {"recorded_at", false, is_time, "a time in UTC, as 2024-02-29T23:59:59Z"},
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
    {"doctor", doctor, {{0}}},
    {"links", links, {{0}}},
    {"profile.begin",
     host_profile_message_begin,
     {{"name", true, is_label, "a string of 1 to 300 characters"}, {"bytes", false, is_number, number}}},
    {"profile.data",
     host_profile_message_data,
     {{"upload", true, is_number, number}, {"text", true, is_text_not_empty, "a string that is not empty"}}},
    {"profile.commit", host_profile_message_commit, {{"upload", true, is_number, number}}},
    {"profile.abort", host_profile_message_abort, {{"upload", true, is_number, number}}},
    {"profile.list", host_profile_message_list, {{"after", false, is_made, made}}},
    {"profile.get", host_profile_message_get, {{"profile", true, is_made, made}}},
    {"profile.remove", host_profile_message_remove, {{"profile", true, is_made, made}}},
    {"race.start",
     host_race_message_start,
     {{"profile", false, is_made, made},
      {"recording", false, is_recording_name, recording},
      {"lanes", true, is_lanes, lanes},
      {"link", true, is_link, link},
      {"runs", true, is_runs, "a number from 1 to 1000"},
      {"options", false, is_object, object}}},
    {"race.follow",
     host_race_message_follow,
     {{"race", true, is_made, made}, {"from", false, is_number, number}}},
    {"race.unfollow", host_race_message_unfollow, {{"race", true, is_made, made}}},
    {"race.list", host_race_message_list, {{0}}},
    {"race.cancel", host_race_message_cancel, {{"race", true, is_made, made}}},
    {"race.result", host_race_message_result, {{"race", true, is_made, made}}},
    {"race.remove", host_race_message_remove, {{"race", true, is_made, made}}},
    {"lab.start",
     host_lab_message_start,
     {{"link", true, is_link, link},
      {"lane", true, is_lane, lane},
      {"recording", true, is_recording_name, recording}}},
    {"lab.steer", host_lab_message_steer, {{"lab", true, is_made, made}, {"change", true, is_link, link}}},
    {"lab.stop", host_lab_message_stop, {{"lab", true, is_made, made}}},
    {"lab.list", host_lab_message_list, {{0}}},
};

struct host *host_open(const struct host_paths *paths, const struct answers *answers) {
    struct host *host = calloc(1, sizeof *host);
    if (!host) return NULL;
    host->paths = paths;
    host->answers = answers;
    host->archive = archive_conversation_open(paths->home);
    host->profiles = profile_conversation_open(paths->home, answers);
    host->queries = queries_open(answers);
    host->races = host->queries ? race_conversation_open(paths, answers, host->queries) : NULL;
    host->labs = (struct lab_conversation){.paths = paths, .queries = host->queries};
    if (host->archive && host->profiles && host->races) return host;
    host_close(host);
    return NULL;
}

void host_close(struct host *host) {
    if (!host) return;
    if (host->archive) archive_conversation_close(host->archive);
    if (host->profiles) profile_conversation_close(host->profiles);
    if (host->races) race_conversation_close(host->races);
    if (host->queries) queries_close(host->queries);
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

int dispatch(struct host *host, const char *bytes, size_t size) {
    struct message_error error;
    json_error_t where;
    json_t *result = NULL, *id = NULL;
    json_t *message = json_loadb(bytes, size, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &where);
    int status;
    if (message)
        status = handle(host, message, &result, &error);
    else if (json_error_code(&where) == json_error_invalid_utf8)
        status = message_malformed(&error, "message: is not UTF-8 (byte %d)", where.position);
    else
        status = message_malformed(&error, "message: is not JSON: %s (byte %d)", where.text, where.position);
    if (is_number(json_object_get(message, "id"))) id = json_object_get(message, "id");
    int said = 0;
    if (status == HANDLED)
        said = answers_done(host->answers, id, result);
    else if (status == REFUSED)
        said = answers_error(host->answers, id, &error);
    else if (status == SPEECHLESS)
        said = -1;
    json_decref(result);
    json_decref(message);
    return said;
}

// The id of a message that begins with it, as those of the extension and the command line do; NULL where it
// does not.
static json_t *id_at_start(const char *start, size_t size) {
    char text[64];
    long long id;
    char after;
    snprintf(text, sizeof text, "%.*s", (int)(size < sizeof text ? size : sizeof text - 1), start);
    if (sscanf(text, " { \"id\" : %15lld %c", &id, &after) != 2 || after != ',' || id < 0) return NULL;
    return json_integer(id);
}

int dispatch_too_large(struct host *host, const char *start, size_t start_size, size_t size) {
    struct message_error error;
    message_fail(&error, "too-large", "send it in pieces", "message: has %zu bytes (at most %d)", size,
                 FRAME_TAKEN_MAX);
    json_t *id = id_at_start(start, start_size);
    int said = answers_error(host->answers, id, &error);
    json_decref(id);
    return said;
}

int dispatch_unreadable(struct host *host, const char *message) {
    struct message_error error;
    message_malformed(&error, "%s", message);
    return answers_error(host->answers, NULL, &error);
}

bool host_works(const struct host *host) {
    return queries_under_way(host->queries) || race_followed(host->races);
}

int host_work(struct host *host) {
    return queries_work(host->queries) < 0 || race_work(host->races) < 0 ? -1 : 0;
}
