// Messages about labs: pages open in a browser behind a link. Keeps nothing: a lab is a job.
#include "messaging/handled.h"

#include "messaging/child_command.h"
#include "messaging/job_supervisor.h"
#include "messaging/jobs.h"
#include "messaging/message_rules.h"
#include "messaging/race_events.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

static const char kind[] = "lab";

// The lab's control socket. The kernel's names of sockets are short.
static int socket_path(char path[sizeof((struct sockaddr_un *)0)->sun_path], const char *folder,
                       struct message_error *error) {
    size_t size = sizeof((struct sockaddr_un *)0)->sun_path;
    if ((size_t)snprintf(path, size, "%s/%s", folder, job_link_name) < size) return 0;
    return message_fail(error, "failed", "choose a data folder with a shorter path, with --home",
                        "%.300s: its path is too long for a socket", folder);
}

static int run(struct call *call, struct job *job) {
    const json_t *message = call->message;
    char control[sizeof((struct sockaddr_un *)0)->sun_path];
    if (socket_path(control, job->folder, &call->error) < 0) {
        job_drop(job);
        return -1;
    }
    struct command_words command = {0};
    command_words_add(&command, "%s", call->host->paths->cli);
    command_words_add(&command, "open");
    command_words_add(&command, "%s", text_of(message, "recording"));
    command_words_add(&command, "--json");
    command_words_add(&command, "--home=%s", call->host->paths->home);
    command_words_add(&command, "--lane=%s", text_of(message, "lane"));
    command_words_add(&command, "--link=%s", text_of(message, "link"));
    command_words_add(&command, "--control=%s", control);
    int status = job_run(job, queries_starter(call->host->queries), &command, &call->error);
    command_words_free(&command);
    return status;
}

static int start(struct call *call) {
    struct job job;
    if (message_check_link(call->message, "link", &call->error) < 0 ||
        child_command_check(call->host->paths->cli, &call->error) < 0 ||
        job_make(&job, call->host->paths->home, kind, call->message, false, &call->error) < 0 ||
        run(call, &job) < 0)
        return REFUSED;
    return done(call, json_pack("{s:s}", "lab", job.id));
}

static int steer(struct call *call) {
    char folder[PATH_MAX], control[sizeof((struct sockaddr_un *)0)->sun_path];
    struct job_status status;
    if (message_check_link(call->message, "change", &call->error) < 0 ||
        job_find(folder, call->host->paths->home, kind, text_of(call->message, "lab"), &call->error) < 0 ||
        socket_path(control, folder, &call->error) < 0)
        return REFUSED;
    job_look(folder, kind, &status);
    if (status.state != JOB_RUNNING)
        return message_fail(&call->error, "not-found", "start another with lab.start", "lab %s: has ended",
                            text_of(call->message, "lab"));
    char *const words[] = {(char *)(uintptr_t)call->host->paths->cli,           "steer", "--json", control,
                           (char *)(uintptr_t)text_of(call->message, "change"), NULL};
    if (queries_ask(call->host->queries, json_object_get(call->message, "id"), "lab.steer", words,
                    &call->error) < 0)
        return REFUSED;
    return ANSWERED;
}

static int stop(struct call *call) {
    char folder[PATH_MAX];
    if (job_find(folder, call->host->paths->home, kind, text_of(call->message, "lab"), &call->error) < 0 ||
        job_cancel(folder, &call->error) < 0)
        return REFUSED;
    return done(call, json_object());
}

static int keep_opened(void *context, json_int_t number, json_t *line) {
    json_t **opened = context;
    const char *schema = json_string_value(json_object_get(line, "schema"));
    (void)number;
    if (!schema || strcmp(schema, "trilane/page-opened/1") != 0) return 0;
    *opened = json_incref(line);
    return 1;
}

// What the command line said of the page, or null: it is not on its way yet.
static json_t *opened_in(const char *home, const char *id) {
    char folder[PATH_MAX];
    struct message_error none;
    struct race_events events;
    json_t *opened = NULL;
    if (job_find(folder, home, kind, id, &none) < 0 || race_events_open(&events, folder) < 0)
        return json_null();
    race_events_read(&events, keep_opened, &opened);
    race_events_close(&events);
    return opened ? opened : json_null();
}

static int list(struct call *call) {
    json_t *labs;
    if (job_list(&labs, call->host->paths->home, kind, &call->error) < 0) return REFUSED;
    size_t i;
    json_t *lab;
    json_array_foreach(labs, i, lab)
        json_object_set_new(lab, "opened", opened_in(call->host->paths->home, text_of(lab, "id")));
    return done(call, json_pack("{s:o}", "labs", labs));
}

const struct message_handler lab_handlers[] = {
    {"lab.start", start}, {"lab.steer", steer}, {"lab.stop", stop}, {"lab.list", list}, {NULL, NULL},
};
