// Messages about races. Holds the followers of a conversation; they end with it, races go on.
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

static const char *race_of(const json_t *message) {
    return json_string_value(json_object_get(message, "race"));
}

static void free_follower(struct follower *follower) {
    race_events_close(&follower->events);
    json_decref(follower->message);
    free(follower);
}

void followers_close(struct host *host) {
    while (host->followers.first) {
        struct follower *next = host->followers.first->next;
        free_follower(host->followers.first);
        host->followers.first = next;
    }
}

static int find(struct call *call, char folder[PATH_MAX]) {
    return job_find(folder, call->host->paths->home, kind, race_of(call->message), &call->error);
}

// ---- Starting ----

// Runs a job that has been made; ends it in any case.
static int run(struct call *call, struct job *job) {
    const json_t *message = call->message;
    const char *profile = json_string_value(json_object_get(message, "profile"));
    const char *page = json_string_value(json_object_get(message, "recording"));
    char path[PATH_MAX];
    struct command_words command = {0};
    int status = 0;
    // In the job's own folder it is the race's: it goes with its end, whatever becomes of the profile.
    if (profile) {
        status = profile_link(path, call->host->paths->home, profile, job->folder, &call->error);
        page = path;
    }
    if (status == 0) {
        race_command_make(&command, call->host->paths, page, message);
        status = job_run(job, queries_starter(call->host->queries), &command, &call->error);
    } else {
        job_drop(job);
    }
    command_words_free(&command);
    return status;
}

static int start(struct call *call) {
    const char *home = call->host->paths->home;
    const char *profile = json_string_value(json_object_get(call->message, "profile"));
    const json_t *options = json_object_get(call->message, "options");
    struct job job;
    if (race_command_check(call->message, &call->error) < 0 ||
        message_check_link(call->message, "link", &call->error) < 0 ||
        (profile && profile_find(home, profile, &call->error) < 0) ||
        child_command_check(call->host->paths->cli, &call->error) < 0 ||
        job_make(&job, home, kind, call->message, true, &call->error) < 0 || run(call, &job) < 0)
        return REFUSED;
    // The race continues without it; one that is left is a file to remove, and no reason to tell of no race.
    struct message_error left;
    if (profile && json_is_true(json_object_get(options, "forget_profile")))
        profile_remove(home, profile, &left);
    return done(call, json_pack("{s:s}", "race", job.id));
}

// ---- Following ----

static int follow(struct call *call) {
    if (call->host->followers.count == FOLLOWERS_MAX)
        return message_fail(&call->error, "too-many", "end one with race.unfollow", "races: %d are followed",
                            FOLLOWERS_MAX);
    struct follower *follower = calloc(1, sizeof *follower);
    if (!follower) return message_fail_memory(&call->error);
    follower->events.fd = -1;
    int status = find(call, follower->folder);
    if (status == 0 && race_events_open(&follower->events, follower->folder) < 0)
        status = message_fail_errno(&call->error, follower->folder);
    if (status < 0) {
        free_follower(follower);
        return REFUSED;
    }
    follower->message = json_incref((json_t *)(uintptr_t)call->message);
    follower->next = call->host->followers.first;
    call->host->followers.first = follower;
    call->host->followers.count++;
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
static int tell_news(const struct host *host, struct follower *follower, struct job_status *status) {
    const struct telling telling = {.answers = host->answers,
                                    .id = json_object_get(follower->message, "id"),
                                    .from = json_integer_value(json_object_get(follower->message, "from"))};
    // Looked at before the lines are read: all that an ended race has written is there by then.
    job_look(follower->folder, kind, status);
    return race_events_read(&follower->events, tell_line, (void *)(uintptr_t)&telling);
}

// Ends a follower, which stands at *link.
static int answer_follower(struct host *host, struct follower **link, const struct job_status *status) {
    struct follower *follower = *link;
    json_t *result = job_status_json(status), *sweep = json_null();
    if (follower->events.sweep > 0) sweep = json_integer(follower->events.sweep);
    int said = -1;
    if (result && json_object_set_new(result, "sweep", sweep) == 0)
        said = answers_done(host->answers, json_object_get(follower->message, "id"), result);
    json_decref(result);
    *link = follower->next;
    host->followers.count--;
    free_follower(follower);
    return said;
}

int followers_work(struct host *host) {
    for (struct follower **link = &host->followers.first; *link;) {
        struct job_status status;
        if (tell_news(host, *link, &status) < 0) return -1;
        if (status.state == JOB_RUNNING)
            link = &(*link)->next;
        else if (answer_follower(host, link, &status) < 0)
            return -1;
    }
    return 0;
}

static int unfollow(struct call *call) {
    for (struct follower **link = &call->host->followers.first; *link;) {
        if (strcmp(race_of((*link)->message), race_of(call->message)) != 0) {
            link = &(*link)->next;
            continue;
        }
        struct job_status status;
        job_look((*link)->folder, kind, &status);
        if (answer_follower(call->host, link, &status) < 0) return CONNECTION_LOST;
    }
    return done(call, json_object());
}

// ---- The rest ----

static int list(struct call *call) {
    json_t *races;
    if (job_list(&races, call->host->paths->home, kind, &call->error) < 0) return REFUSED;
    return done(call, json_pack("{s:o}", "races", races));
}

static int cancel(struct call *call) {
    char folder[PATH_MAX];
    if (find(call, folder) < 0 || job_cancel(folder, &call->error) < 0) return REFUSED;
    return done(call, json_object());
}

static int ignore_line(void *context, json_int_t number, json_t *line) {
    (void)context, (void)number, (void)line;
    return 0;
}

static int result(struct call *call) {
    char folder[PATH_MAX];
    struct race_events events;
    struct job_status status;
    if (find(call, folder) < 0) return REFUSED;
    job_look(folder, kind, &status);
    if (status.state == JOB_RUNNING)
        return message_fail(&call->error, "busy", "wait for its end with race.follow, or cancel it",
                            "race %s: is still running", race_of(call->message));
    if (race_events_open(&events, folder) < 0) return message_fail_errno(&call->error, folder);
    int read = race_events_read(&events, ignore_line, NULL);
    race_events_close(&events);
    if (read < 0) return message_fail_memory(&call->error);
    if (events.sweep <= 0)
        return message_fail(&call->error, "not-found", "see its error in race.list, and start it again",
                            "race %s: ended before its first load", race_of(call->message));
    char sweep[32], home[PATH_MAX + 8];
    snprintf(sweep, sizeof sweep, "%lld", (long long)events.sweep);
    snprintf(home, sizeof home, "--home=%s", call->host->paths->home);
    char *const words[] = {
        (char *)(uintptr_t)call->host->paths->cli, "export", sweep, "--format=race", home, NULL};
    if (queries_ask(call->host->queries, json_object_get(call->message, "id"), "race.result", words,
                    &call->error) < 0)
        return REFUSED;
    return ANSWERED;
}

static int forget(struct call *call) {
    char folder[PATH_MAX];
    if (find(call, folder) < 0 || job_remove(folder, kind, race_of(call->message), &call->error) < 0)
        return REFUSED;
    return done(call, json_object());
}

const struct message_handler race_handlers[] = {
    {"race.start", start},   {"race.follow", follow}, {"race.unfollow", unfollow}, {"race.list", list},
    {"race.cancel", cancel}, {"race.result", result}, {"race.remove", forget},     {NULL, NULL},
};
