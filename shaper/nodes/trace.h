// A packet-delivery trace in Mahimahi's format: one time in whole milliseconds a line, none before the one
// above it, each an opportunity to send one packet of 1500 bytes or as many smaller ones as fit. Mahimahi
// says 1504, because it counts the four bytes that its TUN device puts before every packet; bytes here are
// those of IP packets.
//
// The last time is the trace's length: a trace that wraps begins again there, so that its first opportunity
// and all others come as much later. Does not send: see link.h.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TRACE_OPPORTUNITY_BYTES = 1500 };

#define TRACE_NEVER UINT64_MAX

struct trace;

// NULL after an error, with its line (which names file, line and remedy) in `error`: not a regular file, no
// line, something that is no time, decreasing times, a length of 0. Four bytes of memory an opportunity.
struct trace *trace_open(const char *path, char *error, size_t error_size);
// The same for another owner; each closes it, and only one thread at a time owns or closes.
struct trace *trace_share(struct trace *trace);
void trace_close(struct trace *trace); // NULL: nothing

uint64_t trace_count(const struct trace *trace); // opportunities, at least 1
uint64_t trace_length_ns(const struct trace *trace);
uint64_t trace_mean_bps(const struct trace *trace); // rounded, at least 1

// When the n-th opportunity (from 0) comes, counted from the trace's time 0; TRACE_NEVER after the end of one
// that is played once.
uint64_t trace_at_ns(const struct trace *trace, bool once, uint64_t n);

// How many opportunities have come up to and including elapsed_ns after time 0.
uint64_t trace_passed(const struct trace *trace, bool once, uint64_t elapsed_ns);
