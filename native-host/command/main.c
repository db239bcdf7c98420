// trilane-command: runs one command and writes down what it took, as JSON, and what it printed. Ends with who
// started it, and leaves no process of the command.
#include "base/clock.h"
#include "base/command_line.h"
#include "base/json_file.h"
#include "base/log.h"
#include "base/walls.h"
#include "command/run.h"

#include <errno.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const char help[] =
    "Usage: trilane-command --record FILE [--output FILE] [--timeout-ms N] -- COMMAND [ARGUMENT]...\n"
    "Runs a command without a terminal, and writes down how long it took, the CPU time of all its processes\n"
    "and how it ended (schemas/command-record.schema.json, `process`). Processes that it leaves behind are\n"
    "killed.\n"
    "\n"
    "  --record FILE    the JSON\n"
    "  --output FILE    what it printed, its errors too: the first and the last 256 KiB\n"
    "  --timeout-ms N   end it after so long (default: an hour)\n"
    "  --help, --version\n"
    "\n"
    "Example:\n"
    "  trilane-command --record sleep.json -- sleep 0.1\n";

struct options {
    const char *record, *output;
    uint64_t timeout_ns;
    char *const *argv;
};

static void take_timeout(void *options, const struct option_row *row, const char *value) {
    (void)row;
    ((struct options *)options)->timeout_ns =
        command_line_number("--timeout-ms", value, 1, 864000000) * NS_PER_MS;
}

static const struct option_row rows[] = {
    {"record", OPTION_TEXT, OPTION_IN(struct options, record)},
    {"output", OPTION_TEXT, OPTION_IN(struct options, output)},
    {"timeout-ms", OPTION_TAKEN, .take = take_timeout},
};
static const struct command_line line = {
    .program = "trilane-command", .help = help, .rows = rows, .count = sizeof rows / sizeof *rows};

static void read_options(struct options *options, int argc, char **argv) {
    *options = (struct options){.timeout_ns = 3600 * NS_PER_S};
    const int words = command_line_read(&line, options, argc, argv);
    if (!options->record || words == argc) {
        fputs(help, stderr);
        exit(EXIT_BAD_INPUT);
    }
    options->argv = argv + words;
}

static json_t *exit_status(int status) {
    return WIFEXITED(status) ? json_integer(WEXITSTATUS(status)) : json_null();
}

static json_t *signal_name(int status) {
    if (!WIFSIGNALED(status)) return json_null();
    const char *name = sigabbrev_np(WTERMSIG(status));
    return name ? json_sprintf("SIG%s", name) : json_sprintf("signal %d", WTERMSIG(status));
}

static json_t *record_of(const struct run_result *result, const struct kept_output *output) {
    return json_pack("{s:s, s:I, s:I, s:f, s:o, s:o, s:b, s:f, s:f, s:I, s:I, s:I, s:b}", "version",
                     TRILANE_VERSION, "start_ns", (json_int_t)result->start_ns, "end_ns",
                     (json_int_t)result->end_ns, "wall_ms",
                     (double)(result->end_ns - result->start_ns) / (double)NS_PER_MS, "exit_status",
                     exit_status(result->wait_status), "signal", signal_name(result->wait_status),
                     "timed_out", result->timed_out, "user_ms", (double)result->user_us / 1000, "system_ms",
                     (double)result->system_us / 1000, "memory_bytes", (json_int_t)result->memory_bytes,
                     "left_behind", (json_int_t)result->left_behind, "output_bytes", (json_int_t)output->size,
                     "output_cut", kept_output_is_cut(output));
}

static void write_output(const char *path, const struct kept_output *output) {
    FILE *file = fopen(path, "we");
    if (!file || kept_output_write(output, file) < 0 || fclose(file) == EOF)
        die(EXIT_RUN_FAILED, "%s: %s", path, strerror(errno));
}

int main(int argc, char **argv) {
    static struct kept_output output;
    struct options options;
    struct run_result result;
    const pid_t parent = getppid();
    log_program("trilane-command");
    read_options(&options, argc, argv);
    // Not SIGKILL: the command's processes are ended first.
    if (prctl(PR_SET_PDEATHSIG, SIGTERM) < 0 || getppid() != parent) return EXIT_RUN_FAILED;
    static const unsigned calls[] = {__NR_pidfd_open};
    const struct walls walls = {.capabilities = WALLS_CAPABILITY(CAP_KILL),
                                .calls = calls,
                                .call_count = sizeof calls / sizeof calls[0],
                                .writes = {options.record, options.output}};
    run_command(options.argv, options.timeout_ns, &walls, &output, &result);
    if (result.interrupted) return EXIT_RUN_FAILED;
    if (options.output) write_output(options.output, &output);
    json_t *record = record_of(&result, &output);
    if (!record) die(EXIT_RUN_FAILED, "memory is short");
    if (json_file_write(options.record, record) < 0)
        die(EXIT_RUN_FAILED, "%s: %s", options.record, strerror(errno));
    json_decref(record);
    return 0;
}
