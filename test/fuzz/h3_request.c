// What a lab's browser sends the replay over HTTP/3, on streams of an established connection in process: each
// ends the connection, its stream, or does no harm, so that a good request beside it is answered.
#include "h3_site.h"

enum { LAST_STREAM = 64, STREAMS = 8 };
static const uint64_t streams[STREAMS] = {2, 6, 10, 14, 0, 4, 8, 12};

static const uint8_t good[] = GET_SMALL;

static const uint8_t *input;
static size_t input_size;
static bool written, answered, ended;

static void on_turn(struct h3_client *c) {
    uint64_t error;
    if (!written) {
        write_pieces(c->quic, streams, STREAMS, input, input_size);
        quiche_conn_stream_send(c->quic, LAST_STREAM, good, sizeof good - 1, true, &error);
    }
    written = true;
    for (size_t i = 4; i < STREAMS; i++)
        read_stream(c->quic, streams[i]);
    answered |= read_stream(c->quic, LAST_STREAM);
    ended |= is_closed_by_peer(c->quic);
    if (answered || ended) loop_stop(c->site->loop);
}

// Each input has a connection of its own, to a server that has met others.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    input = data;
    input_size = size;
    written = answered = ended = false;
    if (!open_site(on_turn)) h3_client_reconnect(&client);
    h3_client_run(&client, 1);
    PROMISE(answered || ended || client.stopped);
    quiche_conn_close(client.quic, true, 0x100, NULL, 0);
    h3_client_send(&client);
    end_run();
    return 0;
}
