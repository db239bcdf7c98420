#include "h2_client.h"

#include "base/clock.h"
#include "replay/h2/h2.h"
#include "test/native/cmocka_unit.h"

#include <sys/epoll.h>
#include <sys/socket.h>

static nghttp2_ssize on_send(nghttp2_session *session, const uint8_t *bytes, size_t size, int flags,
                             void *context) {
    const struct h2_client *client = context;
    (void)session, (void)flags;
    ssize_t n = send(client->watch.fd, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n >= 0) return n;
    return errno == EAGAIN ? NGHTTP2_ERR_WOULDBLOCK : NGHTTP2_ERR_CALLBACK_FAILURE;
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                     size_t name_size, const uint8_t *value, size_t value_size, uint8_t flags,
                     void *context) {
    (void)flags, (void)context;
    struct seen *seen = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
    if (seen) seen_field(seen, name, name_size, value, value_size);
    return 0;
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *bytes, size_t size,
                   void *context) {
    struct h2_client *client = context;
    (void)flags;
    struct seen *seen = nghttp2_session_get_stream_user_data(session, id);
    if (!seen) return 0;
    seen_body(seen, bytes, size);
    if (client->on_body) client->on_body(client, seen);
    return 0;
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *context) {
    (void)session;
    if (frame->hd.type == NGHTTP2_GOAWAY) ((struct h2_client *)context)->goaway = true;
    return 0;
}

static int on_close(nghttp2_session *session, int32_t id, uint32_t error, void *context) {
    struct h2_client *client = context;
    struct seen *seen = nghttp2_session_get_stream_user_data(session, id);
    if (!seen) return 0;
    seen->reset = error != NGHTTP2_NO_ERROR;
    seen->reset_error = error;
    seen->place = ++client->finished;
    if (client->finished == client->wanted) loop_stop(client->site->loop);
    return 0;
}

void h2_client_send(struct h2_client *client) {
    if (!client->session || client->closed) return;
    nghttp2_session_send(client->session);
    loop_modify(client->site->loop, &client->watch,
                EPOLLIN | (nghttp2_session_want_write(client->session) ? EPOLLOUT : 0u));
}

static void ready(void *context, uint32_t events) {
    struct h2_client *client = context;
    uint8_t bytes[8192];
    (void)events;
    ssize_t n = recv(client->watch.fd, bytes, sizeof bytes, MSG_DONTWAIT);
    if (n == 0 || (n < 0 && errno != EAGAIN)) {
        client->closed = true;
        loop_remove(client->site->loop, &client->watch);
        loop_stop(client->site->loop);
        return;
    }
    if (n > 0 && client->session)
        assert_int_equal(nghttp2_session_mem_recv2(client->session, bytes, (size_t)n), n);
    h2_client_send(client);
}

void h2_client_open_raw(struct h2_client *client, struct lane_site *site) {
    *client = (struct h2_client){.site = site, .watch = {.ready = ready, .context = client}};
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair), 0);
    client->watch.fd = pair[0];
    assert_int_equal(loop_add(site->loop, &client->watch, EPOLLIN), 0);
    assert_int_equal(stream_set_open(&client->streams, site->loop), 0);
    struct stream *stream = stream_open(&client->streams, pair[1], NULL, "192.0.2.1", 443);
    assert_non_null(stream);
    struct exchange_connection *connection =
        exchange_connection_open(site->site, LANE_H2, "192.0.2.1", 443, clock_now_ns());
    assert_non_null(connection);
    assert_int_equal(h2_open(stream, connection), 0);
}

void h2_client_open(struct h2_client *client, struct lane_site *site, uint32_t window_bytes) {
    h2_client_open_raw(client, site);
    nghttp2_session_callbacks *callbacks;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_send_callback2(callbacks, on_send);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
    nghttp2_session_client_new(&client->session, callbacks, client);
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_settings_entry settings[] = {{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, window_bytes},
                                         {NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1}};
    nghttp2_submit_settings(client->session, NGHTTP2_FLAG_NONE, settings, 2);
    if (window_bytes > 65535)
        nghttp2_session_set_local_window_size(client->session, NGHTTP2_FLAG_NONE, 0, (int32_t)window_bytes);
}

void h2_client_close(struct h2_client *client) {
    stream_set_close(&client->streams);
    if (!client->closed) loop_remove(client->site->loop, &client->watch);
    close(client->watch.fd);
    if (client->session) nghttp2_session_del(client->session);
}

static nghttp2_ssize upload(nghttp2_session *session, int32_t id, uint8_t *bytes, size_t size,
                            uint32_t *flags, nghttp2_data_source *source, void *context) {
    size_t *left = source->ptr;
    (void)session, (void)id, (void)context;
    if (size > *left) size = *left;
    memset(bytes, 'u', size);
    *left -= size;
    if (*left == 0) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return (nghttp2_ssize)size;
}

#define FIELD(n, v)                                                                                          \
    ((nghttp2_nv){.name = (uint8_t *)(uintptr_t)(n),                                                         \
                  .namelen = strlen(n),                                                                      \
                  .value = (uint8_t *)(uintptr_t)(v),                                                        \
                  .valuelen = strlen(v)})

struct seen *h2_client_request(struct h2_client *client, const char *method, const char *path,
                               const char *priority, size_t upload_bytes) {
    static size_t upload_left; // one upload at a time
    upload_left = upload_bytes;
    struct seen *seen = &client->seen[client->seen_count++];
    nghttp2_nv fields[6] = {FIELD(":method", method), FIELD(":scheme", "https"),
                            FIELD(":authority", "a.test"), FIELD(":path", path)};
    size_t count = 4;
    if (priority) fields[count++] = FIELD("priority", priority);
    if (client->extra_name) fields[count++] = FIELD(client->extra_name, client->extra_value);
    nghttp2_data_provider2 body = {.source.ptr = &upload_left, .read_callback = upload};
    int32_t id =
        nghttp2_submit_request2(client->session, NULL, fields, count, upload_bytes > 0 ? &body : NULL, seen);
    assert_true(id > 0);
    seen->id = (uint64_t)id;
    return seen;
}

void h2_client_run(struct h2_client *client, size_t wanted) {
    client->wanted = wanted;
    h2_client_send(client);
    if (client->finished < wanted) lane_site_run(client->site);
}
