// A connection's turn, after bytes came in or the stream took some: what nghttp2 makes of them
// (h2_request.c), then as much of the responses as the stream takes (h2_response.c).
#include "replay/h2/h2.h"

#include "base/clock.h"
#include "replay/h2/h2_connection.h"

#include <stdlib.h>

enum {
    UPLOAD_WINDOW_BYTES = 1024 * 1024, // of a stream; as h3's
    CONNECTION_WINDOW_BYTES = 10 * 1024 * 1024,
    READ_BYTES = 16 * 1024,
    HEAD_BYTES_MAX = 16 * 1024 * 1024, // of a response; nghttp2's own limit is 64 KiB
};

static void h2_free(struct h2 *h2, const char *reason) {
    while (h2->requests)
        h2_request_free(h2->requests);
    exchange_connection_close(h2->connection, reason, clock_now_ns());
    nghttp2_session_del(h2->session);
    h2_pieces_free(&h2->out);
    free(h2);
}

// Ends the connection when it is over; h2 is gone then.
void h2_go_on(struct h2 *h2) {
    struct stream *stream = h2->out.stream;
    h2_responses_send(h2);
    if (h2->error < 0 || h2->out.failed) {
        h2_free(h2, h2->out.failed ? "the TCP connection broke" : nghttp2_strerror(h2->error));
        stream_close(stream);
    } else if (h2->out.count == 0 && !nghttp2_session_want_read(h2->session) &&
               !nghttp2_session_want_write(h2->session)) {
        h2_free(h2, "");
        stream_finish(stream);
    }
}

static void on_readable(void *context) {
    struct h2 *h2 = context;
    struct stream *stream = h2->out.stream;
    h2->now_ns = stream_turn_ns(stream);
    uint8_t bytes[READ_BYTES];
    for (;;) {
        ssize_t size = stream_read(stream, bytes, sizeof bytes);
        if (size == STREAM_AGAIN) break;
        if (size <= 0) {
            h2_free(h2, size == STREAM_END ? "" : "the TCP connection broke");
            if (size == STREAM_END)
                stream_finish(stream);
            else
                stream_close(stream);
            return;
        }
        nghttp2_ssize used = h2_requests_read(h2, bytes, (size_t)size);
        if (used < 0) { // not HTTP/2 at all, a flood, or no memory; all else nghttp2 answers with a GOAWAY
            h2_free(h2, nghttp2_strerror((int)used));
            stream_finish(stream);
            return;
        }
    }
    h2_go_on(h2);
}

static void on_writable(void *context) {
    h2_go_on(context);
}

static void say_goodbye(struct h2 *h2) {
    if (nghttp2_session_terminate_session(h2->session, NGHTTP2_NO_ERROR) == 0 &&
        nghttp2_session_send(h2->session) == 0)
        h2_pieces_hand_over(&h2->out);
}

static void on_stop(void *context) {
    struct h2 *h2 = context;
    struct stream *stream = h2->out.stream;
    say_goodbye(h2);
    h2_free(h2, "the server stopped");
    stream_close(stream);
}

// The connection, not a stream: in the middle of a head nothing else can come over it.
static void on_overdue(void *context, uint64_t now_ns) {
    struct h2 *h2 = context;
    struct stream *stream = h2->out.stream;
    (void)now_ns;
    say_goodbye(h2);
    h2_free(h2, EXCHANGE_OVERDUE);
    stream_finish(stream);
}

static int start_session(struct h2 *h2) {
    nghttp2_session_callbacks *callbacks = NULL;
    nghttp2_option *options = NULL;
    int result = nghttp2_session_callbacks_new(&callbacks);
    if (result == 0) result = nghttp2_option_new(&options);
    if (result == 0) {
        h2_requests_set_callbacks(callbacks);
        h2_responses_set_callbacks(callbacks);
        nghttp2_option_set_max_send_header_block_length(options, HEAD_BYTES_MAX);
        nghttp2_option_set_builtin_recv_extension_type(options, NGHTTP2_PRIORITY_UPDATE);
        result = nghttp2_session_server_new2(&h2->session, callbacks, h2, options);
    }
    nghttp2_option_del(options);
    nghttp2_session_callbacks_del(callbacks);
    if (result < 0) return -1;
    const nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, H2_CONCURRENT_STREAMS},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, UPLOAD_WINDOW_BYTES},
        {NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1},
    };
    if (nghttp2_submit_settings(h2->session, NGHTTP2_FLAG_NONE, settings,
                                sizeof settings / sizeof *settings) < 0 ||
        nghttp2_session_set_local_window_size(h2->session, NGHTTP2_FLAG_NONE, 0, CONNECTION_WINDOW_BYTES) <
            0) {
        nghttp2_session_del(h2->session);
        return -1;
    }
    return 0;
}

int h2_open(struct stream *stream, struct exchange_connection *connection) {
    static const struct stream_handler handler = {on_readable, on_writable, on_stop};
    struct h2 *h2 = calloc(1, sizeof *h2);
    if (!h2) return -1;
    h2->out.stream = stream;
    h2->connection = connection;
    h2->order.equal = exchange_connection_ignores_priorities(connection);
    h2->now_ns = clock_now_ns();
    if (start_session(h2) < 0) {
        free(h2);
        return -1;
    }
    exchange_connection_on_overdue(connection, on_overdue, h2);
    exchange_connection_awaits_head(connection, h2->now_ns); // also one that comes to no request at all
    stream_set_handler(stream, &handler, h2); // its `readable`, which follows, sends the settings too
    return 0;
}

const char *h2_library_version(void) {
    return nghttp2_version(0)->version_str;
}
