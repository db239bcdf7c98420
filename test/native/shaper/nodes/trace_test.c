// trace: what its lines mean, where it begins again, what is wrong with a file, and that the time which lines
// take grows with their number.
#include "shaper/nodes/trace.h"
#include "test/native/cmocka_unit.h"

#include <sys/stat.h>
#include <time.h>

#define MS UINT64_C(1000000)

static struct trace *read_text(const char *text, size_t size, char *error, size_t error_size) {
    FILE *file = fopen(unit_path("trace"), "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return trace_open(unit_path("trace"), error, error_size);
}

static struct trace *read_good(const char *text) {
    char error[512] = "";
    struct trace *trace = read_text(text, strlen(text), error, sizeof error);
    if (!trace) fail_msg("%s", error);
    return trace;
}

UNIT_TEST(lines_are_opportunities) {
    struct trace *trace = read_good("0\n1\n1\n\x37\n10"); // the last line may lack its end
    assert_int_equal(trace_count(trace), 5);
    assert_int_equal(trace_length_ns(trace), 10 * MS);
    assert_int_equal(trace_mean_bps(trace), 5 * 12000 * 100);
    static const uint64_t times_ms[] = {0, 1, 1, 7, 10, 10, 11, 11, 17, 20, 20, 21};
    for (uint64_t n = 0; n < sizeof times_ms / sizeof times_ms[0]; n++) {
        assert_int_equal(trace_at_ns(trace, false, n), times_ms[n] * MS);
        assert_true(trace_at_ns(trace, true, n) == (n < 5 ? times_ms[n] * MS : TRACE_NEVER));
    }
    trace_close(trace);
    trace = read_good("4294967295\n");
    assert_int_equal(trace_at_ns(trace, false, 3), 4 * UINT64_C(4294967295) * MS);
    assert_int_equal(trace_mean_bps(trace), 1);
    trace_close(trace);
}

// Against counting one by one, at every time of a few rounds.
UNIT_TEST(passed_counts_them) {
    static const char *const texts[] = {"0\n1\n1\n7\n10\n", "1\n", "0\n0\n0\n5\n", "3\n3\n3\n4\n"};
    for (int t = 0; t < 4; t++)
        for (int once = 0; once < 2; once++) {
            struct trace *trace = read_good(texts[t]);
            uint64_t n = 0;
            for (uint64_t now_ns = 0; now_ns < 45 * MS; now_ns += MS / 4) {
                while (trace_at_ns(trace, once, n) <= now_ns)
                    n++;
                assert_int_equal(trace_passed(trace, once, now_ns), n);
            }
            trace_close(trace);
        }
}

UNIT_TEST(errors_name_file_and_line) {
    static const struct {
        const char *text;
        const char *line;
    } cases[] = {
        {"1\n2\nthree\n", "line 3: no time: write whole milliseconds from 0 to 4294967295, one a line"},
        {"1\n5\n4\n9\n", "line 3: 4 ms after 5 ms: times must not decrease; sort the file's lines"},
        {"", "line 1: no time: write one in whole milliseconds a line"},
        {"1\n\n2\n", "line 2: empty: write a time in whole milliseconds on every line"},
        {"\n", "line 1: empty: write a time in whole milliseconds on every line"},
        {"0\n0\n", "line 2: the trace ends at 0 ms: its last time, which is its length, must be above 0"},
        {"0", "line 1: the trace ends at 0 ms: its last time, which is its length, must be above 0"},
        {"-1\n", "line 1: no time: write whole milliseconds from 0 to 4294967295, one a line"},
        {"1.5\n", "line 1: no time: write whole milliseconds from 0 to 4294967295, one a line"},
        {" 1\n", "line 1: no time: write whole milliseconds from 0 to 4294967295, one a line"},
        {"1\r\n", "line 1: no time: write whole milliseconds from 0 to 4294967295, one a line"},
        {"1\n4294967296\n", "line 2: no time: write whole milliseconds from 0 to 4294967295, one a line"},
        {"99999999999999999999999999999999999999\n", "line 1: no time: write "
                                                     "whole milliseconds from 0 to 4294967295, one "
                                                     "a line"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char error[512], expected[512];
        assert_null(read_text(cases[i].text, strlen(cases[i].text), error, sizeof error));
        snprintf(expected, sizeof expected, "%s: %s", unit_path("trace"), cases[i].line);
        assert_string_equal(error, expected);
    }
    char error[512], zero[] = "1\n2\0003\n";
    assert_null(read_text(zero, sizeof zero - 1, error, sizeof error));
    assert_non_null(strstr(error, "line 2: no time: write"));
}

UNIT_TEST(what_is_no_file_is_refused) {
    char error[512], fifo[64];
    assert_null(trace_open("/nowhere/trace", error, sizeof error));
    assert_string_equal(error, "/nowhere/trace: No such file or directory: name a trace file");
    assert_null(trace_open("/tmp", error, sizeof error));
    assert_string_equal(error, "/tmp: not a regular file: name a trace file");
    assert_null(trace_open("/dev/zero", error, sizeof error));
    assert_string_equal(error, "/dev/zero: not a regular file: name a trace file");
    snprintf(fifo, sizeof fifo, "%s.fifo", unit_path("trace"));
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_null(trace_open(fifo, error, sizeof error)); // and does not wait for a writer
    assert_non_null(strstr(error, ": not a regular file"));
    unlink(fifo);
}

// A trace of so many lines, and the CPU time that opening it took, which other processes do not use up.
static struct trace *open_lines(uint32_t lines, double *took_s) {
    FILE *file = fopen(unit_path("trace"), "w");
    assert_non_null(file);
    for (uint32_t i = 0; i < lines; i++)
        fprintf(file, "%u\n", i / 3);
    assert_int_equal(fclose(file), 0);
    struct timespec start, end;
    char error[512] = "";
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
    struct trace *trace = trace_open(unit_path("trace"), error, sizeof error);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    assert_string_equal(error, "");
    *took_s = (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9;
    return trace;
}

UNIT_TEST(ten_times_as_many_lines_take_about_ten_times_as_long) {
    enum { LINES = 3000000 };
    double few_s = 0, many_s = 0;
    trace_close(open_lines(LINES / 10, &few_s));
    struct trace *trace = open_lines(LINES, &many_s);
    print_message("%d lines: %.3f s, ten times as many: %.3f s\n", LINES / 10, few_s, many_s);
    assert_true(many_s < 40 * few_s);
    assert_int_equal(trace_count(trace), LINES);
    assert_int_equal(trace_at_ns(trace, false, LINES - 1), (LINES - 1) / 3 * MS);
    for (uint64_t n = 0; n < 3 * (uint64_t)LINES; n += 99991)
        assert_true(trace_passed(trace, false, trace_at_ns(trace, false, n)) > n);
    trace_close(trace);
}
