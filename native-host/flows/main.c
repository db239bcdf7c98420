// trilane-flows: bulk flows between the two ends of a lab (options.c has its help). This file puts the parts
// of one end together, in the order in which they need one another, and takes them apart again.
#include "base/child.h"
#include "base/clock.h"
#include "base/json_file.h"
#include "base/lab_addresses.h"
#include "base/log.h"
#include "base/namespace.h"
#include "base/netlink.h"
#include "base/schedule.h"
#include "base/walls.h"
#include "flows/engine.h"
#include "flows/options.h"
#include "flows/ping.h"
#include "flows/plan.h"
#include "flows/report.h"

#include <errno.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const uint64_t child_grace_ns = 3 * NS_PER_S; // a little more than the shaper in it gives its own

struct flows {
    struct options options;
    struct plan plan;
    struct loop *loop;
    struct engine *engine;
    struct ping *ping;
    struct child child;
    struct rlimit descriptors_before;
    int status;
    bool file_failed; // it has been said
};

static void on_child_ended(void *context, int status) {
    struct flows *flows = context;
    flows->status = status;
    loop_stop(flows->loop);
}

// With a command, its end is ours.
static void on_interrupted(void *context, int number) {
    struct flows *flows = context;
    if (flows->options.command) return;
    flows->status = 128 + number;
    loop_stop(flows->loop);
}

static void on_finished(void *context) {
    struct flows *flows = context;
    if (!flows->options.command) loop_stop(flows->loop);
}

// One line for all of an end's files: a disk that is full is so for each of them.
static void say_file_failed(struct flows *flows, const char *what, const char *path, int error) {
    if (!flows->file_failed)
        log_line("%s %s: not all of it could be written: %s", what, path, strerror(error));
    flows->file_failed = true;
}

// A run without its samples is of no use.
static void on_samples_failed(void *context, int error) {
    struct flows *flows = context;
    say_file_failed(flows, "samples", flows->options.samples, error);
    flows->status = EXIT_RUN_FAILED;
    loop_stop(flows->loop);
}

// Two descriptors for each flow, and some.
static void raise_descriptors(struct flows *flows) {
    getrlimit(RLIMIT_NOFILE, &flows->descriptors_before);
    const struct rlimit higher = {.rlim_cur = flows->descriptors_before.rlim_max,
                                  .rlim_max = flows->descriptors_before.rlim_max};
    setrlimit(RLIMIT_NOFILE, &higher);
}

// The command is not to inherit our higher limit: some programs close every descriptor up to it.
static int restore_descriptors(void *context) {
    const struct flows *flows = context;
    setrlimit(RLIMIT_NOFILE, &flows->descriptors_before);
    return 0;
}

static void open_far_network(void) {
    struct netlink netlink;
    if (netlink_open(&netlink) < 0 || netlink_link_up(&netlink, "lo", 0) < 0)
        die(EXIT_RUN_FAILED, "lo: cannot be set up: %s", strerror(errno));
    netlink_close(&netlink);
    namespace_set_stock_network();
}

static void enter_lab(const struct flows *flows, pid_t parent) {
    if (!flows->options.is_near && !namespace_is_lab()) {
        namespace_enter_lab();
        open_far_network();
    }
    // It connects to an address that may be somebody's on the machine's network.
    if (flows->options.is_near && !namespace_network_is_made())
        die(EXIT_BAD_INPUT, "near: not in a lab: trilane-shaper starts it there (see --help)");
    child_die_with_parent(parent);
}

static void open_engine(struct flows *flows) {
    char error[PLAN_ERROR_SIZE];
    const struct options *options = &flows->options;
    const struct engine_options engine = {.end = {.loop = flows->loop,
                                                  .is_near = options->is_near,
                                                  .far_address = LAB_FAR_ADDRESS,
                                                  .qlog_folder = options->qlog},
                                          .plan = &flows->plan,
                                          .samples = options->samples,
                                          .finished = on_finished,
                                          .samples_failed = on_samples_failed,
                                          .context = flows};
    if (engine_open(&flows->engine, &engine, error) < 0) die(EXIT_BAD_INPUT, "%s", error);
}

static void open_files(const struct options *options) {
    if (options->report && json_file_try(options->report) < 0)
        die(EXIT_BAD_INPUT, "report %s: %s", options->report, strerror(errno));
}

static void begin_flows(struct flows *flows) {
    char error[PLAN_ERROR_SIZE];
    const struct plan *plan = &flows->plan;
    const bool is_near = flows->options.is_near;
    const bool pings = plan->ping_ms != FLOW_UNAVAILABLE;
    if ((is_near ? engine_begin : engine_listen)(flows->engine, error) < 0) die(EXIT_RUN_FAILED, "%s", error);
    if (pings && (is_near ? ping_send(&flows->ping, flows->loop, LAB_FAR_ADDRESS, FLOW_PING_PORT,
                                      plan->ping_ms * NS_PER_MS)
                          : ping_answer(&flows->ping, flows->loop, FLOW_PING_PORT)) < 0)
        die(EXIT_RUN_FAILED, "ping: %s", strerror(errno));
}

