// One child command run to its end under the loop: it gets our stdin, stdout, stderr and descriptors 3 and 4
// (a browser's debugging pipe) and nothing else; signals are forwarded to it; it dies with us, even if we are
// killed. Does not capture output or restart anything.
#pragma once

#include "base/clock.h"
#include "base/loop.h"

#include <stdbool.h>
#include <sys/types.h>

// Call first thing in main, before any descriptor is opened, and keep the answer for child_options: which of
// descriptors 3 and 4 were given to us (a bit each). Makes sure that 0, 1 and 2 are open.
unsigned child_inherited_descriptors(void);

// We die (SIGKILL) when the process that started us does. Call after namespace_enter_lab, which would undo
// it; exits if that process is gone already.
void child_die_with_parent(pid_t parent); // getppid() as it was first thing in main

struct child_options {
    char *const *argv; // NULL-terminated, argv[0] looked up in PATH

    unsigned inherited_descriptors; // what child_inherited_descriptors returned

    // The command keeps our capabilities (it is a program of ours that builds the rest of the lab); else it
    // has none.
    bool keep_capabilities;

    // The command runs in a process namespace of its own with a fresh /proc, so that nothing it started
    // outlives it. Needs the capabilities that namespace_enter_lab gives. A mount namespace comes with it.
    bool process_namespace;

    // Called in the child, with its capabilities and (with process_namespace) in its mount namespace, before
    // the command starts. 0, or -1 after having printed a line: the child then exits with EXIT_RUN_FAILED.
    int (*prepare)(void *context);
    void *prepare_context;

    // After a first SIGINT, SIGTERM or SIGHUP sent to us the command has so long to end; then SIGKILL. A
    // Ctrl-C at the terminal reaches the command by itself, and does not set this time running.
    uint64_t grace_ns;
};

struct child {
    // Set by the caller before child_start. Called once, from the loop. `status` is as a shell reports it:
    // the exit status, or 128 + the signal's number; 127 when the command was not found, 126 when it could
    // not be started.
    void (*ended)(void *context, int status);
    // May be NULL. A signal to end came; a child knows of it. For a program that has none to wait for.
    void (*interrupted)(void *context, int signal);
    // May be NULL. The command, in a process namespace, was stopped (SIGSTOP) and went on.
    void (*stopped)(void *context, uint64_t start_ns, uint64_t end_ns);
    void *context;

    // The rest is child.c's.
    pid_t pid; // 0: none
    struct loop *loop;
    struct loop_watch signal_watch;
    struct loop_watch stop_watch; // process 1 reports on it; fd -1: not watched
    struct loop_timer grace;
    uint64_t grace_ns;
    bool signalled;
};

// Takes SIGINT, SIGTERM, SIGHUP and SIGCHLD over into the loop. 0, or -1 with errno.
// Do not use loop_on_signals for these beside it.
int child_open(struct child *child, struct loop *loop);

// Starts the command, and closes our copies of descriptors 3 and 4, so that the other end sees them close
// with the command. 0, or -1 with errno; a command that cannot be executed is reported by `ended` (126, 127)
// and a line on stderr.
int child_start(struct child *child, const struct child_options *options);

// Kills what is left of the child and waits for it: after this no process of it is left (with
// process_namespace: nor of its descendants). Stops watching signals.
void child_close(struct child *child);
