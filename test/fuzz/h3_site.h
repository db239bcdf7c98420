// The server and its client over HTTP/3 that targets send bytes to, in process: opened by the first of so
// many inputs, closed by the last. A header only, for one target.
#pragma once

#include "../native/replay/h3_attempts.h"
#include "../native/replay/h3_client.h"
#include "target.h"

enum { RUNS_OF_A_SITE = 1000 };

static struct lane_site site;
static struct h3_client client;
static unsigned runs; // of this site

static inline void close_site(void) {
    if (runs == 0) return;
    runs = 0;
    h3_client_close(&client);
    lane_site_close(&site);
}

// True if it was opened now: the client is connecting.
static inline bool open_site(void (*on_turn)(struct h3_client *client)) {
    static bool closes_at_exit;
    const struct h3_client_options options = {.window_bytes = 100000, .on_turn = on_turn, .unpaced = true};
    if (runs++ > 0) return false;
    PROMISE(closes_at_exit || atexit(close_site) == 0); // its folder
    closes_at_exit = true;
    PROMISE(lane_site_open(&site) == 0);
    h3_client_open(&client, &site, &options);
    return true;
}

static inline void end_run(void) {
    if (runs >= runs_kept(RUNS_OF_A_SITE)) close_site();
}

// All that has come on a stream of the client. True if it has come to its end.
static inline bool read_stream(quiche_conn *quic, uint64_t stream) {
    uint8_t bytes[4096];
    bool fin = false;
    uint64_t error;
    while (quiche_conn_stream_recv(quic, stream, bytes, sizeof bytes, &fin, &error) > 0) {
    }
    return fin;
}

static inline bool is_closed_by_peer(quiche_conn *quic) {
    bool is_application;
    uint64_t error;
    const uint8_t *reason;
    size_t reason_size;
    return quiche_conn_peer_error(quic, &is_application, &error, &reason, &reason_size);
}

// An input in pieces: a byte of which `streams` and what becomes of it, a byte of how many bytes, these.
static inline void write_pieces(quiche_conn *quic, const uint64_t *streams, size_t count,
                                const uint8_t *input, size_t left) {
    uint64_t error;
    while (left >= 2) {
        const uint64_t stream = streams[input[0] % count];
        const bool fin = input[0] & 8, reset = input[0] & 16;
        const size_t size = input[1] < left - 2 ? input[1] : left - 2;
        quiche_conn_stream_send(quic, stream, input + 2, size, fin, &error);
        if (reset) quiche_conn_stream_shutdown(quic, stream, QUICHE_SHUTDOWN_WRITE, 0x10c);
        input += 2 + size;
        left -= 2 + size;
    }
}
