// What a lab's browser sends the replay over HTTP/3, on streams of an established connection in process: each
// ends the connection, its stream, or does no harm, so that a good request beside it is answered.
#include "../native/replay/h3_attempts.h"
#include "../native/replay/h3_client.h"
#include "target.h"

#include <string.h>

enum { LAST_STREAM = 64, RUNS_OF_A_SITE = 1000, STREAMS = 8 };
static const uint64_t streams[STREAMS] = {2, 6, 10, 14, 0, 4, 8, 12};

static const uint8_t good[] = GET_SMALL;

static const uint8_t *input;
static size_t left;
static bool written, answered, ended;

// Pieces: which stream, and what becomes of it; how many bytes; these.
static void write_input(quiche_conn *quic) {
    uint64_t error;
    while (left >= 2) {
        const uint64_t stream = streams[input[0] % STREAMS];
        const bool fin = input[0] & 8, reset = input[0] & 16;
        const size_t size = input[1] < left - 2 ? input[1] : left - 2;
        quiche_conn_stream_send(quic, stream, input + 2, size, fin, &error);
        if (reset) quiche_conn_stream_shutdown(quic, stream, QUICHE_SHUTDOWN_WRITE, 0x10c);
        input += 2 + size;
        left -= 2 + size;
    }
    quiche_conn_stream_send(quic, LAST_STREAM, good, sizeof good - 1, true, &error);
}

static void on_turn(struct h3_client *client) {
    uint8_t bytes[4096];
    bool is_application, fin = false;
    uint64_t error;
    const uint8_t *reason;
    size_t reason_size;
    if (!written) write_input(client->quic);
    written = true;
    for (size_t i = 4; i < STREAMS; i++)
        while (quiche_conn_stream_recv(client->quic, streams[i], bytes, sizeof bytes, &fin, &error) > 0) {
        }
    fin = false;
    while (quiche_conn_stream_recv(client->quic, LAST_STREAM, bytes, sizeof bytes, &fin, &error) > 0) {
    }
    answered |= fin;
    ended |= quiche_conn_peer_error(client->quic, &is_application, &error, &reason, &reason_size);
    if (answered || ended) loop_stop(client->site->loop);
}

static struct lane_site site;
static struct h3_client client;
static unsigned runs; // of this site

static void close_site(void) {
    if (runs == 0) return;
    runs = 0;
    h3_client_close(&client);
    lane_site_close(&site);
}

static void open_site(void) {
    static bool closes_at_exit;
    const struct h3_client_options options = {.window_bytes = 100000, .on_turn = on_turn, .unpaced = true};
    PROMISE(closes_at_exit || atexit(close_site) == 0); // its folder
    closes_at_exit = true;
    PROMISE(lane_site_open(&site) == 0);
    h3_client_open(&client, &site, &options);
}

// Each input has a connection of its own, to a server that has met others.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    input = data;
    left = size;
    written = answered = ended = false;
    if (runs++ == 0)
        open_site();
    else
        h3_client_reconnect(&client);
    h3_client_run(&client, 1);
    PROMISE(answered || ended || client.stopped);
    quiche_conn_close(client.quic, true, 0x100, NULL, 0);
    h3_client_send(&client);
    if (runs >= runs_kept(RUNS_OF_A_SITE)) close_site();
    return 0;
}
