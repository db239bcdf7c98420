// What this process has cost the machine: CPU time, context switches and, where the kernel lets us count
// them, cycles. Not what the kernel's own threads did, nor what its interrupts did while other processes ran.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct usage {
    uint64_t user_us, system_us, voluntary, involuntary;
    uint64_t cycles; // in user mode and in the kernel; 0 where the meter has none
};

// A counter of perf_event_open(2). Reads as 0 where there is none.
struct perf_counter {
    int fd;          // -1: none
    const char *why; // there is none; NULL: there is one
};

// Counts from here on: of the calling thread, and `with_threads` of those that it starts (and processes: only
// for programs that start none). `type` and `config` are perf_event_attr's.
void perf_counter_open(struct perf_counter *counter, uint32_t type, uint64_t config, bool with_threads);
uint64_t perf_counter_read(const struct perf_counter *counter);
void perf_counter_close(struct perf_counter *counter);

struct usage_meter {
    struct perf_counter cycles;
};

void usage_meter_open(struct usage_meter *meter, bool with_threads);
void usage_meter_close(struct usage_meter *meter);
struct usage usage_now(const struct usage_meter *meter);

// Adds what has been spent since `from`.
void usage_add(const struct usage_meter *meter, struct usage *sum, const struct usage *from);
