// The command line of trilane-fetch. Does not act on it.
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// Those of schemas/fetch-record.schema.json.
enum fetch_lane { LANE_H1, LANE_H2, LANE_H2_0RTT, LANE_H3, LANE_H3_0RTT, LANES };

extern const char *const fetch_lane_words[LANES];

static inline bool lane_is_quic(enum fetch_lane lane) {
    return lane == LANE_H3 || lane == LANE_H3_0RTT;
}
static inline bool lane_resumes(enum fetch_lane lane) {
    return lane == LANE_H2_0RTT || lane == LANE_H3_0RTT;
}

struct fetch_options {
    enum fetch_lane lane;
    bool tls_1_2;
    int ip;                     // 4 or 6
    bool has_server;            // `server` is for all URLs
    struct sockaddr_in6 server; // IPv4 mapped; port 0: the URL's
    const char *authorities;    // NULL: the system's
    bool verify;
    bool reuse;
    bool https_records;
    uint64_t timeout_ns, connect_timeout_ns;
    uint64_t max_body_bytes;
    uint32_t follow;
    const char *user_agent;
    const char *qlog_folder;  // NULL: no qlogs
    const char *key_log_path; // file of TLS keys that the environment names (SSLKEYLOGFILE); NULL: none
    FILE *key_log;            // the same, open
    const char *urls_file;    // NULL: none; "-": standard input
    char **urls;              // those of the command line
    size_t url_count;
};

// Prints and exits for --help and --version, and for what cannot be taken.
void options_read(struct fetch_options *options, int argc, char **argv);
