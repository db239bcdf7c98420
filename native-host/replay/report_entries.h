// What a report holds: report.c notes it, report_json.c writes it. No other file reads it.
#pragma once

#include "replay/report.h"

#include "quic_io/path_change.h"
#include "replay/exchange/server_time.h"

enum { REPORT_ADDRESS_SIZE = 46, REPORT_NOT_KEPT = 0 }; // entries are named by their place + 1

struct connection {
    const char *lane;
    char local_address[REPORT_ADDRESS_SIZE];
    uint16_t local_port;
    const char *tls_version;
    const char *alpn;
    bool resumed;
    bool early_data;
    uint64_t opened_ns;
    uint64_t secured_ns; // 0: not
    uint64_t closed_ns;  // 0: not
    char *close_reason;
    char *qlog; // the file's name; NULL: none
    uint64_t qlog_start_ns;
    struct path_change *moves;
    size_t move_count;
    struct usage from;  // of the process, when it was opened
    struct usage spent; // until it was closed
    bool counts_acks;
    uint64_t packets;
    uint64_t acks;
};

struct request {
    size_t connection;
    char *method; // one allocation with the URL; both NULL: it is not to be listed
    char *url;
    struct report_answer given;
    uint64_t request_ns;
    uint64_t whole_ns; // 0: not
    uint64_t think_ns;
    uint64_t first_byte_ns; // 0: none
    unsigned hints;         // 103 responses
    uint64_t hint_ns;       // of the first
    uint64_t end_ns;        // 0: not
    uint64_t body_bytes;
    uint64_t request_body_bytes;
    bool complete;
    bool is_websocket;
};

struct dns_event {
    char *name;
    uint16_t type;
    enum dns_outcome outcome;
    uint64_t time_ns;
};

struct list {
    void *entries;
    size_t count;
    size_t capacity;
};

struct report {
    const struct recording *recording;
    bool keep;
    struct usage_meter meter;
    uint64_t start_ns;
    uint64_t ready_ns;
    struct list connections;
    struct list requests;
    struct list dns;
    struct list visits;  // uint64_t: when each began
    uint64_t matches[3]; // by enum match
    uint64_t unrecorded[UNRECORDED_KINDS];
    uint64_t unlisted;
    struct server_times server_times;
    uint64_t recoded;
    uint64_t aborted;
    uint64_t think_unknown;
    uint64_t failed_handshakes;
    uint64_t lost; // events that found no memory
};

// Copies to `to`, which has room for three times as many bytes; what is not printable ASCII as %XX. The bytes
// written.
size_t report_printable(char *to, const char *bytes, size_t size);
