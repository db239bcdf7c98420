// Traces of a link's rate: what is taken has times that never decrease; what is refused has one line, which
// quotes nothing.
#include "shaper/nodes/trace.h"
#include "target.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[64], error[512] = "";
    int file = memfd_create("trace", MFD_CLOEXEC);
    PROMISE(file >= 0 && write(file, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    struct trace *trace = trace_open(path, error, sizeof error);
    close(file);
    PROMISE(trace || (error[0] && !strchr(error, '\n')));
    if (!trace) return 0;
    uint64_t count = trace_count(trace), before_ns = 0;
    PROMISE(count >= 1 && trace_mean_bps(trace) >= 1);
    for (uint64_t n = 0; n < 2 * count && n < 4000; n++) {
        uint64_t at_ns = trace_at_ns(trace, false, n);
        PROMISE(at_ns >= before_ns && trace_passed(trace, false, at_ns) >= n + 1);
        before_ns = at_ns;
    }
    PROMISE(trace_at_ns(trace, true, count) == TRACE_NEVER);
    trace_close(trace);
    return 0;
}