// Who times the command by the flows reads it while they run.
static void say_begun(const struct flows *flows) {
    const char *path = flows->options.begun;
    if (!path) return;
    json_t *begun = json_pack("{s:I}", "start_ns", (json_int_t)engine_start_ns(flows->engine));
    errno = ENOMEM;
    const int written = begun ? json_file_write(path, begun) : -1;
    json_decref(begun);
    if (written < 0) die(EXIT_RUN_FAILED, "begun %s: %s", path, strerror(errno));
}

static void start_command(struct flows *flows, unsigned inherited_descriptors) {
    const bool is_far = !flows->options.is_near;
    // The far end's command is the shaper, which builds the rest of the lab.
    const struct child_options child = {.argv = flows->options.command,
                                        .inherited_descriptors = inherited_descriptors,
                                        .keep_capabilities = is_far,
                                        .process_namespace = is_far,
                                        .prepare = restore_descriptors,
                                        .prepare_context = flows,
                                        .grace_ns = child_grace_ns};
    if (flows->options.command && child_start(&flows->child, &child) < 0)
        die(EXIT_RUN_FAILED, "%s: cannot be started: %s", flows->options.command[0], strerror(errno));
}

static void write_report(struct flows *flows) {
    const struct options *options = &flows->options;
    if (!options->report) return;
    json_t *report = report_of(flows->engine, &flows->plan, options->is_near,
                               options->is_near ? flows->ping : NULL, clock_now_ns());
    errno = ENOMEM;
    if (!report || json_file_write(options->report, report) < 0)
        say_file_failed(flows, "report", options->report, errno);
    json_decref(report);
}

static void end(struct flows *flows) {
    char first[PLAN_ERROR_SIZE];
    engine_stop(flows->engine);
    ping_stop(flows->ping);
    write_report(flows);
    if (engine_close_samples(flows->engine) < 0)
        say_file_failed(flows, "samples", flows->options.samples, errno);
    const size_t failures = engine_failures(flows->engine, first);
    if (failures > 0) log_line("%zu of %zu flows failed, first %s", failures, flows->plan.count, first);
    if (flows->status == 0 && (failures > 0 || flows->file_failed)) flows->status = EXIT_RUN_FAILED;
    child_close(&flows->child);
    ping_close(flows->ping);
    engine_close(flows->engine);
    loop_close(flows->loop);
    plan_close(&flows->plan);
}

static void raise_walls(const struct options *options) {
    static const unsigned calls[] = {WALLS_NETWORK};
    const struct walls walls = {.capabilities = WALLS_CAPABILITY(CAP_NET_ADMIN) |
                                                WALLS_CAPABILITY(CAP_NET_BIND_SERVICE) |
                                                WALLS_CAPABILITY(CAP_NET_RAW),
                                .calls = calls,
                                .call_count = sizeof calls / sizeof calls[0],
                                .writes = {options->report, options->samples, options->qlog}};
    walls_raise_or_say(&walls);
}

int main(int argc, char **argv) {
    const pid_t parent = getppid();
    log_program("trilane-flows");
    const unsigned inherited_descriptors = child_inherited_descriptors();
    struct flows flows = {.status = 0};
    char error[PLAN_ERROR_SIZE];
    options_read(&flows.options, argc, argv);
    if (plan_read(&flows.plan, flows.options.plan, error) < 0) die(EXIT_BAD_INPUT, "%s", error);
    open_files(&flows.options);
    raise_descriptors(&flows);
    signal(SIGPIPE, SIG_IGN);
    if (loop_open(&flows.loop) < 0) die(EXIT_RUN_FAILED, "event loop: %s", strerror(errno));
    enter_lab(&flows, parent);
    open_engine(&flows);
    flows.child = (struct child){.ended = on_child_ended, .interrupted = on_interrupted, .context = &flows};
    if (child_open(&flows.child, flows.loop) < 0) die(EXIT_RUN_FAILED, "signals: %s", strerror(errno));
    if (!flows.options.is_near) begin_flows(&flows); // before anybody can come
    start_command(&flows, inherited_descriptors);
    schedule_behind_link(); // what we inherited is the link's own rank
    if (flows.options.is_near) {
        begin_flows(&flows);
        say_begun(&flows);
    }
    // For flows that begin later: congestion controllers that the machine restricts, moves to another
    // address, pings.
    raise_walls(&flows.options);
    if (loop_run(flows.loop) < 0) {
        log_line("event loop: %s", strerror(errno));
        flows.status = EXIT_RUN_FAILED;
    }
    end(&flows);
    return flows.status;
}
