#include "messaging/dispatch.h"

#include "base/debug.h"
#include "messaging/archive_messages.h"
#include "messaging/frame.h"
#include "messaging/handled.h"
#include "messaging/lab_messages.h"
#include "messaging/message_rules.h"
#include "messaging/profile_messages.h"
#include "messaging/queries.h"
#include "messaging/race_messages.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct host {
    const struct host_paths *paths;
    struct message_rules *rules;
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

// Messages that no command answers, each with its part of the conversation and its handler.
#define HANDLED_MESSAGES(MESSAGE)                                                                            \
    MESSAGE("archive.list", host->archive, archive_message_list)                                             \
    MESSAGE("archive.show", host->archive, archive_message_show)                                             \
    MESSAGE("archive.verify", host->archive, archive_message_verify)                                         \
    MESSAGE("archive.read", host->archive, archive_message_read)                                             \
    MESSAGE("archive.begin", host->archive, archive_message_begin)                                           \
    MESSAGE("archive.body", host->archive, archive_message_body)                                             \
    MESSAGE("archive.exchange", host->archive, archive_message_exchange)                                     \
    MESSAGE("archive.commit", host->archive, archive_message_commit)                                         \
    MESSAGE("archive.abort", host->archive, archive_message_abort)                                           \
    MESSAGE("archive.remove", host->archive, archive_message_remove)                                         \
    MESSAGE("profile.begin", host->profiles, profile_message_begin)                                          \
    MESSAGE("profile.data", host->profiles, profile_message_data)                                            \
    MESSAGE("profile.commit", host->profiles, profile_message_commit)                                        \
    MESSAGE("profile.abort", host->profiles, profile_message_abort)                                          \
    MESSAGE("profile.list", host->profiles, profile_message_list)                                            \
    MESSAGE("profile.get", host->profiles, profile_message_get)                                              \
    MESSAGE("profile.remove", host->profiles, profile_message_remove)                                        \
    MESSAGE("race.start", host->races, race_message_start)                                                   \
    MESSAGE("race.follow", host->races, race_message_follow)                                                 \
    MESSAGE("race.unfollow", host->races, race_message_unfollow)                                             \
    MESSAGE("race.list", host->races, race_message_list)                                                     \
    MESSAGE("race.cancel", host->races, race_message_cancel)                                                 \
    MESSAGE("race.result", host->races, race_message_result)                                                 \
    MESSAGE("race.remove", host->races, race_message_remove)                                                 \
    MESSAGE("lab.start", &host->labs, lab_message_start)                                                     \
    MESSAGE("lab.steer", &host->labs, lab_message_steer)                                                     \
    MESSAGE("lab.stop", &host->labs, lab_message_stop)                                                       \
    MESSAGE("lab.list", &host->labs, lab_message_list)

#define HANDLER(name, part, handler)                                                                         \
    static int host_##handler(struct host *host, const json_t *message, json_t **result,                     \
                              struct message_error *error) {                                                 \
        return handler(part, message, result, error);                                                        \
    }
HANDLED_MESSAGES(HANDLER)

struct handler {
    const char *name;
    int (*handle)(struct host *host, const json_t *message, json_t **result, struct message_error *error);
};

#define ROW(name, part, handler) {name, host_##handler},
static const struct handler handlers[] = {{"hello", hello}, HANDLED_MESSAGES(ROW)};

struct host *host_open(const struct host_paths *paths, const struct answers *answers) {
    struct host *host = calloc(1, sizeof *host);
    if (!host) return NULL;
    host->paths = paths;
    host->answers = answers;
    host->rules = message_rules_open();
    host->archive = archive_conversation_open(paths->home);
    host->profiles = profile_conversation_open(paths->home, answers);
    host->queries = queries_open(answers, paths);
    host->races = host->queries ? race_conversation_open(paths, answers, host->queries) : NULL;
    host->labs = (struct lab_conversation){.paths = paths, .queries = host->queries};
    if (host->rules && host->archive && host->profiles && host->races) return host;
    host_close(host);
    return NULL;
}

void host_close(struct host *host) {
    if (!host) return;
    if (host->rules) message_rules_close(host->rules);
    if (host->archive) archive_conversation_close(host->archive);
    if (host->profiles) profile_conversation_close(host->profiles);
    if (host->races) race_conversation_close(host->races);
    if (host->queries) queries_close(host->queries);
    free(host);
}

static bool is_id(const json_t *value) {
    return json_is_integer(value) && json_integer_value(value) >= 0 &&
           json_integer_value(value) <= INT64_C(9007199254740991);
}

static int handle(struct host *host, const json_t *message, json_t **result, struct message_error *error) {
    if (!json_is_object(message)) return message_malformed(error, "message: must be an object");
    if (!is_id(json_object_get(message, "id")))
        return message_malformed(error, "message: `id` must be a number of 0 or more");
    const char *name = json_string_value(json_object_get(message, "type"));
    if (!name) return message_malformed(error, "message: `type` must be a string");
    const struct message_type *type = message_types;
    while (type->name && strcmp(type->name, name) != 0)
        type++;
    if (!type->name) return message_malformed(error, "message: type \"%.60s\" is unknown", name);
    debug_line(messages, "%s", name);
    if (message_check(host->rules, type, message, error) < 0) return REFUSED;
    if (type->command) return ask(host, message, type->command, error);
    for (size_t i = 0; i < sizeof handlers / sizeof *handlers; i++)
        if (strcmp(handlers[i].name, name) == 0) return handlers[i].handle(host, message, result, error);
    return message_malformed(error, "message: nothing answers \"%s\" here", name);
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

int dispatch(struct host *host, const char *bytes, size_t size) {
    struct message_error error;
    json_error_t where;
    json_t *result = NULL, *id = NULL, *begun = NULL;
    json_t *message = json_loadb(bytes, size, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &where);
    int status;
    if (message)
        status = handle(host, message, &result, &error);
    else if (json_error_code(&where) == json_error_invalid_utf8)
        status = message_malformed(&error, "message: is not UTF-8 (byte %d)", where.position);
    else
        status = message_malformed(&error, "message: is not JSON: %s (byte %d)", where.text, where.position);
    if (is_id(json_object_get(message, "id"))) id = json_object_get(message, "id");
    // Who sent it waits for an answer with its number, also where memory was short for the rest.
    if (!message) id = begun = id_at_start(bytes, size);
    int said = 0;
    if (status == HANDLED)
        said = answers_done(host->answers, id, result);
    else if (status == REFUSED)
        said = answers_error(host->answers, id, &error);
    else if (status == CONNECTION_LOST)
        said = -1;
    json_decref(begun);
    json_decref(result);
    json_decref(message);
    return said;
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
