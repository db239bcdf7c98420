#include "shaper/nodes/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const uint64_t ms_ns = 1000000;

enum { READ_BYTES = 1 << 16 };

struct trace {
    uint64_t count;
    uint64_t room;
    uint32_t *times_ms; // 2^32 ms are 49 days
    uint32_t shared;    // owners besides the first
};

// Takes the file apart byte by byte, wherever the pieces that it is read in end.
struct reading {
    struct trace *trace;
    const char *path;
    char *error;
    size_t error_size;
    uint64_t line;  // from 1
    uint64_t value; // of the digits so far; stays above UINT32_MAX once it is
    bool good;      // digits so far, and at least one
    size_t size;    // of the line so far
};

static int fail(const struct reading *reading, const char *what) {
    snprintf(reading->error, reading->error_size, "%s: line %llu: %s", reading->path,
             (unsigned long long)reading->line, what);
    return -1;
}

static int fail_at_text(const struct reading *reading) {
    if (reading->size == 0) return fail(reading, "empty: write a time in whole milliseconds on every line");
    // Not what stands there: the error may go where the file may not be read.
    return fail(reading, "no time: write whole milliseconds from 0 to 4294967295, one a line");
}

static void begin_line(struct reading *reading) {
    reading->line++;
    reading->value = 0;
    reading->good = true;
    reading->size = 0;
}

static int end_line(struct reading *reading) {
    struct trace *trace = reading->trace;
    if (!reading->good || reading->size == 0 || reading->value > UINT32_MAX) return fail_at_text(reading);
    if (trace->count > 0 && reading->value < trace->times_ms[trace->count - 1]) {
        char what[120];
        snprintf(what, sizeof what, "%u ms after %u ms: times must not decrease; sort the file's lines",
                 (unsigned)reading->value, trace->times_ms[trace->count - 1]);
        return fail(reading, what);
    }
    if (trace->count == trace->room) {
        uint64_t room = trace->room > 0 ? 2 * trace->room : 4096;
        uint32_t *times_ms = realloc(trace->times_ms, room * sizeof *times_ms);
        if (!times_ms) return fail(reading, "not enough memory: shorten the trace");
        trace->times_ms = times_ms;
        trace->room = room;
    }
    trace->times_ms[trace->count++] = (uint32_t)reading->value;
    begin_line(reading);
    return 0;
}

static int read_bytes(struct reading *reading, const char *bytes, size_t size) {
    for (size_t i = 0; i < size; i++) {
        char c = bytes[i];
        if (c == '\n') {
            if (end_line(reading) < 0) return -1;
            continue;
        }
        reading->size++;
        if (c < '0' || c > '9')
            reading->good = false;
        else if (reading->value <= UINT32_MAX)
            reading->value = reading->value * 10 + (uint64_t)(c - '0');
    }
    return 0;
}

static int read_file(struct reading *reading, int fd) {
    char *bytes = malloc(READ_BYTES);
    if (!bytes) return fail(reading, "not enough memory");
    ssize_t size;
    int result = 0;
    begin_line(reading);
    while (result == 0 && (size = read(fd, bytes, READ_BYTES)) != 0)
        if (size > 0)
            result = read_bytes(reading, bytes, (size_t)size);
        else if (errno != EINTR)
            result = fail(reading, strerror(errno));
    free(bytes);
    if (result == 0 && reading->size > 0) result = end_line(reading); // a last line without its end
    if (result < 0) return -1;
    const struct trace *trace = reading->trace;
    if (trace->count == 0) return fail(reading, "no time: write one in whole milliseconds a line");
    reading->line--; // the last one read
    if (trace->times_ms[trace->count - 1] == 0)
        return fail(reading, "the trace ends at 0 ms: its last time, which is its length, must be above 0");
    return 0;
}

struct trace *trace_open(const char *path, char *error, size_t error_size) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // does not wait for who writes into a pipe
    struct stat about;
    if (fd < 0 || fstat(fd, &about) < 0) {
        snprintf(error, error_size, "%s: %s: name a trace file", path, strerror(errno));
        if (fd >= 0) close(fd);
        return NULL;
    }
    if (!S_ISREG(about.st_mode)) {
        snprintf(error, error_size, "%s: not a regular file: name a trace file", path);
        close(fd);
        return NULL;
    }
    struct trace *trace = calloc(1, sizeof *trace);
    struct reading reading = {.trace = trace, .path = path, .error = error, .error_size = error_size};
    int result = trace ? read_file(&reading, fd) : fail(&reading, "not enough memory");
    close(fd);
    if (result == 0) return trace;
    trace_close(trace);
    return NULL;
}

struct trace *trace_share(struct trace *trace) {
    trace->shared++;
    return trace;
}

void trace_close(struct trace *trace) {
    if (!trace) return;
    if (trace->shared > 0) {
        trace->shared--;
        return;
    }
    free(trace->times_ms);
    free(trace);
}

uint64_t trace_count(const struct trace *trace) {
    return trace->count;
}

uint64_t trace_length_ns(const struct trace *trace) {
    return trace->times_ms[trace->count - 1] * ms_ns;
}

uint64_t trace_mean_bps(const struct trace *trace) {
    uint64_t length_ms = trace->times_ms[trace->count - 1];
    uint64_t bits = trace->count * TRACE_OPPORTUNITY_BYTES * 8; // below 2^46
    uint64_t mean_bps = (bits * 1000 + length_ms / 2) / length_ms;
    return mean_bps > 0 ? mean_bps : 1;
}

uint64_t trace_at_ns(const struct trace *trace, bool once, uint64_t n) {
    uint64_t round = n / trace->count;
    if (once && round > 0) return TRACE_NEVER;
    return round * trace_length_ns(trace) + trace->times_ms[n % trace->count] * ms_ns;
}

uint64_t trace_passed(const struct trace *trace, bool once, uint64_t elapsed_ns) {
    uint64_t length_ns = trace_length_ns(trace);
    if (once && elapsed_ns >= length_ns) return trace->count;
    uint64_t rest_ms = elapsed_ns % length_ns / ms_ns;
    uint64_t low = 0, high = trace->count; // the first time after rest_ms lies in between
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (trace->times_ms[middle] <= rest_ms)
            low = middle + 1;
        else
            high = middle;
    }
    return elapsed_ns / length_ns * trace->count + low;
}
