#include "messaging/jobs.h"

#include "base/folders.h"
#include "base/json_file.h"
#include "messaging/job_supervisor.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ENDED_KEPT = 100, FILE_NAME_ROOM = 40 };

static const char *job_state_name(enum job_state state) {
    static const char *const names[] = {"running", "finished", "failed", "canceled", "lost"};
    return names[state];
}

// FOLDER/NAME; folders are checked to leave room for it.
static const char *file_in(char path[PATH_MAX], const char *folder, const char *name) {
    snprintf(path, PATH_MAX, "%.*s/%.*s", PATH_MAX - FILE_NAME_ROOM, folder, FILE_NAME_ROOM - 2, name);
    return path;
}

static int jobs_path(char path[PATH_MAX], const char *home, struct message_error *error) {
    if (snprintf(path, PATH_MAX, "%s/jobs", home) < PATH_MAX - GENERATED_ID_SIZE - FILE_NAME_ROOM) return 0;
    return message_fail(error, "failed", "choose another with --home", "the data folder's path is too long");
}

// ---- How a job is ----

// What a folder holds is reached from its descriptor only: its name may be a link to a folder of somebody
// else's by the next call.

// A document in a job's folder, NULL where there is none. Anything but a file is none: a pipe would be waited
// for, and a link leads elsewhere.
static json_t *read_document(int folder, const char *name) {
    struct stat info;
    int fd = openat(folder, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
    json_t *document = NULL;
    if (fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) document = json_loadfd(fd, 0, NULL);
    if (fd >= 0) close(fd);
    return document;
}

// A writer's end of the control pipe, or -1 where no one reads: the job is not running.
static int open_control(int folder) {
    struct stat info;
    int fd = openat(folder, job_control_name, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
    if (fd >= 0 && (fstat(fd, &info) < 0 || !S_ISFIFO(info.st_mode))) {
        close(fd);
        fd = -1;
    }
    return fd;
}

// Whether the supervisor has left its word: before that its file is there, and blank.
static bool read_end(int folder, struct job_status *status) {
    json_t *end = read_document(folder, job_exit_name);
    const json_t *exit = json_object_get(end, "status");
    bool there = json_is_integer(exit);
    if (there) {
        status->exit = (int)json_integer_value(exit);
        status->state = status->exit == 0                                ? JOB_FINISHED
                        : json_is_true(json_object_get(end, "canceled")) ? JOB_CANCELED
                                                                         : JOB_FAILED;
    }
    json_decref(end);
    return there;
}

// One that has left its word has ended, also while its supervisor is still on its way out.
static bool is_running(int folder) {
    struct job_status status;
    if (read_end(folder, &status)) return false;
    int fd = open_control(folder);
    if (fd >= 0) close(fd);
    return fd >= 0;
}

static bool is_disk_full(int folder) {
    struct statvfs disk;
    return fstatvfs(folder, &disk) == 0 && disk.f_bavail == 0;
}

static void fail_lost(int folder, const char *path, const char *kind, struct message_error *error) {
    if (is_disk_full(folder)) {
        errno = ENOSPC;
        message_fail_errno(error, path);
        return;
    }
    message_fail(error, "failed", "start it again",
                 "the %s ended without a word: its process was killed, or the machine restarted", kind);
}

// What it said last. Where it said nothing and the disk is full, that is why.
static void fail_failed(int folder, const char *path, const char *kind, struct message_error *error) {
    struct stat info;
    int fd = openat(folder, job_stderr_name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd >= 0 && fstat(fd, &info) == 0 && info.st_size == 0 && is_disk_full(folder)) {
        errno = ENOSPC;
        message_fail_errno(error, path);
    } else {
        child_command_error(fd, kind, error);
    }
    if (fd >= 0) close(fd);
}

// `folder` is -1 where it has gone: nothing is found in it then.
static void look(int folder, const char *path, const char *kind, struct job_status *status) {
    *status = (struct job_status){.state = JOB_RUNNING, .exit = -1};
    if (!read_end(folder, status)) {
        if (is_running(folder)) return;
        // It may have ended between the two looks.
        if (!read_end(folder, status)) {
            status->state = JOB_LOST;
            job_forget_pages(folder); // its supervisor could not
            fail_lost(folder, path, kind, &status->error);
            return;
        }
    }
    if (status->state == JOB_FAILED) fail_failed(folder, path, kind, &status->error);
}

void job_look(const char *path, const char *kind, struct job_status *status) {
    int folder = job_open_folder(path);
    look(folder, path, kind, status);
    if (folder >= 0) close(folder);
}

json_t *job_status_json(const struct job_status *status) {
    json_t *error = json_null();
    if (status->state == JOB_FAILED || status->state == JOB_LOST)
        error = json_pack("{s:s++}", "message", status->error.message, ": ", status->error.remedy);
    json_t *exit = status->exit >= 0 ? json_integer(status->exit) : json_null();
    return json_pack("{s:s, s:o, s:o}", "state", job_state_name(status->state), "exit", exit, "error", error);
}

// What was requested, as it stands in job.json; NULL where there is no such job, or not of this kind.
static json_t *read_job(int folder, const char *kind) {
    json_t *job = read_document(folder, job_request_name);
    const char *its = json_string_value(json_object_get(job, "kind"));
    if (its && strcmp(its, kind) == 0 && json_is_object(json_object_get(job, "request"))) return job;
    json_decref(job);
    return NULL;
}

static int fail_not_found(const char *kind, const char *id, struct message_error *error) {
    char remedy[32];
    snprintf(remedy, sizeof remedy, "see %s.list", kind);
    return message_fail(error, "not-found", remedy, "%s %s: there is none", kind, id);
}

int job_find(char path[PATH_MAX], const char *home, const char *kind, const char *id,
             struct message_error *error) {
    if (jobs_path(path, home, error) < 0) return -1;
    strcat(strcat(path, "/"), id);
    int folder = job_open_folder(path);
    json_t *job = read_job(folder, kind);
    json_decref(job);
    if (folder >= 0) close(folder);
    return job ? 0 : fail_not_found(kind, id, error);
}

// ---- All jobs ----

static int is_job_name(const struct dirent *entry) {
    return is_generated_id(entry->d_name);
}

static int newest_first(const struct dirent **a, const struct dirent **b) {
    return strcmp((*b)->d_name, (*a)->d_name);
}

// How it ended goes after what it was: another host's list that finds it at all finds its end, or sees that
// it has gone meanwhile. What is left of a removal that was cut short counts as an ended job, and goes when
// it is old.
static int remove_files(int folder) {
    static const char *const names[] = {job_events_name,  job_stderr_name,  job_link_name,
                                        job_control_name, job_request_name, job_exit_name};
    if (job_forget_pages(folder) < 0 || job_remove_ending(folder, json_file_aside_end) < 0) return -1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (unlinkat(folder, names[i], 0) < 0 && errno != ENOENT) return -1;
    return 0;
}

static int remove_folder(const char *path) {
    int folder = job_open_folder(path);
    if (folder < 0) return -1;
    int status = remove_files(folder), why = errno;
    close(folder);
    errno = why;
    return status < 0 ? -1 : rmdir(path);
}

struct job_folder {
    const char *path, *id;
    int fd;
};

// Calls `each` for every job's folder, the newest first, until it does not return 0.
static int each_job(const char *jobs, int (*each)(void *context, const struct job_folder *folder),
                    void *context) {
    struct dirent **entries = NULL;
    int count = scandir(jobs, &entries, is_job_name, newest_first), status = 0;
    for (int i = 0; i < count; i++) {
        char path[PATH_MAX];
        file_in(path, jobs, entries[i]->d_name);
        struct job_folder folder = {path, entries[i]->d_name, status == 0 ? job_open_folder(path) : -1};
        if (folder.fd >= 0) {
            status = each(context, &folder);
            close(folder.fd);
        }
        free(entries[i]);
    }
    free(entries);
    return status;
}

struct listing {
    json_t *jobs;
    const char *kind;
};

static int list_job(void *context, const struct job_folder *folder) {
    struct listing *listing = context;
    json_t *job = read_job(folder->fd, listing->kind);
    if (!job) return 0;
    struct job_status status;
    char started[MADE_TIME_SIZE];
    look(folder->fd, folder->path, listing->kind, &status);
    if (status.state == JOB_LOST && faccessat(folder->fd, job_request_name, F_OK, 0) < 0) {
        json_decref(job); // another host has removed it meanwhile, its word too
        return 0;
    }
    generated_id_time(folder->id, started);
    json_t *listed = job_status_json(&status);
    if (listed) json_object_del(listed, "exit");
    int failed = !listed || json_object_set_new(listed, "id", json_string(folder->id)) < 0 ||
                 json_object_set_new(listed, "started", json_string(started)) < 0 ||
                 json_object_set(listed, "request", json_object_get(job, "request")) < 0 ||
                 json_array_append(listing->jobs, listed) < 0;
    json_decref(listed);
    json_decref(job);
    return failed ? -1 : 0;
}

int job_list(json_t **jobs, const char *home, const char *kind, struct message_error *error) {
    char path[PATH_MAX];
    if (jobs_path(path, home, error) < 0) return -1;
    struct listing listing = {json_array(), kind};
    if (!listing.jobs || each_job(path, list_job, &listing) < 0) {
        json_decref(listing.jobs);
        return message_fail_memory(error);
    }
    *jobs = listing.jobs;
    return 0;
}

// ---- Starting ----

struct tidying {
    const char *kind; // refuse while one of it is running
    int ended;
    char running[GENERATED_ID_SIZE];
};

static int tidy_job(void *context, const struct job_folder *folder) {
    struct tidying *tidying = context;
    if (!is_running(folder->fd)) {
        job_forget_pages(folder->fd); // a supervisor that was killed has not
        if (++tidying->ended > ENDED_KEPT) remove_folder(folder->path);
        return 0;
    }
    json_t *job = tidying->kind ? read_job(folder->fd, tidying->kind) : NULL;
    if (job) memcpy(tidying->running, folder->id, sizeof tidying->running); // its name is a made id
    json_decref(job);
    return 0;
}

// A file of so many spaces.
static int make_file(const char *path, size_t size) {
    char blank[JOB_EXIT_SIZE];
    memset(blank, ' ', sizeof blank);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) return -1;
    ssize_t n = write(fd, blank, size);
    if (n >= 0 && (size_t)n < size) errno = ENOSPC;
    int why = errno;
    close(fd);
    errno = why;
    return n >= 0 && (size_t)n == size ? 0 : -1;
}

static int make_files(struct job *job, const char *kind, const json_t *message) {
    char path[PATH_MAX];
    if (mkdir(job->folder, 0700) < 0) return -1;
    if (make_file(file_in(path, job->folder, job_events_name), 0) < 0) return -1;
    // The word's room is taken now, so that it can be left on a disk that is full by then.
    if (make_file(file_in(path, job->folder, job_exit_name), JOB_EXIT_SIZE) < 0) return -1;
    if (mkfifo(file_in(path, job->folder, job_control_name), 0600) < 0) return -1;
    // For reading and writing, so that it has a reader from now on and never an end.
    if ((job->control = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)) < 0) return -1;
    json_t *request = json_copy((json_t *)(uintptr_t)message);
    json_object_del(request, "id");
    json_object_del(request, "type");
    json_t *document = json_pack("{s:s, s:o}", "kind", kind, "request", request);
    if (!document) errno = ENOMEM;
    int status = document ? json_file_write(file_in(path, job->folder, job_request_name), document) : -1;
    json_decref(document);
    return status;
}

