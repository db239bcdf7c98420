// trilane-command: runs one command and writes down what it took, as JSON, and what it printed. Ends with who
// started it, and leaves no process of the command.
#include "base/clock.h"
#include "base/json_file.h"
#include "base/log.h"
#include "command/run.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const char help[] =
    "Usage: trilane-command --record FILE [--output FILE] [--timeout-ms N] -- COMMAND [ARGUMENT]...\n"
    "Runs a command without a terminal, and writes down how long it took, the CPU time of all its processes "
    "and how it\n"
    "ended (schemas/command-record.schema.json, `process`). Processes that it leaves behind are killed.\n"
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

static uint64_t read_timeout(const char *text) {
    char *end;
    errno = 0;
    unsigned long long value_ms = strtoull(text, &end, 10);
    if (errno || end == text || *end || *text == '-' || value_ms < 1 || value_ms > 864000000)
        die(EXIT_BAD_INPUT, "--timeout-ms must be a number from 1 to 864000000 (got \"%s\")", text);
    return value_ms * NS_PER_MS;
}

static void read_options(struct options *options, int argc, char **argv) {
    static const struct option known[] = {
        {"record", required_argument, NULL, 'r'},     {"output", required_argument, NULL, 'o'},
        {"timeout-ms", required_argument, NULL, 't'}, {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'v'},          {NULL, 0, NULL, 0}};
    *options = (struct options){.timeout_ns = 3600 * NS_PER_S};
    int option;
    while ((option = getopt_long(argc, argv, "+", known, NULL)) != -1) {
        switch (option) {
        case 'r':
            options->record = optarg;
            break;
        case 'o':
            options->output = optarg;
            break;
        case 't':
            options->timeout_ns = read_timeout(optarg);
            break;
        case 'h':
            fputs(help, stdout);
            exit(0);
        case 'v':
            puts("trilane-command " TRILANE_VERSION);
            exit(0);
        default:
            exit(EXIT_BAD_INPUT);
        }
    }
    if (!options->record || optind == argc) {
        fputs(help, stderr);
        exit(EXIT_BAD_INPUT);
    }
    options->argv = argv + optind;
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
    run_command(options.argv, options.timeout_ns, &output, &result);
    if (result.interrupted) return EXIT_RUN_FAILED;
    if (options.output) write_output(options.output, &output);
    json_t *record = record_of(&result, &output);
    if (!record) die(EXIT_RUN_FAILED, "memory is short");
    if (json_file_write(options.record, record) < 0)
        die(EXIT_RUN_FAILED, "%s: %s", options.record, strerror(errno));
    json_decref(record);
    return 0;
}
