// Another program's server, from its start to its end. Does not know what it serves.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { SERVE_PORTS_MAX = 64 };

struct serve_port {
    const char *protocol; // "tcp", "udp"
    uint16_t port;
};

struct serve {
    const char *name;    // in messages
    const char *command; // for /bin/sh
    const char *output;  // a file for what it prints
    struct serve_port ports[SERVE_PORTS_MAX];
    unsigned port_count;
    uint64_t patience_ns; // until it listens on all of them

    // The rest is serve.c's.
    pid_t pid; // its session's, too
    int pidfd;
    bool has_ended;
    int wait_status;
    uint64_t ready_ns, cpu_at_ready_ns, ended_ns;
};

// Returns once it listens on all its ports; else a line on stderr, and the program ends: EXIT_BAD_INPUT.
void serve_start(struct serve *serve);

// Call if pidfd can be read: it has ended. Notes when and how.
void serve_note_end(struct serve *serve, uint64_t now_ns);

// The CPU time since it was ready; read before it is stopped.
uint64_t serve_cpu_ns(const struct serve *serve);

// Ends it and all that it has started in its session.
void serve_stop(struct serve *serve);
