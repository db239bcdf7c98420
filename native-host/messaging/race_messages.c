#include "messaging/race_messages.h"

#include "messaging/child_command.h"
#include "messaging/handled.h"
#include "messaging/jobs.h"
#include "messaging/message_rules.h"
#include "messaging/profile_store.h"
#include "messaging/race_command.h"
#include "messaging/race_events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FOLLOWERS_MAX = 16 };

static const char kind[] = "race";

struct follower {
    struct follower *next;
    json_t *message; // the race.follow
    char folder[PATH_MAX];
    struct race_events events;
};

struct race_conversation {
    const struct host_paths *paths;
    const struct answers *answers;
    struct queries *queries;
    struct follower *followers;
    int follower_count;
};

static const char *race_of(const json_t *message) {
    return json_string_value(json_object_get(message, "race"));
}

struct race_conversation *race_conversation_open(const struct host_paths *paths,
                                                 const struct answers *answers, struct queries *queries) {
    struct race_conversation *conversation = calloc(1, sizeof *conversation);
    if (conversation)
        *conversation = (struct race_conversation){.paths = paths, .answers = answers, .queries = queries};
    return conversation;
}

static void free_follower(struct follower *follower) {
    race_events_close(&follower->events);
    json_decref(follower->message);
    free(follower);
}

void race_conversation_close(struct race_conversation *conversation) {
    while (conversation->followers) {
        struct follower *next = conversation->followers->next;
        free_follower(conversation->followers);
        conversation->followers = next;
    }
    free(conversation);
}

static int find(const struct race_conversation *conversation, const json_t *message, char folder[PATH_MAX],
                struct message_error *error) {
    return job_find(folder, conversation->paths->home, kind, race_of(message), error);
}

// ---- Starting ----

// What was asked, to be told again in lists.
static json_t *request_of(const json_t *message) {
    json_t *request = json_copy((json_t *)(uintptr_t)message);
    json_object_del(request, "id");
    json_object_del(request, "type");
    return request;
}

// Runs a job that has been made; ends it in any case.
static int run(const struct race_conversation *conversation, const json_t *message, struct job *job,
               struct message_error *error) {
    const char *profile = json_string_value(json_object_get(message, "profile"));
    const char *page = json_string_value(json_object_get(message, "recording"));
    char path[PATH_MAX];
    struct race_command command;
    int status = 0;
    // In the job's own folder it is the race's: it goes with its end, whatever becomes of the profile.
    if (profile) {
        status = profile_link(path, conversation->paths->home, profile, job->folder, error);
        page = path;
    }
    if (status == 0 && race_command_make(&command, conversation->paths, page, message) < 0)
        status = message_fail_memory(error);
    if (status < 0) {
        job_drop(job);
        return -1;
    }
    status = job_run(job, queries_starter(conversation->queries), command.words, error);
    race_command_free(&command);
    return status;
}

static int start(const struct race_conversation *conversation, const json_t *message, struct job *job,
                 struct message_error *error) {
    json_t *request = request_of(message);
    if (!request) return message_fail_memory(error);
    int status = job_make(job, conversation->paths->home, kind, request, true, error);
    json_decref(request);
    return status < 0 ? -1 : run(conversation, message, job, error);
}

int race_message_start(struct race_conversation *conversation, const json_t *message, json_t **result,
                       struct message_error *error) {
    const char *home = conversation->paths->home;
    const char *profile = json_string_value(json_object_get(message, "profile"));
    const json_t *options = json_object_get(message, "options");
    struct job job;
    if (race_command_check(message, error) < 0 || message_check_link(message, "link", error) < 0 ||
        (profile && profile_find(home, profile, error) < 0) ||
        child_command_check(conversation->paths->cli, error) < 0 ||
        start(conversation, message, &job, error) < 0)
        return REFUSED;
    // The race goes on without it; one that is left is a file to remove, and no reason to tell of no race.
    struct message_error left;
    if (profile && json_is_true(json_object_get(options, "forget_profile")))
        profile_remove(home, profile, &left);
    return result_of(json_pack("{s:s}", "race", job.id), result, error);
}

// ---- Following ----

int race_message_follow(struct race_conversation *conversation, const json_t *message, json_t **result,
                        struct message_error *error) {
    (void)result;
    if (conversation->follower_count == FOLLOWERS_MAX)
        return message_fail(error, "too-many", "end one with race.unfollow", "races: %d are followed",
                            FOLLOWERS_MAX);
    struct follower *follower = calloc(1, sizeof *follower);
    if (!follower) return message_fail_memory(error);
    follower->events.fd = -1;
    int status = find(conversation, message, follower->folder, error);
    if (status == 0 && race_events_open(&follower->events, follower->folder) < 0)
        status = message_fail_errno(error, follower->folder);
    if (status < 0) {
        free_follower(follower);
        return REFUSED;
    }
    follower->message = json_incref((json_t *)(uintptr_t)message);
    follower->next = conversation->followers;
    conversation->followers = follower;
    conversation->follower_count++;
    return ANSWERED;
}

struct telling {
    const struct answers *answers;
    json_t *id;
    json_int_t from;
};

