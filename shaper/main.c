// trilane-shaper: runs a command behind one emulated bottleneck.
//
// The process starts on the far side, opens a TUN device there, moves to a new network namespace, opens the
// other TUN device there, and starts the command, which inherits the near namespace. From then on it only
// forwards between the two descriptors. Namespaces and devices live no longer than the processes and
// descriptors that hold them.
#include "base/child.h"
#include "base/clock.h"
#include "base/json_file.h"
#include "base/log.h"
#include "base/namespace.h"
#include "base/schedule.h"
#include "shaper/lab.h"
#include "shaper/options.h"
#include "shaper/report.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// What the command gets to end by itself after Ctrl-C or SIGTERM.
static const uint64_t grace_ns = 2 * NS_PER_S;

struct shaper {
    struct lab_side *far;
    struct lab_side *near;
    struct loop *loop;
    struct child child;
    struct tun_loop tun_loop;
    int child_status;
    const char *scheduling; // as schedule_promptly tells
};

static void child_ended(void *context, int status) {
    struct shaper *shaper = context;
    shaper->child_status = status;
    loop_stop(shaper->loop);
}

static int prepare_child(void *context) {
    const struct options *options = context;
    return lab_name_files(options->nameserver);
}

static int write_report(struct shaper *shaper, const struct options *options, uint64_t start_ns) {
    struct report_run run = {.start_ns = start_ns,
                             .end_ns = clock_now_ns(),
                             .child_status = shaper->child_status,
                             .scheduling = shaper->scheduling};
    struct timespec cpu;
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu) == 0)
        run.cpu_ns = (uint64_t)cpu.tv_sec * NS_PER_S + (uint64_t)cpu.tv_nsec;
    if (lab_unread(shaper->far, &run.down_unread) < 0 || lab_unread(shaper->near, &run.up_unread) < 0)
        log_line("interface counters: %s", strerror(errno));
    json_t *report = report_of(&shaper->tun_loop, &options->profile, &run);
    errno = ENOMEM;
    int result = report ? json_file_write(options->report, report) : -1;
    if (result < 0) log_line("report %s: %s", options->report, strerror(errno));
    json_decref(report);
    return result;
}

static int run(const struct options *options, unsigned inherited_descriptors, struct lab_side *far_side,
               struct lab_side *near_side) {
    struct shaper shaper = {
        .far = far_side, .near = near_side, .child = {.ended = child_ended, .context = &shaper}};
    struct child_options child_options = {
        .argv = options->command,
        .inherited_descriptors = inherited_descriptors,
        .process_namespace = true,
        .prepare = prepare_child,
        .prepare_context = (void *)options,
        .grace_ns = grace_ns,
    };
    uint64_t start_ns = clock_now_ns();
    if (loop_open(&shaper.loop) < 0 || child_open(&shaper.child, shaper.loop) < 0 ||
        tun_loop_open(&shaper.tun_loop, shaper.loop, &options->profile, far_side->tun_fd, near_side->tun_fd) <
            0)
        die(EXIT_RUN_FAILED, "event loop: %s", strerror(errno));
    shaper.scheduling = schedule_promptly();
    if (child_start(&shaper.child, &child_options) < 0) die(EXIT_RUN_FAILED, "command: %s", strerror(errno));
    int status = EXIT_RUN_FAILED;
    if (loop_run(shaper.loop) < 0)
        log_line("event loop: %s", strerror(errno));
    else
        status = shaper.child_status;
    child_close(&shaper.child);
    if (options->report && write_report(&shaper, options, start_ns) < 0) status = EXIT_RUN_FAILED;
    tun_loop_close(&shaper.tun_loop);
    loop_close(shaper.loop);
    return status;
}

int main(int argc, char **argv) {
    pid_t parent = getppid();
    unsigned inherited_descriptors = child_inherited_descriptors();
    log_program("trilane-shaper");
    struct options options;
    options_read(&options, argc, argv);
    if (!namespace_is_lab()) namespace_enter_lab();
    if (options.die_with_parent) child_die_with_parent(parent);
    struct lab_side far_side, near_side;
    lab_open_far(&far_side);
    namespace_enter_network();
    lab_open_near(&near_side);
    int status = run(&options, inherited_descriptors, &far_side, &near_side);
    lab_close(&near_side);
    lab_close(&far_side);
    return status;
}
