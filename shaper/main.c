// trilane-shaper: runs a command behind one emulated bottleneck.
//
// The process starts on the far side, opens a TUN device there, moves to a new network namespace, opens the
// other TUN device there, and starts the command, which inherits the near namespace. From then on it only
// forwards between the two descriptors, and answers its control socket. Namespaces and devices live no longer
// than the processes and descriptors that hold them.
#include "base/child.h"
#include "base/clock.h"
#include "base/debug.h"
#include "base/json_file.h"
#include "base/log.h"
#include "base/namespace.h"
#include "base/schedule.h"
#include "base/walls.h"
#include "shaper/live_link.h"
#include "shaper/options.h"
#include "shaper/report.h"
#include "shaper/tun/lab.h"
#include "shaper/tun/lab_files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

// What the command gets to end by itself after Ctrl-C or SIGTERM.
static const uint64_t grace_ns = 2 * NS_PER_S;

struct shaper {
    const struct options *options;
    struct lab_side far;
    struct lab_side near;
    struct loop *loop;
    struct child child;
    struct tun_loop tun_loop;
    struct live_link link;
    struct evidence evidence;
    struct control control;
    char command_line[4096];
    uint64_t start_ns;
    int child_status;
    const char *scheduling; // as schedule_promptly reports it
    int cpu_idle_fd;        // keeps CPUs from sleeping deeply; -1: the system does not let us
};

static void child_ended(void *context, int status) {
    struct shaper *shaper = context;
    shaper->child_status = status;
    loop_stop(shaper->loop);
}

static void child_stopped(void *context, uint64_t start_ns, uint64_t end_ns) {
    struct shaper *shaper = context;
    overdue_add(&shaper->tun_loop.overdue, start_ns, end_ns);
}

static int prepare_child(void *context) {
    const struct options *options = context;
    return lab_hide_files(&options->files) < 0 ? -1 : lab_name_files(options->nameserver);
}

static int write_report(struct shaper *shaper, const char *path, uint64_t end_ns) {
    struct report_run run = {.start_ns = shaper->start_ns,
                             .end_ns = end_ns,
                             .child_status = shaper->child_status,
                             .scheduling = shaper->scheduling,
                             .cpu_idle = shaper->cpu_idle_fd >= 0 ? "shallow" : "default",
                             .device = wire_kind(&shaper->near.wire),
                             .changes = shaper->link.changes_reported};
    struct timespec cpu;
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu) == 0)
        run.cpu_ns = (uint64_t)cpu.tv_sec * NS_PER_S + (uint64_t)cpu.tv_nsec;
    if (lab_unread(&shaper->far, &run.down_unread) < 0 || lab_unread(&shaper->near, &run.up_unread) < 0)
        log_line("interface counters: %s", strerror(errno));
    json_t *report = report_of(&shaper->tun_loop, &shaper->options->profile, &run);
    errno = ENOMEM;
    int result = report ? json_file_write(path, report) : -1;
    if (result < 0) log_line("report %s: %s", path, strerror(errno));
    json_decref(report);
    return result;
}

static struct evidence_run evidence_run_of(const struct shaper *shaper) {
    return (struct evidence_run){.link = shaper->link.form,
                                 .command_line = shaper->command_line,
                                 .down_rate = &shaper->options->profile.down.rate,
                                 .up_rate = &shaper->options->profile.up.rate,
                                 .start_ns = shaper->start_ns};
}

// Up to where the link runs and the command is about to: dies.
static void begin(struct shaper *shaper) {
    const struct options *options = shaper->options;
    shaper->start_ns = clock_now_ns();
    if (loop_open(&shaper->loop) < 0 || child_open(&shaper->child, shaper->loop) < 0 ||
        tun_loop_open(&shaper->tun_loop, shaper->loop, &options->profile, &shaper->far.wire,
                      &shaper->near.wire) < 0)
        die(EXIT_RUN_FAILED, "event loop: %s", strerror(errno));
    path_delay_origins(&shaper->tun_loop.down.path, options->origin_delays);
    path_delay_origins(&shaper->tun_loop.up.path, options->origin_delays);
    struct evidence_run run = evidence_run_of(shaper);
    if (evidence_begin(&shaper->evidence, shaper->loop, &run) < 0 ||
        live_link_begin(&shaper->link, &shaper->tun_loop, &shaper->evidence, &shaper->control,
                        shaper->start_ns) < 0)
        die(EXIT_RUN_FAILED, "event loop: %s", strerror(errno));
    shaper->tun_loop.down.pool.watcher = evidence_watcher(&shaper->evidence, true);
    shaper->tun_loop.up.pool.watcher = evidence_watcher(&shaper->evidence, false);
    shaper->scheduling = schedule_promptly();
    shaper->cpu_idle_fd = schedule_shallow_idle();
}