int job_make(struct job *job, const char *home, const char *kind, const json_t *message, bool alone,
             struct message_error *error) {
    char jobs[PATH_MAX];
    *job = (struct job){.control = -1, .lock = -1};
    if (jobs_path(jobs, home, error) < 0) return -1;
    // The lock is the folder's own.
    if (folders_make(jobs) < 0 || (job->lock = open(jobs, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0 ||
        flock(job->lock, LOCK_EX) < 0 || generate_id(job->id) < 0) {
        message_fail_errno(error, jobs);
        job_drop(job);
        return -1;
    }
    struct tidying tidying = {.kind = alone ? kind : NULL};
    each_job(jobs, tidy_job, &tidying);
    if (tidying.running[0]) {
        message_fail(error, "busy", "wait for it, or cancel it", "%s %s: is still running", kind,
                     tidying.running);
        job_drop(job);
        return -1;
    }
    file_in(job->folder, jobs, job->id);
    if (make_files(job, kind, message) < 0) {
        message_fail_errno(error, job->folder);
        job_drop(job);
        return -1;
    }
    return 0;
}

static void job_release(struct job *job) {
    if (job->control >= 0) close(job->control);
    if (job->lock >= 0) close(job->lock);
    job->control = job->lock = -1;
}

void job_drop(struct job *job) {
    if (job->folder[0]) remove_folder(job->folder);
    job_release(job);
}

int job_run(struct job *job, struct starter *starter, const struct command_words *command,
            struct message_error *error) {
    char *const *argv = command->words;
    const bool whole = command_words_are_whole(command);
    if (!whole || starter_job(starter, job->folder, job->control, argv) < 0) {
        if (whole)
            message_fail_errno(error, argv[0]);
        else
            message_fail_memory(error);
        job_drop(job);
        return -1;
    }
    job_release(job);
    return 0;
}

// ---- Ending ----

int job_cancel(const char *path, struct message_error *error) {
    int folder = job_open_folder(path);
    int fd = open_control(folder);
    if (folder >= 0) close(folder);
    if (fd < 0) return 0;
    int status = 0;
    // EPIPE: it has ended meanwhile; EAGAIN: full of requests to end.
    if (write(fd, "", 1) < 0 && errno != EPIPE && errno != EAGAIN) status = message_fail_errno(error, path);
    close(fd);
    return status;
}

int job_remove(const char *path, const char *kind, const char *id, struct message_error *error) {
    int folder = job_open_folder(path);
    if (folder < 0) return message_fail_errno(error, path);
    bool running = is_running(folder);
    close(folder);
    if (running) return message_fail(error, "busy", "cancel it first", "%s %s: is still running", kind, id);
    return remove_folder(path) < 0 ? message_fail_errno(error, path) : 0;
}
