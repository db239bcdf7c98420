// What each flow did at the bottleneck over time: for each flow, direction and bin of time in which something
// happened or waited, one record of bytes, queue, delay, drops and marks. Summed over bins a record's columns
// are the flow's counters (flow_table.h), exactly. evidence.h gives it the packets; looks at no clock and
// writes no file.
#pragma once

#include "shaper/nodes/packet.h"

#include <stdbool.h>
#include <stdint.h>

// A record's columns, in the order of the file.
enum flow_bin_column {
    FLOW_BIN_TIME_NS,   // when the bin begins: a multiple of its length on the clock of the packets' times
    FLOW_BIN_FLOW,      // its place in the flow table
    FLOW_BIN_DIRECTION, // 0 down, 1 up
    FLOW_BIN_ARRIVED_BYTES,
    FLOW_BIN_LEFT_BYTES,     // that the link sent
    FLOW_BIN_QUEUE_PEAK,     // bytes of the flow that waited or were being sent, for any time at all
    FLOW_BIN_QUEUE_DELAY_NS, // sum over the packets that left: waiting and serialization
    FLOW_BIN_LEFT_PACKETS,
    FLOW_BIN_DROPPED_PACKETS, // by the queue: no room, or CoDel's or PIE's decision
    FLOW_BIN_MARKED_PACKETS,
    FLOW_BIN_LOST_PACKETS, // elsewhere: on the wire, while the link was off, for want of memory
    FLOW_BIN_COLUMNS
};

extern const char *const flow_bin_columns[FLOW_BIN_COLUMNS];

struct flow_bin;

// Of one direction. Only the present bin is kept: what comes late for an earlier one counts in it.
struct flow_bins_direction {
    uint64_t bin;          // the present bin's number since time 0
    struct flow_bin *bins; // by the flow's number
    uint32_t capacity;
    uint32_t *open; // flows with something to write of the present bin
    uint32_t open_count;
};

typedef void flow_bins_write(void *context, const uint64_t record[FLOW_BIN_COLUMNS]);

struct flow_bins {
    uint64_t bin_ns;
    flow_bins_write *write; // takes each record when its bin has ended
    void *context;
    struct flow_bins_direction down;
    struct flow_bins_direction up;
    uint64_t unrecorded; // calls that found no memory: their packets are in no bin
};

void flow_bins_open(struct flow_bins *bins, uint64_t bin_ns, flow_bins_write *write, void *context);
void flow_bins_close(struct flow_bins *bins); // a zeroed one, too

// Each of `flow`, a number below FLOWS_MAX. Time does not go back from one to the next of a direction, but
// for what is said above.
void flow_bins_arrived(struct flow_bins *bins, uint32_t flow, const struct packet *packet, bool down,
                       uint64_t now_ns);
void flow_bins_queued(struct flow_bins *bins, uint32_t flow, const struct packet *packet, bool down,
                      uint64_t now_ns);
void flow_bins_left(struct flow_bins *bins, uint32_t flow, const struct packet *packet, bool down,
                    uint64_t end_ns);
void flow_bins_dropped(struct flow_bins *bins, uint32_t flow, const struct packet *packet, bool down,
                       enum drop_reason reason, uint64_t now_ns);
void flow_bins_marked(struct flow_bins *bins, uint32_t flow, bool down, uint64_t now_ns);

// Writes the bins that have ended by now.
void flow_bins_advance(struct flow_bins *bins, uint64_t now_ns);
// Writes also the present ones, as far as they have come: nothing may be added after it.
void flow_bins_end(struct flow_bins *bins);
