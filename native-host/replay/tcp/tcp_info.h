// What the kernel knows of each TCP connection (TCP_INFO): a line of JSON every few milliseconds in which
// something has changed, and one at its end. Times are CLOCK_MONOTONIC, as the shaper's and the report's.
// Watches; changes nothing.
//
// The file, one object a line:
//   {"event":"opened","time_ns":T,"connection":C,"lane":"h2","local":"ADDRESS:PORT","peer":"...",
//    "congestion_control":"cubic","paced":false,"send_buffer_bytes":N,"receive_buffer_bytes":N}
//   {"event":"sample","time_ns":T,"connection":C,"state":1,"ca_state":0,"cwnd_packets":10,
//    "ssthresh_packets":null,"mss_bytes":1448,"rtt_us":N,"rtt_var_us":N,"min_rtt_us":N,"unacked_packets":N,
//    "lost_packets":N,"retransmitted_packets":N,"reordering_packets":N,"bytes_sent":N,"bytes_acked":N,
//    "bytes_received":N,"unsent_bytes":N,"pacing_bps":N,"delivery_bps":N,"application_limited":false,
//    "busy_us":N,"receiver_limited_us":N,"send_buffer_limited_us":N}
//   {"event":"closed", and as a sample}
// C is the connection's id in the replay report. The units and meanings are those of linux/tcp.h.
#pragma once

#include "base/loop.h"

#include <stddef.h>
#include <stdint.h>

enum { TCP_INFO_INTERVAL_MS = 5 };

struct tcp_info_log;

// Makes the file, or empties it. 0, or -1 with a line in `error`.
int tcp_info_open(struct tcp_info_log **log, const char *path, char *error, size_t error_size);
// 0, or -1 with a line in `error`: not all of it could be written. After the last tcp_info_forget.
int tcp_info_close(struct tcp_info_log *log, char *error, size_t error_size);
// Before the first tcp_info_watch.
void tcp_info_sample_by(struct tcp_info_log *log, struct loop *loop);

// A watched connection: part of its owner, zeroed before.
struct tcp_info_watch {
    struct tcp_info_watch *previous;
    struct tcp_info_watch *next;
    struct tcp_info_log *log; // NULL: not watched
    int fd;
    uint64_t connection;
    uint64_t last; // what the last sample said, as a hash
};
// From now on, until tcp_info_forget, which comes before the descriptor is closed. `lane` is a literal.
void tcp_info_watch(struct tcp_info_log *log, struct tcp_info_watch *watch, int fd, uint64_t connection,
                    const char *lane);
void tcp_info_forget(struct tcp_info_watch *watch); // nothing if it is not watched
