// trilane-replay as its users meet it: started, served from, attacked, interrupted, killed.
#include "../shaper/run.h"
#include "inside.h"
#include "page_archive.h"
#include "test/native/cmocka_unit.h"
#include "test/native/json_values.h"

#include <jansson.h>
#include <signal.h>
#include <sys/resource.h>

enum { ARGUMENTS_MAX = 24 };

struct fixture {
    char home[64];
    char report[96];
};

static int make_archive(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    *state = f;
    if (page_archive_make(f->home) < 0) return -1;
    snprintf(f->report, sizeof f->report, "%s/report.json", f->home);
    return 0;
}

static int remove_archive(void **state) {
    free(*state);
    return 0;
}

static void limit(int what, rlim_t value) {
    struct rlimit both = {.rlim_cur = value, .rlim_max = value};
    if (setrlimit(what, &both) < 0) _exit(99);
}

static void prepare(void) {
    closefrom(3);
    dup2(2, 9); // is not to reach the command
    signal(SIGXFSZ, SIG_IGN);
}

static void prepare_few_descriptors(void) {
    prepare();
    limit(RLIMIT_NOFILE, 64);
}

static void prepare_full_disk(void) {
    prepare();
    limit(RLIMIT_FSIZE, 512);
}

// `arguments` follow the program's name; NULL-terminated.
static void start(struct run *run, const char *const *arguments, void (*preparation)(void)) {
    const char *argv[ARGUMENTS_MAX] = {PROGRAM_TRILANE_REPLAY};
    for (size_t i = 0; arguments[i]; i++)
        argv[i + 1] = arguments[i];
    run_start(run, (char *const *)argv, preparation);
}

#define RUN(run, preparation, ...)                                                                           \
    do {                                                                                                     \
        start(run, (const char *const[]){__VA_ARGS__, NULL}, preparation);                                   \
        run_finish(run);                                                                                     \
    } while (0)

// `options`: of trilane-replay, beside those that it has here; NULL-terminated.
static void end_inside_with(struct fixture *f, struct run *run, const char *scenario,
                            const char *const *options, void (*preparation)(void)) {
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(n > 0);
    self[n] = '\0';
    const char *arguments[ARGUMENTS_MAX] = {"--home", f->home, "--recording", "page", "--report", f->report};
    size_t count = 6;
    for (; *options; options++)
        arguments[count++] = *options;
    const char *const command[] = {"--", self, "inside", scenario, f->home};
    for (size_t i = 0; i < sizeof command / sizeof *command; i++)
        arguments[count++] = command[i];
    start(run, arguments, preparation);
    run_finish(run);
}

// It is to succeed.
static void run_inside(struct fixture *f, const char *scenario, const char *const *options,
                       void (*preparation)(void)) {
    struct run run;
    end_inside_with(f, &run, scenario, options, preparation);
    if (run.status != 0) fail_msg("%s: status %d: %s", scenario, run.status, run.err);
}

#define RUN_INSIDE(f, scenario, ...) run_inside(f, scenario, (const char *const[]){__VA_ARGS__}, prepare)

static json_t *load_report(struct fixture *f) {
    json_error_t why;
    json_t *report = json_load_file(f->report, 0, &why);
    if (!report) fail_msg("%s: %s", f->report, why.text);
    return report;
}

// The same keys at every depth; the entries of a list all like the example's first.
static void assert_shape(const json_t *report, const json_t *example) {
    const char *key;
    json_t *member;
    json_t *other = (json_t *)example;
    json_object_foreach((json_t *)report, key, member) {
        if (!json_object_get(other, key)) fail_msg("%s: is in no example", key);
        assert_shape(member, json_object_get(other, key));
    }
    // A protocol that answered nothing is not told of.
    json_object_foreach(other, key, member) if (json_is_object(report) && !json_object_get(report, key) &&
                                                strcmp(key, "h1") != 0 && strcmp(key, "h2") != 0 &&
                                                strcmp(key, "h3") != 0) fail_msg("%s: is missing", key);
    size_t at;
    json_array_foreach((json_t *)report, at, member) assert_shape(member, json_array_get(other, 0));
}

static void assert_like_example(const json_t *report) {
    json_t *example =
        json_load_file(TRILANE_ROOT "/schemas/examples/replay-report/three-lanes.json", 0, NULL);
    assert_non_null(example);
    assert_shape(report, example);
    json_decref(example);
}

static json_int_t count_of(json_t *report, const char *name) {
    return json_integer_value(json_object_get(json_object_get(report, "counts"), name));
}

