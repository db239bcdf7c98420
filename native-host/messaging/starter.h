// The process that starts programs for a host, whose own walls forbid it: begun before they were raised, and
// served by words and descriptors only. What a message says never comes here, and whoever takes the host over
// can start nothing but what starter_rules.h allows.
#pragma once

#include "messaging/host_paths.h"

#include <sys/types.h>

struct starter;

// NULL with errno. The paths are as they are now.
struct starter *starter_open(const struct host_paths *paths);
void starter_close(struct starter *starter);

// All below: argv[0] is the command line's program. -1 with errno (EPERM: no rule allows it).

// A child of the caller, with a process group of its own; `out` and `err` become its output and error. Its
// number.
pid_t starter_query(struct starter *starter, char *const *argv, int out, int err);
// As the job of this folder, under trilane-host as its supervisor, which gets the control pipe. It is an
// orphan from the start: no one has to wait for it.
int starter_job(struct starter *starter, const char *folder, int control, char *const *argv);
