// Jobs: runs of the command line that outlive whoever started them. HOME/jobs/ID/ has what was requested
// (job.json), the standard output (events.jsonl) and error (stderr), how it ended (exit), and a named pipe
// (control) that the job's supervisor reads: as long as somebody does, the job is running; a byte in it asks
// the job to end. So no process is ever found by its number, which could be another's by then. Knows no
// messages.
#pragma once

#include "messaging/child_command.h"
#include "messaging/generated_id.h"
#include "messaging/message_error.h"
#include "messaging/starter.h"

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>

enum job_state {
    JOB_RUNNING,
    JOB_FINISHED, // with status 0
    JOB_FAILED,
    JOB_CANCELED,
    JOB_LOST, // its supervisor has gone and left no word
};

// All below return 0, or -1 with *error.

// A job that is being started.
struct job {
    char id[GENERATED_ID_SIZE];
    char folder[PATH_MAX];
    int control; // held until the supervisor holds it
    int lock;    // on all jobs: none other is started meanwhile
};

// Makes the job's folder. `kind`: "race", "lab". `alone`: refused as busy while one of the kind is running.
// Forgets the oldest of many ended jobs. Keeps the message's fields for lists.
int job_make(struct job *job, const char *home, const char *kind, const json_t *message, bool alone,
             struct message_error *error);
// Starts it: trilane-host as its supervisor, and under it the command. Removes the folder if that fails. Ends
// `job` in any case.
int job_run(struct job *job, struct starter *starter, const struct command_words *command,
            struct message_error *error);
void job_drop(struct job *job); // made, and not to be run

// The folder of a job of this kind; `id` is a made id.
int job_find(char folder[PATH_MAX], const char *home, const char *kind, const char *id,
             struct message_error *error);

struct job_status {
    enum job_state state;
    int exit;                   // as a shell has it; -1: not ended, or not known
    struct message_error error; // of JOB_FAILED and JOB_LOST
};

void job_look(const char *folder, const char *kind, struct job_status *status);
// {state, exit, error} as messages have them; NULL when memory is short.
json_t *job_status_json(const struct job_status *status);

// Asks it to end; the supervisor ends it by force after 10 s. Does nothing where it has ended.
int job_cancel(const char *folder, struct message_error *error);
int job_remove(const char *folder, const char *kind, const char *id, struct message_error *error);
// An array of listed_job, the newest first.
int job_list(json_t **jobs, const char *home, const char *kind, struct message_error *error);