UNIT_TEST_OF(test_serves_and_reports, struct fixture *f, make_archive, remove_archive) {
    struct rlimit ours;
    char descriptors[32];
    getrlimit(RLIMIT_NOFILE, &ours);
    snprintf(descriptors, sizeof descriptors, "%llu", (unsigned long long)ours.rlim_cur);
    setenv("TEST_DESCRIPTORS", descriptors, 1);
    setenv("SSL_CERT_FILE", "/kept", 1);
    RUN_INSIDE(f, "serves", NULL);
    json_t *report = load_report(f);
    assert_string_equal(text(report, "schema"), "trilane/replay-report/1");
    assert_like_example(report);
    assert_int_equal(count_of(report, "exact"), 4);
    assert_int_equal(count_of(report, "aborted"), 0);
    json_t *large = entry(report, "requests", 2);
    assert_string_equal(text(large, "url"), "https://a.test/large");
    assert_int_equal(number(large, "seq"), 2);
    json_t *connection = entry(report, "connections", 2);
    assert_string_equal(text(connection, "local_address"), PAGE_ADDRESS_6);
    // Its handshake's signature alone takes longer than the clock's grain.
    json_t *cost = json_object_get(connection, "cost");
    assert_true(number(cost, "cpu_user_us") + number(cost, "cpu_system_us") > 0);
    assert_true(json_is_null(json_object_get(cost, "cycles")) ==
                json_is_string(json_object_get(cost, "cycles_missing")));
    json_t *tcp = json_object_get(json_object_get(report, "transport"), "tcp");
    assert_string_equal(text(tcp, "congestion_control"), "cubic");
    assert_true(json_is_false(json_object_get(tcp, "metrics_saved")));
    json_decref(report);
}

// The lines of a file of samples, each an object; fails the test where one is not.
static json_t *load_lines(const char *path) {
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    json_t *lines = json_array();
    char line[2048];
    while (fgets(line, sizeof line, file)) {
        json_error_t why;
        json_t *object = json_loads(line, 0, &why);
        if (!object) fail_msg("%s: %s", why.text, line);
        json_array_append_new(lines, object);
    }
    fclose(file);
    return lines;
}

UNIT_TEST_OF(test_transports_are_as_asked, struct fixture *f, make_archive, remove_archive) {
    RUN_INSIDE(f, "serves", "--tcp-congestion", "reno", "--tcp-initcwnd", "32", "--tcp-pacing", "on",
               "--tcp-send-buffer", "262144", "--quic-batching", "sendmmsg", NULL);
    json_t *report = load_report(f);
    assert_like_example(report);
    const json_t *transport = json_object_get(report, "transport");
    const json_t *tcp = json_object_get(transport, "tcp");
    assert_string_equal(text(tcp, "congestion_control"), "reno");
    assert_int_equal(number(tcp, "initial_window_packets"), 32);
    assert_int_equal(number(tcp, "send_buffer_bytes"), 262144);
    assert_true(json_is_true(json_object_get(tcp, "pacing")));
    const json_t *quic = json_object_get(transport, "quic");
    assert_string_equal(text(quic, "batching"), "sendmmsg");
    assert_int_equal(number(quic, "initial_window_packets"), 10);
    json_decref(report);
}

UNIT_TEST_OF(test_tells_of_tcp, struct fixture *f, make_archive, remove_archive) {
    char path[96];
    snprintf(path, sizeof path, "%s/tcp.jsonl", f->home);
    RUN_INSIDE(f, "serves", "--tcp-info", path, "--tcp-pacing", "on", "--tcp-send-buffer", "262144", NULL);
    json_t *report = load_report(f);
    json_t *lines = load_lines(path);
    const json_t *connections = json_object_get(report, "connections");
    for (size_t i = 0; i < json_array_size(connections); i++) {
        const json_t *connection = json_array_get(connections, i);
        json_int_t opened_ns = 0, closed_ns = 0, sent_bytes = 0;
        size_t at;
        json_t *line;
        json_array_foreach(lines, at, line) {
            if (number(line, "connection") != (json_int_t)i) continue;
            const char *event = text(line, "event");
            if (strcmp(event, "opened") == 0) {
                opened_ns = number(line, "time_ns");
                assert_true(json_is_true(json_object_get(line, "paced"))); // though set on the listener
                assert_int_equal(number(line, "send_buffer_bytes"), 262144);
                const char *local = text(line, "local");
                assert_non_null(strstr(local, text(connection, "local_address")));
                continue;
            }
            assert_true(number(line, "bytes_sent") >= sent_bytes);
            sent_bytes = number(line, "bytes_sent");
            if (strcmp(event, "closed") == 0) closed_ns = number(line, "time_ns");
        }
        assert_true(opened_ns >= number(connection, "opened_ns"));
        assert_true(closed_ns >= opened_ns);
        assert_true(sent_bytes > 0);
        if (strcmp(text(connection, "local_address"), PAGE_ADDRESS_6) == 0)
            assert_true(sent_bytes > PAGE_LARGE_BYTES);
    }
    json_decref(lines);
    json_decref(report);
}