static int tell_line(void *context, json_int_t number, json_t *line) {
    const struct telling *telling = context;
    if (number < telling->from) return 0;
    json_t *fields = json_pack("{s:I, s:O}", "number", number, "line", line);
    int status = fields ? answers_event(telling->answers, telling->id, "line", fields) : -1;
    json_decref(fields);
    return status;
}

// What is new, and whether the race has ended. 0, or -1 when nothing can be said any more.
static int tell_news(const struct race_conversation *conversation, struct follower *follower,
                     struct job_status *status) {
    const struct telling telling = {.answers = conversation->answers,
                                    .id = json_object_get(follower->message, "id"),
                                    .from = json_integer_value(json_object_get(follower->message, "from"))};
    // Looked at before the lines are read: all that an ended race has written is there by then.
    job_look(follower->folder, kind, status);
    return race_events_read(&follower->events, tell_line, (void *)(uintptr_t)&telling);
}

// Ends a follower, which stands at *link.
static int answer_follower(struct race_conversation *conversation, struct follower **link,
                           const struct job_status *status) {
    struct follower *follower = *link;
    json_t *result = job_status_json(status), *sweep = json_null();
    if (follower->events.sweep > 0) sweep = json_integer(follower->events.sweep);
    int said = -1;
    if (result && json_object_set_new(result, "sweep", sweep) == 0)
        said = answers_done(conversation->answers, json_object_get(follower->message, "id"), result);
    json_decref(result);
    *link = follower->next;
    conversation->follower_count--;
    free_follower(follower);
    return said;
}

bool race_followed(const struct race_conversation *conversation) {
    return conversation->followers != NULL;
}

int race_work(struct race_conversation *conversation) {
    for (struct follower **link = &conversation->followers; *link;) {
        struct job_status status;
        if (tell_news(conversation, *link, &status) < 0) return -1;
        if (status.state == JOB_RUNNING)
            link = &(*link)->next;
        else if (answer_follower(conversation, link, &status) < 0)
            return -1;
    }
    return 0;
}

int race_message_unfollow(struct race_conversation *conversation, const json_t *message, json_t **result,
                          struct message_error *error) {
    for (struct follower **link = &conversation->followers; *link;) {
        if (strcmp(race_of((*link)->message), race_of(message)) != 0) {
            link = &(*link)->next;
            continue;
        }
        struct job_status status;
        job_look((*link)->folder, kind, &status);
        if (answer_follower(conversation, link, &status) < 0) return CONNECTION_LOST;
    }
    return result_of(json_object(), result, error);
}

// ---- The rest ----

int race_message_list(struct race_conversation *conversation, const json_t *message, json_t **result,
                      struct message_error *error) {
    json_t *races;
    (void)message;
    if (job_list(&races, conversation->paths->home, kind, error) < 0) return REFUSED;
    return result_of(json_pack("{s:o}", "races", races), result, error);
}

int race_message_cancel(struct race_conversation *conversation, const json_t *message, json_t **result,
                        struct message_error *error) {
    char folder[PATH_MAX];
    if (find(conversation, message, folder, error) < 0 || job_cancel(folder, error) < 0) return REFUSED;
    return result_of(json_object(), result, error);
}

static int ignore_line(void *context, json_int_t number, json_t *line) {
    (void)context, (void)number, (void)line;
    return 0;
}

int race_message_result(struct race_conversation *conversation, const json_t *message, json_t **result,
                        struct message_error *error) {
    char folder[PATH_MAX];
    struct race_events events;
    struct job_status status;
    (void)result;
    if (find(conversation, message, folder, error) < 0) return REFUSED;
    job_look(folder, kind, &status);
    if (status.state == JOB_RUNNING)
        return message_fail(error, "busy", "wait for its end with race.follow, or cancel it",
                            "race %s: is still running", race_of(message));
    if (race_events_open(&events, folder) < 0) return message_fail_errno(error, folder);
    int read = race_events_read(&events, ignore_line, NULL);
    race_events_close(&events);
    if (read < 0) return message_fail_memory(error);
    if (events.sweep <= 0)
        return message_fail(error, "not-found", "see its error in race.list, and start it again",
                            "race %s: ended before its first load", race_of(message));
    char sweep[32], home[PATH_MAX + 8];
    snprintf(sweep, sizeof sweep, "%lld", (long long)events.sweep);
    snprintf(home, sizeof home, "--home=%s", conversation->paths->home);
    char *const words[] = {
        (char *)(uintptr_t)conversation->paths->cli, "export", sweep, "--format=race", home, NULL};
    if (queries_ask(conversation->queries, json_object_get(message, "id"), "race.result", words, error) < 0)
        return REFUSED;
    return ANSWERED;
}

int race_message_remove(struct race_conversation *conversation, const json_t *message, json_t **result,
                        struct message_error *error) {
    char folder[PATH_MAX];
    if (find(conversation, message, folder, error) < 0 ||
        job_remove(folder, kind, race_of(message), error) < 0)
        return REFUSED;
    return result_of(json_object(), result, error);
}