static int end(struct shaper *shaper) {
    uint64_t end_ns = clock_now_ns();
    const char *report = shaper->options->report;
    int result = 0;
    control_close(&shaper->control);
    if (report && write_report(shaper, report, end_ns) < 0) result = -1;
    struct evidence_run run = evidence_run_of(shaper);
    if (evidence_close(&shaper->evidence, &run, end_ns) < 0) result = -1;
    tun_loop_close(&shaper->tun_loop);
    live_link_close(&shaper->link); // nodes borrow its files
    loop_close(shaper->loop);
    if (shaper->cpu_idle_fd >= 0) close(shaper->cpu_idle_fd);
    return result;
}

// A link that `trilane steer` changes to may read any file of its user's.
static void raise_walls(const struct options *options) {
    static const unsigned calls[] = {WALLS_MESSAGES};
    const struct walls walls = {
        .calls = calls,
        .call_count = sizeof calls / sizeof calls[0],
        .reads = {options->control ? "/" : NULL, options->evidence.tls_keys},
        .writes = {options->report, options->control, options->evidence.flow_counters}};
    walls_raise_or_say(&walls);
    // The command has this user and these capabilities: by our /proc/PID/root it would see what is hidden
    // from it, if its container allows it no /proc of its own.
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

static int run(struct shaper *shaper, unsigned inherited_descriptors) {
    shaper->child = (struct child){.ended = child_ended, .stopped = child_stopped, .context = shaper};
    struct child_options child_options = {
        .argv = shaper->options->command,
        .inherited_descriptors = inherited_descriptors,
        .keep_capabilities = shaper->options->keep_capabilities,
        .process_namespace = true,
        .prepare = prepare_child,
        .prepare_context = (void *)shaper->options,
        .grace_ns = grace_ns,
    };
    begin(shaper);
    if (child_start(&shaper->child, &child_options) < 0) die(EXIT_RUN_FAILED, "command: %s", strerror(errno));
    raise_walls(shaper->options);
    int status = EXIT_RUN_FAILED;
    if (evidence_start_writing(&shaper->evidence) < 0)
        log_line("a thread to write files: %s", strerror(errno));
    else if (loop_run(shaper->loop) < 0)
        log_line("event loop: %s", strerror(errno));
    else
        status = shaper->child_status;
    child_close(&shaper->child);
    return end(shaper) < 0 ? EXIT_RUN_FAILED : status;
}

static void note_command_line(struct shaper *shaper, char **argv) {
    size_t at = 0, size = sizeof shaper->command_line;
    for (; *argv && at < size; argv++) {
        int n = snprintf(shaper->command_line + at, size - at, "%s%s", at > 0 ? " " : "", *argv);
        if (n > 0) at += (size_t)n;
    }
}

// What the user named: while relative paths and permissions are still the user's own. The socket first: a
// second shaper with the same one then leaves the first one's files alone.
static void open_files(struct shaper *shaper) {
    struct control_error error;
    struct evidence_error evidence_error;
    const char *path = shaper->options->control;
    if (path && control_open(&shaper->control, path, &error) < 0) die(EXIT_BAD_INPUT, "%s", error.line);
    const char *report = shaper->options->report;
    if (report && json_file_try(report) < 0) {
        int cause = errno;
        control_close(&shaper->control);
        die(EXIT_BAD_INPUT, "report %s: %s", report, strerror(cause));
    }
    if (evidence_open(&shaper->evidence, &shaper->options->evidence, &evidence_error) < 0) {
        control_close(&shaper->control);
        die(EXIT_BAD_INPUT, "%s", evidence_error.line);
    }
}

// Whether the link, or the one it switches to, marks packets.
static bool marks(const struct link_profile *profile) {
    return profile->down.queue.ecn || profile->up.queue.ecn ||
           (profile->switch_to && marks(profile->switch_to));
}

int main(int argc, char **argv) {
    pid_t parent = getppid();
    unsigned inherited_descriptors = child_inherited_descriptors();
    log_program("trilane-shaper");
    struct options options;
    options_read(&options, argc, argv);
    struct shaper shaper = {.options = &options};
    note_command_line(&shaper, argv);
    live_link_open(&shaper.link, &options.profile);
    open_files(&shaper);
    if (!namespace_is_lab()) namespace_enter_lab();
    if (options.die_with_parent) child_die_with_parent(parent);
    lab_open_far(&shaper.far, &options.far_ports);
    namespace_enter_network();
    lab_open_near(&shaper.near, marks(&options.profile), &options.far_ports);
    debug_line(lab, "packets come through %s devices", wire_kind(&shaper.near.wire));
    int status = run(&shaper, inherited_descriptors);
    lab_close(&shaper.near);
    lab_close(&shaper.far);
    link_profile_close(&options.profile);
    origin_delays_close(options.origin_delays);
    return status;
}