UNIT_TEST_OF(test_samples_that_do_not_fit, struct fixture *f, make_archive, remove_archive) {
    struct run run;
    static const char *const options[] = {"--tcp-info", "/dev/full", NULL};
    end_inside_with(f, &run, "serves", options, prepare);
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.err, "/dev/full: not all of it could be written: "));
    json_decref(load_report(f)); // which is there all the same
}

UNIT_TEST_OF(test_survives_garbage, struct fixture *f, make_archive, remove_archive) {
    RUN_INSIDE(f, "garbage", NULL);
}

UNIT_TEST_OF(test_survives_clients_that_vanish, struct fixture *f, make_archive, remove_archive) {
    RUN_INSIDE(f, "vanish", NULL);
    json_t *report = load_report(f);
    assert_true(count_of(report, "aborted") >= 10);
    assert_true(count_of(report, "failed_handshakes") >= 10);
    json_decref(report);
}

UNIT_TEST_OF(test_survives_want_of_descriptors, struct fixture *f, make_archive, remove_archive) {
    run_inside(f, "crowd", (const char *const[]){NULL}, prepare_few_descriptors);
}

UNIT_TEST_OF(test_exit_status_is_the_commands, struct fixture *f, make_archive, remove_archive) {
    static const struct {
        const char *command[3];
        int status;
    } cases[] = {{{"sh", "-c", "exit 7"}, 7},
                 {{"sh", "-c", "kill -TERM $$"}, 128 + SIGTERM},
                 {{"/no/such/command", NULL, NULL}, 127},
                 {{"/etc", NULL, NULL}, 126}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct run run;
        RUN(&run, prepare, "--home", f->home, "--recording", "page", "--", cases[i].command[0],
            cases[i].command[1], cases[i].command[2]);
        assert_int_equal(run.status, cases[i].status);
    }
}

