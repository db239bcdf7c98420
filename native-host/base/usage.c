#include "base/usage.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *why_none(int error) {
    switch (error) {
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
        return "the machine has no counter of cycles";
    case EACCES:
    case EPERM:
        return "counting cycles in the kernel is not allowed: see /proc/sys/kernel/perf_event_paranoid";
    case ENOSYS:
        return "the kernel has no perf_event_open";
    default:
        return strerror(error);
    }
}

void perf_counter_open(struct perf_counter *counter, uint32_t type, uint64_t config, bool with_threads) {
    struct perf_event_attr attributes = {
        .type = type,
        .size = sizeof attributes,
        .config = config,
        .inherit = with_threads,
        .exclude_hv = 1,
        .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
    };
    const long fd = syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    *counter = (struct perf_counter){.fd = (int)fd, .why = fd < 0 ? why_none(errno) : NULL};
}

// A counter that others want too runs for a share of the time, and stands for all of it.
uint64_t perf_counter_read(const struct perf_counter *counter) {
    struct {
        uint64_t count, enabled_ns, running_ns;
    } reading;
    if (counter->fd < 0 || read(counter->fd, &reading, sizeof reading) != sizeof reading ||
        reading.running_ns == 0)
        return 0;
    if (reading.running_ns >= reading.enabled_ns) return reading.count;
    return (uint64_t)((double)reading.count * (double)reading.enabled_ns / (double)reading.running_ns);
}

void perf_counter_close(struct perf_counter *counter) {
    if (counter->fd >= 0) close(counter->fd);
    counter->fd = -1;
}

void usage_meter_open(struct usage_meter *meter, bool with_threads) {
    perf_counter_open(&meter->cycles, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, with_threads);
}

void usage_meter_close(struct usage_meter *meter) {
    perf_counter_close(&meter->cycles);
}

static uint64_t microseconds(struct timeval time) {
    return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_usec;
}

struct usage usage_now(const struct usage_meter *meter) {
    struct rusage used = {0};
    getrusage(RUSAGE_SELF, &used);
    return (struct usage){microseconds(used.ru_utime), microseconds(used.ru_stime), (uint64_t)used.ru_nvcsw,
                          (uint64_t)used.ru_nivcsw, perf_counter_read(&meter->cycles)};
}

void usage_add(const struct usage_meter *meter, struct usage *sum, const struct usage *from) {
    const struct usage now = usage_now(meter);
    sum->user_us += now.user_us - from->user_us;
    sum->system_us += now.system_us - from->system_us;
    sum->voluntary += now.voluntary - from->voluntary;
    sum->involuntary += now.involuntary - from->involuntary;
    sum->cycles += now.cycles > from->cycles ? now.cycles - from->cycles : 0;
}
