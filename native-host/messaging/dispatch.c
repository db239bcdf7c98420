#include "messaging/dispatch.h"

#include "base/debug.h"
#include "messaging/frame.h"
#include "messaging/handled.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int hello(struct call *call) {
    return done(call, json_pack("{s:s, s:s, s:[s, s, s, s, s, s]}", "version", TRILANE_VERSION, "schema",
                                "trilane/message/1", "features", "archive", "doctor", "lab", "links",
                                "profile", "race"));
}

// `trilane WHAT --json`.
static int ask(struct call *call, const char *what) {
    const struct host_paths *paths = call->host->paths;
    char home[PATH_MAX + 8];
    snprintf(home, sizeof home, "--home=%s", paths->home);
    char *const words[] = {(char *)(uintptr_t)paths->cli, (char *)(uintptr_t)what, "--json", home, NULL};
    const json_t *id = json_object_get(call->message, "id");
    return queries_ask(call->host->queries, (json_t *)(uintptr_t)id, what, words, &call->error) < 0
               ? REFUSED
               : ANSWERED;
}

static const struct message_handler own_handlers[] = {{"hello", hello}, {NULL, NULL}},
                                    *const all_handlers[] = {own_handlers, archive_handlers, profile_handlers,
                                                             race_handlers, lab_handlers};

struct host *host_open(const struct host_paths *paths, const struct answers *answers) {
    struct host *host = calloc(1, sizeof *host);
    if (!host) return NULL;
    host->paths = paths;
    host->answers = answers;
    host->rules = message_rules_open();
    host->queries = queries_open(answers, paths);
    if (host->rules && host->queries) return host;
    host_close(host);
    return NULL;
}

void host_close(struct host *host) {
    if (!host) return;
    if (host->rules) message_rules_close(host->rules);
    transactions_close(host);
    profile_uploads_close(host);
    followers_close(host);
    if (host->queries) queries_close(host->queries);
    free(host);
}

static bool is_id(const json_t *value) {
    return json_is_integer(value) && json_integer_value(value) >= 0 &&
           json_integer_value(value) <= INT64_C(9007199254740991);
}

static int handle(struct call *call) {
    const json_t *message = call->message;
    struct message_error *error = &call->error;
    if (!json_is_object(message)) return message_malformed(error, "message: must be an object");
    if (!is_id(json_object_get(message, "id")))
        return message_malformed(error, "message: `id` must be a number of 0 or more");
    const char *name = text_of(message, "type");
    if (!name) return message_malformed(error, "message: `type` must be a string");
    const struct message_type *type = message_types;
    while (type->name && strcmp(type->name, name) != 0)
        type++;
    if (!type->name) return message_malformed(error, "message: type \"%.60s\" is unknown", name);
    debug_line(messages, "%s", name);
    if (message_check(call->host->rules, type, message, error) < 0) return REFUSED;
    if (type->command) return ask(call, type->command);
    for (size_t i = 0; i < sizeof all_handlers / sizeof *all_handlers; i++)
        for (const struct message_handler *handler = all_handlers[i]; handler->name; handler++)
            if (strcmp(handler->name, name) == 0) return handler->handle(call);
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
    json_error_t where;
    json_t *id = NULL, *begun = NULL;
    json_t *message = json_loadb(bytes, size, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &where);
    struct call call = {.host = host, .message = message};
    int status;
    if (message)
        status = handle(&call);
    else if (json_error_code(&where) == json_error_invalid_utf8)
        status = message_malformed(&call.error, "message: is not UTF-8 (byte %d)", where.position);
    else
        status =
            message_malformed(&call.error, "message: is not JSON: %s (byte %d)", where.text, where.position);
    if (is_id(json_object_get(message, "id"))) id = json_object_get(message, "id");
    // Who sent it waits for an answer with its number, also where memory was short for the rest.
    if (!message) id = begun = id_at_start(bytes, size);
    int said = 0;
    if (status == HANDLED)
        said = answers_done(host->answers, id, call.result);
    else if (status == REFUSED)
        said = answers_error(host->answers, id, &call.error);
    else if (status == CONNECTION_LOST)
        said = -1;
    json_decref(begun);
    json_decref(call.result);
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
    return queries_under_way(host->queries) || host->followers.first;
}

int host_work(struct host *host) {
    return queries_work(host->queries) < 0 || followers_work(host) < 0 ? -1 : 0;
}