UNIT_TEST_OF(test_bad_input_is_one_line, struct fixture *f, make_archive, remove_archive) {
    const char *h = f->home;
    const struct {
        const char *arguments[10];
        const char *line;
    } cases[] = {
        {{"--home", h, NULL}, "--recording NAME is missing"},
        {{"--home", h, "--recording", "other", "--", "true", NULL}, "\"other\": not in the archive"},
        {{"--home", h, "--recording", "broken", "--", "true", NULL}, "No such file"},
        {{"--home", "/dev/null/x", "--recording", "page", NULL}, "/dev/null/x"},
        {{"--home", h, "--recording", "page", "true", NULL}, "true: unexpected"},
        {{"--home", h, "--recording", "page", "--tcp-pacing", "yes", NULL},
         "--tcp-pacing: must be off or on"},
        {{"--home", h, "--recording", "page", "--think", "fast", NULL}, "--think: must be none, recorded"},
        {{"--home", h, "--recording", "page", "--tcp-info", "/no/such/folder/t", NULL}, "/no/such/folder/t"},
        {{"--home", h, "--recording", "page", "--quic-send-buffer", "1073741824", "--", "true", NULL},
         "grants a UDP socket at most"},
        {{"--home", h, "--recording", "page", "--initcwnd", "0", NULL},
         "--initcwnd: must be a number from 1 to"},
        {{"--home", h, "--recording", "page", "--initcwnd", "1x", NULL},
         "--initcwnd: must be a number from 1 to"},
        {{"--home", h, "--recording", "page", "--congestion", "warp", NULL}, "\"warp\": this kernel has "},
        {{"--home", h, "--recording", "page", "--quic-congestion", "warp", NULL},
         "--quic-congestion: must be cubic, reno"},
        {{"--home", h, "--recording", "page", "--report", "/no/such/folder/r.json", NULL}, "/no/such/folder"},
        {{"--home", h, "--recording", NULL}, "--recording: wants a value"},
        {{"--speed", NULL}, "--speed: no such option"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct run run;
        start(&run, cases[i].arguments, prepare);
        run_finish(&run);
        const char *end = strchr(run.err, '\n');
        bool one_line = end && end[1] == '\0' && strncmp(run.err, "trilane-replay: ", 16) == 0;
        if (run.status != 2 || !one_line || !strstr(run.err, cases[i].line))
            fail_msg("case %zu: status %d: %s", i, run.status, run.err);
    }
}

UNIT_TEST_OF(test_transports_that_cannot_be, struct fixture *f, make_archive, remove_archive) {
    static const char *const wrong[][2] = {
        {"--tcp-initcwnd", "0"},       {"--tcp-initcwnd", "1001"},
        {"--tcp-initcwnd", "ten"},     {"--quic-initcwnd", "-1"},
        {"--quic-initcwnd", ""},       {"--initcwnd", "1.5"},
        {"--quic-pacing", ""},         {"--tcp-slow-start-after-idle", "1"},
        {"--tcp-send-buffer", "100"},  {"--tcp-receive-buffer", "99999999999999999999"},
        {"--quic-payload", "1199"},    {"--quic-payload", "1453"},
        {"--quic-max-ack-delay", "x"}, {"--quic-batching", "GSO"},
        {"--quic-batching", ""},       {"--tcp-bounds-unsent", "16384"},
        {"--quic-speed", "fast"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct run run;
        char begin[96];
        RUN(&run, prepare, "--home", f->home, "--recording", "page", wrong[i][0], wrong[i][1]);
        snprintf(begin, sizeof begin, "trilane-replay: %s: ", wrong[i][0]);
        const char *end = strchr(run.err, '\n');
        if (run.status != 2 || strncmp(run.err, begin, strlen(begin)) != 0 || !end || end[1] != '\0')
            fail_msg("%s \"%s\": status %d: %s", wrong[i][0], wrong[i][1], run.status, run.err);
    }
}

// A limit on the size of files stands in for a full disk: the write fails half-way.
UNIT_TEST_OF(test_report_that_does_not_fit, struct fixture *f, make_archive, remove_archive) {
    struct run first, run;
    // Makes the authority, which would not fit either.
    RUN(&first, prepare, "--home", f->home, "--print-spki");
    assert_int_equal(first.status, 0);
    assert_int_equal(strlen(first.out), 2 * 44 + 2);
    RUN(&run, prepare_full_disk, "--home", f->home, "--recording", "page", "--report", f->report, "--",
        "true");
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.err, "report.json: cannot be written: File too large\n"));
    char command[160];
    snprintf(command, sizeof command, "ls %s | grep -c report", f->home);
    assert_int_not_equal(system(command), 0); // nothing left of it
}

// Starts one that waits for ever and says so when it is there.
static void start_endless(struct fixture *f, struct run *run, bool with_command) {
    const char *const arguments[] = {"--home",
                                     f->home,
                                     "--recording",
                                     "page",
                                     "--report",
                                     f->report,
                                     with_command ? "--" : NULL,
                                     "sh",
                                     "-c",
                                     "echo ready; sleep 1000 & sleep 1000; sleep 1000",
                                     NULL};
    start(run, arguments, prepare);
    char ready[200] = "";
    assert_true(read(run->pipes[0], ready, sizeof ready - 1) > 0);
    assert_non_null(strstr(ready, with_command ? "ready" : "serving \"page\" on 2 addresses"));
}

// run_finish() returns when nobody has the pipes any more: no process is left.
UNIT_TEST_OF(test_interrupted, struct fixture *f, make_archive, remove_archive) {
    static const int signals[] = {SIGINT, SIGTERM};
    for (size_t i = 0; i < 2; i++) {
        struct run run;
        start_endless(f, &run, true);
        kill(run.pid, signals[i]);
        run_finish(&run);
        assert_false(run.overdue);
        if (run.status < 128) fail_msg("status %d", run.status);
        json_decref(load_report(f));
        assert_int_equal(unlink(f->report), 0);
        start_endless(f, &run, false);
        kill(run.pid, signals[i]);
        run_finish(&run);
        assert_false(run.overdue);
        assert_int_equal(run.status, 0);
        json_decref(load_report(f));
        assert_int_equal(unlink(f->report), 0);
    }
}

UNIT_TEST_OF(test_killed, struct fixture *f, make_archive, remove_archive) {
    struct run run;
    start_endless(f, &run, true);
    kill(run.pid, SIGKILL);
    run_finish(&run);
    assert_false(run.overdue);
    assert_int_equal(run.status, 128 + SIGKILL);
}

int main(int argc, char **argv) {
    if (argc == 4 && strcmp(argv[1], "inside") == 0) return inside_run(argv[2], argv[3]);
    return unit_tests_run();
}
