// trilane-server: runs another program's server in the namespace that it is in, waits until it listens, runs
// a command beside it, and ends the server with the command. Writes down what the server cost and whether it
// ended by itself.
#include "base/child.h"
#include "base/clock.h"
#include "base/command_line.h"
#include "base/json_file.h"
#include "base/log.h"
#include "base/loop.h"
#include "base/walls.h"
#include "origin_server/serve.h"

#include <errno.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

static const char help[] =
    "Usage: trilane-server --run SERVER --output FILE [OPTIONS] -- COMMAND [ARGUMENT]...\n"
    "Runs SERVER (a command for /bin/sh that does not go to the background), waits until it listens, runs\n"
    "COMMAND beside it, and ends SERVER with COMMAND. Ends with COMMAND's exit status.\n"
    "\n"
    "  --run SERVER      what serves\n"
    "  --output FILE     what it prints\n"
    "  --name NAME       what messages call it (default: it)\n"
    "  --listens PORTS   what it is to listen on, as tcp:443,udp:443\n"
    "  --patience-ms N   how long that may take (default 10000)\n"
    "  --report FILE     its CPU time while COMMAND ran, and how it ended, as JSON\n"
    "                    (trilane/server-report/1)\n"
    "  --help, --version\n"
    "\n"
    "Example:\n"
    "  trilane-server --run 'exec python3 -m http.server 8000' --output log --listens tcp:8000 -- \\\n"
    "    curl http://127.0.0.1:8000/\n";

static const uint64_t grace_ns = 2 * NS_PER_S;

struct beside {
    struct serve serve;
    const char *report; // NULL: none
    struct loop *loop;
    struct loop_watch end_watch;
    struct child child;
    int status;
};

static void take_ports(void *options, const struct option_row *row, const char *text) {
    struct serve *serve = &((struct beside *)options)->serve;
    (void)row;
    while (*text) {
        const bool is_udp = strncmp(text, "udp:", 4) == 0;
        char number[8] = "";
        if (!is_udp && strncmp(text, "tcp:", 4) != 0)
            die(EXIT_BAD_INPUT, "--listens: must be as tcp:443,udp:443 (got \"%s\")", text);
        if (serve->port_count == SERVE_PORTS_MAX)
            die(EXIT_BAD_INPUT, "--listens: more than %d ports", SERVE_PORTS_MAX);
        text += 4;
        const size_t size = strcspn(text, ",");
        snprintf(number, sizeof number, "%.*s", (int)size, text);
        serve->ports[serve->port_count++] = (struct serve_port){
            is_udp ? "udp" : "tcp", (uint16_t)command_line_number("--listens", number, 1, 65535)};
        text += size;
        if (*text == ',') text++;
    }
}

static void take_patience(void *options, const struct option_row *row, const char *value) {
    (void)row;
    ((struct beside *)options)->serve.patience_ns =
        command_line_number("--patience-ms", value, 1, 600000) * NS_PER_MS;
}

static const struct option_row rows[] = {
    {"run", OPTION_TEXT, OPTION_IN(struct beside, serve.command)},
    {"output", OPTION_TEXT, OPTION_IN(struct beside, serve.output)},
    {"name", OPTION_TEXT, OPTION_IN(struct beside, serve.name)},
    {"report", OPTION_TEXT, OPTION_IN(struct beside, report)},
    {"listens", OPTION_TAKEN, .take = take_ports},
    {"patience-ms", OPTION_TAKEN, .take = take_patience},
};
static const struct command_line line = {
    .program = "trilane-server", .help = help, .rows = rows, .count = sizeof rows / sizeof *rows};

static char *const *read_options(struct beside *beside, int argc, char **argv) {
    beside->serve.patience_ns = 10 * NS_PER_S;
    beside->serve.name = "it";
    const int words = command_line_read(&line, beside, argc, argv);
    if (!beside->serve.command || !beside->serve.output || words == argc) {
        fputs(help, stderr);
        exit(EXIT_BAD_INPUT);
    }
    return argv + words;
}

static void on_server_ended(void *context, uint32_t events) {
    struct beside *beside = context;
    (void)events;
    loop_remove(beside->loop, &beside->end_watch);
    serve_note_end(&beside->serve, clock_now_ns());
}

static void on_command_ended(void *context, int status) {
    struct beside *beside = context;
    beside->status = status;
    loop_stop(beside->loop);
}

static void run_beside(struct beside *beside, char *const *argv, unsigned inherited_descriptors) {
    const struct child_options options = {.argv = argv,
                                          .inherited_descriptors = inherited_descriptors,
                                          .keep_capabilities = true,
                                          .grace_ns = grace_ns};
    beside->child.ended = on_command_ended;
    beside->child.context = beside;
    beside->end_watch =
        (struct loop_watch){.fd = beside->serve.pidfd, .ready = on_server_ended, .context = beside};
    if (loop_open(&beside->loop) < 0 || child_open(&beside->child, beside->loop) < 0 ||
        loop_add(beside->loop, &beside->end_watch, EPOLLIN) < 0)
        die(EXIT_RUN_FAILED, "no event loop: %s", strerror(errno));
    if (child_start(&beside->child, &options) < 0)
        die(EXIT_RUN_FAILED, "%s: cannot be started: %s", argv[0], strerror(errno));
    // It ends a server whose processes are another user's, as nginx's are.
    const struct walls walls = {.capabilities = WALLS_CAPABILITY(CAP_KILL),
                                .writes = {beside->report, beside->serve.output}};
    walls_raise_or_say(&walls);
    if (loop_run(beside->loop) < 0) die(EXIT_RUN_FAILED, "the event loop failed: %s", strerror(errno));
    child_close(&beside->child);
}

static json_t *end_of(const struct serve *serve) {
    if (!serve->has_ended) return json_null();
    const bool is_signal = WIFSIGNALED(serve->wait_status);
    return json_pack("{s:I, s:o, s:o}", "time_ns", (json_int_t)serve->ended_ns, "exit_status",
                     is_signal ? json_null() : json_integer(WEXITSTATUS(serve->wait_status)), "signal",
                     is_signal ? json_integer(WTERMSIG(serve->wait_status)) : json_null());
}

static void write_report(struct beside *beside) {
    // Of one that ended nothing is left to read.
    json_t *cpu =
        beside->serve.has_ended ? json_null() : json_integer((json_int_t)serve_cpu_ns(&beside->serve));
    json_t *report =
        json_pack("{s:s, s:I, s:o, s:o}", "schema", "trilane/server-report/1", "ready_ns",
                  (json_int_t)beside->serve.ready_ns, "cpu_ns", cpu, "ended", end_of(&beside->serve));
    if (!report || json_file_write(beside->report, report) < 0) {
        log_line("%s: %s", beside->report, strerror(errno));
        beside->status = EXIT_RUN_FAILED;
    }
    json_decref(report);
}

int main(int argc, char **argv) {
    static struct beside beside;
    const pid_t parent = getppid();
    log_program("trilane-server");
    const unsigned inherited_descriptors = child_inherited_descriptors();
    char *const *command = read_options(&beside, argc, argv);
    child_die_with_parent(parent);
    serve_start(&beside.serve);
    run_beside(&beside, command, inherited_descriptors);
    if (beside.report) write_report(&beside);
    serve_stop(&beside.serve);
    return beside.status;
}
