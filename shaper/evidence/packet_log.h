// A log of one direction's packets in mm-link's format, so that Mahimahi's plotters and their kin read it:
//
//     # base timestamp: 0
//     812 # 375              the link could have carried 375 bytes in millisecond 812
//     812 + 1500             a packet of 1500 bytes reached the link
//     815 - 1500 3           it left the link 3 ms later
//     816 d 1 1500           1 packet of 1500 bytes was dropped before it could leave
//
// Times are whole milliseconds from the start, rounded down, because the plotters take nothing else; exact
// ones stand in the capture (pcapng.h). What a log of mm-link has no word for stands in comments, which its
// readers skip: "# 816 loss 1 1500" for a packet lost after it left, "# 5000 steer loss=2%" for a change.
// (mm-throughput-graph stops at a `d`, of mm-link's own logs too; mm-delay-graph does not.)
// Arrivals are departures + drops + what is queued, as there. An unlimited link has no `#` lines.
#pragma once

#include "shaper/evidence/file_writer.h"
#include "shaper/nodes/capacity.h"
#include "shaper/nodes/packet.h"

struct packet_log {
    struct file_writer *writer;
    const struct capacity *capacity;
    uint64_t start_ns;
    uint64_t capacity_ms; // up to where it is written
    uint64_t capacity_bytes;
    uint64_t left_out_noted;
};

struct packet_log_head {
    const char *direction; // as mm-link has it: "Downlink", "Uplink"
    const char *link;      // short form
    const char *command_line;
    const char *path;
    uint64_t start_ns;      // monotonic
    uint64_t start_wall_ns; // the same moment since 1970
};

// Writer and capacity stay the caller's.
void packet_log_open(struct packet_log *log, struct file_writer *writer, const struct capacity *capacity,
                     const struct packet_log_head *head);

void packet_log_arrival(struct packet_log *log, const struct packet *packet, uint64_t now_ns);
void packet_log_departure(struct packet_log *log, const struct packet *packet, uint64_t end_ns);
void packet_log_drop(struct packet_log *log, const struct packet *packet, enum drop_reason reason,
                     uint64_t now_ns);
// `what`: "steer", "switch" or "rebind".
void packet_log_change(struct packet_log *log, const char *what, const char *form, uint64_t now_ns);

// Writes what the link could have carried up to now_ns, as each of the above does first. Called for every
// 100 ms, also while nothing happens, so that it is never much; and before the link changes.
void packet_log_opportunities(struct packet_log *log, uint64_t now_ns);
