// What trilane-replay did, gathered while it runs and written as one JSON document at its end
// (schemas/replay-report.schema.json). Does not decide anything.
#pragma once

#include "archive/matcher.h"
#include "archive/recording.h"
#include "base/usage.h"
#include "replay/dns/dns_zone.h"
#include "replay/exchange/unrecorded.h"
#include "replay/transport.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct path_change;
struct report;

// What the program ran with: all literals or kept by the caller as long as the report.
struct report_setting {
    const char *scheduling; // fifo, short-slice or default
    const char *think;      // as --think has it
    const char *origins;    // as --origins has it
    bool upgrades_clear;    // http:// origins were served as https://
    size_t clear_exchanges; // recorded over http://
    size_t redirects_left_out;
    size_t addresses; // servers
    const char *quiche_version;
    const char *nghttp2_version;
    const struct transport *transport; // as configured, or as granted if that is known
    uint32_t tcp_notsent_lowat_bytes;  // 0: not bounded
    uint32_t tls_record_bytes;         // of plaintext, at most
    bool tcp_metrics_saved;            // as read back
};

// `keep`: events are kept for report_write; else only counted. NULL when memory is short.
struct report *report_open(const struct recording *recording, bool keep, uint64_t start_ns);
void report_close(struct report *report);

// When memory is short an event is lost from the lists (and the report says so), never the program.
// Each returns a number that names the entry in the calls after it.
size_t report_connection(struct report *report, const char *lane, const char *local_address,
                         uint16_t local_port, uint64_t opened_ns);
// What the program has spent so far.
struct usage report_usage(const struct report *report);
// The connection's cost is counted from `from` on; without this, from its entry.
void report_spends(struct report *report, size_t connection, const struct usage *from);
void report_secured(struct report *report, size_t connection, const char *tls_version, const char *alpn,
                    bool resumed, uint64_t now_ns);
void report_early_data(struct report *report, size_t connection);
// The file's times count from `start_ns`.
void report_qlog(struct report *report, size_t connection, const char *file, uint64_t start_ns);
void report_moved(struct report *report, size_t connection, const struct path_change *changes, size_t count);
// Of a QUIC connection: exchange_connection_acks.
void report_acks(struct report *report, size_t connection, uint64_t packets, uint64_t acks);
void report_closed(struct report *report, size_t connection, const char *reason, uint64_t now_ns);
// A TCP connection that never got as far as a lane.
void report_failed_handshake(struct report *report);

struct report_request {
    size_t connection;
    const char *method; // the strings need not be NUL-terminated and are copied
    size_t method_size;
    const char *scheme;
    const char *authority;
    size_t authority_size;
    const char *path;
    size_t path_size;
    bool is_websocket; // it asks to become one
};
size_t report_request(struct report *report, const struct report_request *request, uint64_t now_ns);
struct report_answer {
    struct match_answer answer; // its exchange lives as long as the report
    enum unrecorded unrecorded; // of one that was missed
    uint16_t status;            // 0: no response
    bool recoded;               // in another content coding than it was recorded in
};
// Called once for each request.
void report_answered(struct report *report, size_t request, const struct report_answer *answer);
// All of it is here. Its answer waits for `think_ns`; `known` is false where the recording does not say how
// long.
void report_request_whole(struct report *report, size_t request, uint64_t think_ns, bool known,
                          uint64_t now_ns);
// A 103 is on its way.
void report_hint(struct report *report, size_t request, uint64_t now_ns);
// Of the response, its head included: the kernel has been given it. `room_ns`: the turn that brought room in
// the transport, where the response had to wait for it over a turn's end; else 0.
void report_first_byte(struct report *report, size_t request, uint64_t room_ns, uint64_t now_ns);
void report_request_end(struct report *report, size_t request, uint64_t body_bytes,
                        uint64_t request_body_bytes, bool complete, uint64_t now_ns);

void report_dns(struct report *report, const struct dns_question *question, uint64_t now_ns);

void report_ready(struct report *report, uint64_t now_ns);
// A visit after the first begins.
void report_visit(struct report *report, uint64_t now_ns);
// 0, or -1 with one line in `error` and nothing half-written.
int report_write(struct report *report, const struct report_setting *setting, const char *path, char *error,
                 size_t error_size);
