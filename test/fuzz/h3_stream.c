// What a lab's browser sends the replay on request streams over HTTP/3, many inputs on one connection: each
// ends the connection, its streams, or does no harm, so that a good request beside it is answered. That is
// faster than h3_request, which opens a connection for each input and also writes on the streams of one
// direction.
#include "h3_site.h"

enum { STREAMS = 3, STREAM_STEP = 4, CANCELLED = 0x10c };

static const uint8_t good[] = GET_SMALL, settings[] = SETTINGS;

static const uint8_t *input;
static size_t input_size;
static uint64_t first_stream; // of this input's; a good request has the one behind them
static bool written, answered, ended;

static void write_input(quiche_conn *quic) {
    uint64_t streams[STREAMS], error;
    if (first_stream == 0)
        quiche_conn_stream_send(quic, CONTROL, settings, sizeof settings - 1, false, &error);
    for (size_t i = 0; i < STREAMS; i++)
        streams[i] = first_stream + i * STREAM_STEP;
    write_pieces(quic, streams, STREAMS, input, input_size);
    quiche_conn_stream_send(quic, first_stream + STREAMS * STREAM_STEP, good, sizeof good - 1, true, &error);
}

static void on_turn(struct h3_client *c) {
    if (!written) write_input(c->quic);
    written = true;
    for (size_t i = 0; i < STREAMS; i++)
        read_stream(c->quic, first_stream + i * STREAM_STEP);
    answered |= read_stream(c->quic, first_stream + STREAMS * STREAM_STEP);
    ended |= is_closed_by_peer(c->quic);
    if (answered || ended) loop_stop(c->site->loop);
}

// A request that is not over would take the place of one to come. What was never opened is, and is over at
// once.
static void leave_streams(quiche_conn *quic) {
    uint64_t error;
    for (size_t i = 0; i < STREAMS; i++) {
        const uint64_t stream = first_stream + i * STREAM_STEP;
        quiche_conn_stream_send(quic, stream, NULL, 0, true, &error);
        quiche_conn_stream_shutdown(quic, stream, QUICHE_SHUTDOWN_WRITE, CANCELLED);
        quiche_conn_stream_shutdown(quic, stream, QUICHE_SHUTDOWN_READ, CANCELLED);
    }
    first_stream += (STREAMS + 1) * STREAM_STEP;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    input = data;
    input_size = size;
    const bool opened = open_site(on_turn);
    const bool is_over =
        ended || client.stopped || quiche_conn_peer_streams_left_bidi(client.quic) <= STREAMS;
    if (opened || is_over) first_stream = 0;
    if (!opened && is_over) {
        quiche_conn_close(client.quic, true, 0x100, NULL, 0);
        h3_client_send(&client);
        h3_client_reconnect(&client);
    }
    written = answered = ended = false;
    h3_client_run(&client, 1);
    PROMISE(answered || ended || client.stopped);
    leave_streams(client.quic);
    end_run();
    return 0;
}
