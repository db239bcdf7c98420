// What a run leaves behind beside its report, each only if an option wants it: a log per direction, a
// capture, the counters of flows, and their bins over time. Watches the packets of both directions; an
// unwatched link costs nothing. Does not write files by itself: file_writer.h does, in threads of their own.
#pragma once

#include "base/loop.h"
#include "shaper/evidence/flow_bins.h"
#include "shaper/evidence/flow_table.h"
#include "shaper/evidence/packet_log.h"
#include "shaper/evidence/pcapng.h"
#include "shaper/evidence/pcapng_keys.h"

#include <stdbool.h>

struct evidence_options {
    const char *log;           // NULL: none, as all here. FILE: FILE.down and FILE.up
    const char *pcapng;        // file
    const char *tls_keys;      // file, only with pcapng
    const char *flow_counters; // file
    const char *flow_bins;     // file, only with flow_counters
    uint64_t flow_bin_ns;      // 0: 50 ms
};

struct evidence_direction {
    struct packet_watcher watcher; // first
    struct evidence *evidence;
    bool down;
    char log_path[4096];
    struct file_writer *log_writer;
    struct packet_log log;
    struct pcapng_statistics statistics;
    struct capacity capacity;
    // What the link could have carried up to its first packet and up to the end of its last.
    bool used;
    uint64_t last_left_ns;
    uint64_t capacity_at_first_bytes;
    uint64_t capacity_at_last_bytes; // as of the last change
};

struct evidence {
    struct evidence_options options;
    struct loop *loop;
    struct loop_timer round;
    struct evidence_direction down;
    struct evidence_direction up;
    struct file_writer *pcapng_writer;
    struct pcapng pcapng;
    struct pcapng_keys keys;
    struct flow_table flows;
    struct file_writer *bins_writer;
    struct flow_bins bins;
};

struct evidence_error {
    char line[4400]; // one line that names the thing
};

// Makes the files. 0, or -1 with the error's line, where one cannot be made.
int evidence_open(struct evidence *evidence, const struct evidence_options *options,
                  struct evidence_error *error);

struct evidence_run {
    const char *link; // short form
    const char *command_line;
    const struct rate_settings *down_rate;
    const struct rate_settings *up_rate;
    uint64_t start_ns;
};

// The run begins. 0, or -1 when memory is short.
int evidence_begin(struct evidence *evidence, struct loop *loop, const struct evidence_run *run);

// For packet_pool.watcher; NULL where there is nothing to watch for.
struct packet_watcher *evidence_watcher(struct evidence *evidence, bool down);

// Starts to write: after the last fork. 0, or -1 with errno.
int evidence_start_writing(struct evidence *evidence);

// The link was changed: `form` says how.
void evidence_change(struct evidence *evidence, const char *form, const struct rate_settings *down_rate,
                     const struct rate_settings *up_rate, uint64_t now_ns);

// The same of a link that is switched to: the times of its steps and its trace count from now on.
void evidence_switch(struct evidence *evidence, const char *form, const struct rate_settings *down_rate,
                     const struct rate_settings *up_rate, uint64_t now_ns);

// The NAT lost its bindings (kind: "port") or got another address ("address").
void evidence_rebinding(struct evidence *evidence, const char *kind, uint64_t now_ns);

// Writes what is left. 0, or -1 where something is not whole: a line has said what. `run` is of the end.
int evidence_close(struct evidence *evidence, const struct evidence_run *run, uint64_t end_ns);
