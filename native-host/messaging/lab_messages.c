#include "messaging/lab_messages.h"

#include "messaging/child_command.h"
#include "messaging/handled.h"
#include "messaging/job_supervisor.h"
#include "messaging/jobs.h"
#include "messaging/message_rules.h"
#include "messaging/race_events.h"

#include <stdarg.h>
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

__attribute__((format(printf, 2, 3))) static char *add_word(char ***at, const char *format, ...) {
    char *word = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&word, format, arguments) < 0) word = NULL;
    va_end(arguments);
    *(*at)++ = word;
    return word;
}

static int run(const struct lab_conversation *conversation, const json_t *message, struct job *job,
               struct message_error *error) {
    char control[sizeof((struct sockaddr_un *)0)->sun_path];
    if (socket_path(control, job->folder, error) < 0) {
        job_drop(job);
        return -1;
    }
    char *words[9] = {0}, **at = words;
    bool made = add_word(&at, "%s", conversation->paths->cli) && add_word(&at, "open") &&
                add_word(&at, "%s", text_of(message, "recording")) && add_word(&at, "--json") &&
                add_word(&at, "--home=%s", conversation->paths->home) &&
                add_word(&at, "--lane=%s", text_of(message, "lane")) &&
                add_word(&at, "--link=%s", text_of(message, "link")) &&
                add_word(&at, "--control=%s", control);
    int status = -1;
    if (made) {
        status = job_run(job, queries_starter(conversation->queries), words, error);
    } else {
        message_fail_memory(error);
        job_drop(job);
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        free(words[i]);
    return status;
}

int lab_message_start(const struct lab_conversation *conversation, const json_t *message, json_t **result,
                      struct message_error *error) {
    struct job job;
    if (message_check_link(message, "link", error) < 0 ||
        child_command_check(conversation->paths->cli, error) < 0)
        return REFUSED;
    json_t *request = json_copy((json_t *)(uintptr_t)message);
    if (!request) return message_fail_memory(error);
    json_object_del(request, "id");
    json_object_del(request, "type");
    int status = job_make(&job, conversation->paths->home, kind, request, false, error);
    json_decref(request);
    if (status < 0 || run(conversation, message, &job, error) < 0) return REFUSED;
    return result_of(json_pack("{s:s}", "lab", job.id), result, error);
}

int lab_message_steer(const struct lab_conversation *conversation, const json_t *message, json_t **result,
                      struct message_error *error) {
    char folder[PATH_MAX], control[sizeof((struct sockaddr_un *)0)->sun_path];
    struct job_status status;
    (void)result;
    if (message_check_link(message, "change", error) < 0 ||
        job_find(folder, conversation->paths->home, kind, text_of(message, "lab"), error) < 0 ||
        socket_path(control, folder, error) < 0)
        return REFUSED;
    job_look(folder, kind, &status);
    if (status.state != JOB_RUNNING)
        return message_fail(error, "not-found", "start another with lab.start", "lab %s: has ended",
                            text_of(message, "lab"));
    char *const words[] = {(char *)(uintptr_t)conversation->paths->cli,   "steer", "--json", control,
                           (char *)(uintptr_t)text_of(message, "change"), NULL};
    if (queries_ask(conversation->queries, json_object_get(message, "id"), "lab.steer", words, error) < 0)
        return REFUSED;
    return ANSWERED;
}

int lab_message_stop(const struct lab_conversation *conversation, const json_t *message, json_t **result,
                     struct message_error *error) {
    char folder[PATH_MAX];
    if (job_find(folder, conversation->paths->home, kind, text_of(message, "lab"), error) < 0 ||
        job_cancel(folder, error) < 0)
        return REFUSED;
    return result_of(json_object(), result, error);
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

int lab_message_list(const struct lab_conversation *conversation, const json_t *message, json_t **result,
                     struct message_error *error) {
    json_t *labs;
    (void)message;
    if (job_list(&labs, conversation->paths->home, kind, error) < 0) return REFUSED;
    size_t i;
    json_t *lab;
    json_array_foreach(labs, i, lab)
        json_object_set_new(lab, "opened", opened_in(conversation->paths->home, text_of(lab, "id")));
    return result_of(json_pack("{s:o}", "labs", labs), result, error);
}
