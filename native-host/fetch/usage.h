// What this process has cost the machine: CPU time and context switches, of all its threads. Not of the
// kernel's own threads, nor of anyone else.
#ifndef TRILANE_FETCH_USAGE_H
#define TRILANE_FETCH_USAGE_H

#include <stdint.h>
#include <sys/resource.h>

struct usage {
    uint64_t user_us, system_us, voluntary, involuntary;
};

static inline struct usage usage_now(void) {
    struct rusage used = {0};
    getrusage(RUSAGE_SELF, &used);
    return (struct usage){(uint64_t)used.ru_utime.tv_sec * 1000000 + (uint64_t)used.ru_utime.tv_usec,
                          (uint64_t)used.ru_stime.tv_sec * 1000000 + (uint64_t)used.ru_stime.tv_usec,
                          (uint64_t)used.ru_nvcsw, (uint64_t)used.ru_nivcsw};
}

// Adds what has been spent since `from`.
static inline void usage_add(struct usage *sum, const struct usage *from) {
    const struct usage now = usage_now();
    sum->user_us += now.user_us - from->user_us;
    sum->system_us += now.system_us - from->system_us;
    sum->voluntary += now.voluntary - from->voluntary;
    sum->involuntary += now.involuntary - from->involuntary;
}

#endif
