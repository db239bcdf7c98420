// A job's supervisor: a process that runs one command, ends it on request, and leaves a word on how it ended.
// It belongs to no host. What the files of a job's folder are called.
#pragma once

#define job_request_name "job.json"
#define job_events_name "events.jsonl"
#define job_stderr_name "stderr"
#define job_exit_name "exit"
#define job_control_name "control"
#define job_link_name "link.sock"

// Its control pipe, which whoever starts it has opened for reading and writing, so that there is no moment
// in which the job seems to have ended.
enum { JOB_CONTROL_FD = 3 };

// How large the word on how it ended is, in bytes, blanks at its end included; before that it is all blanks.
enum { JOB_EXIT_SIZE = 64 };

// A job's folder, to reach its files from, or -1 with errno: a link to a folder is none, or what is removed
// there would be somebody else's.
int job_open_folder(const char *path);

// Removes the files in a job's folder whose names end so, with the dot. -1 with errno where one stays.
int job_remove_ending(int folder, const char *ending);

// Removes a job's HAR files: what a race was made from, which may hold what no one meant to keep. -1 with
// errno where one stays.
int job_forget_pages(int folder);

// Runs argv in the folder at `path`. Returns the exit status to end with.
int job_supervise(const char *path, char *const *argv);
