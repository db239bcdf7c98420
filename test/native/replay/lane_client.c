#include "lane_client.h"

#include "base/clock.h"
#include "test/native/cmocka_unit.h"

enum { H3_REQUEST_CANCELLED = 0x10c };

static void h2_body(struct h2_client *h2, struct seen *seen) {
    struct lane_client *client = (void *)((char *)h2 - offsetof(struct lane_client, h2));
    if (client->on_body) client->on_body(client, seen);
}

static void h3_body(struct h3_client *h3, struct seen *seen) {
    struct lane_client *client = (void *)((char *)h3 - offsetof(struct lane_client, h3));
    if (client->on_body) client->on_body(client, seen);
}

const char *lane_client_name(enum lane_client_kind kind) {
    return kind == LANE_CLIENT_H2 ? "h2" : "h3";
}

void lane_client_open(struct lane_client *client, enum lane_client_kind kind, struct lane_site *site,
                      uint32_t window_bytes) {
    client->kind = kind;
    client->on_body = NULL;
    if (kind == LANE_CLIENT_H2) {
        h2_client_open(&client->h2, site, window_bytes);
        client->h2.on_body = h2_body;
    } else {
        const struct h3_client_options options = {.window_bytes = window_bytes, .delay_ns = NS_PER_MS};
        h3_client_open(&client->h3, site, &options);
        client->h3.on_body = h3_body;
    }
}

void lane_client_close(struct lane_client *client) {
    if (client->kind == LANE_CLIENT_H2)
        h2_client_close(&client->h2);
    else
        h3_client_close(&client->h3);
}

struct seen *lane_client_request(struct lane_client *client, const char *method, const char *path,
                                 const char *priority, size_t upload_bytes) {
    return client->kind == LANE_CLIENT_H2
               ? h2_client_request(&client->h2, method, path, priority, upload_bytes)
               : h3_client_request(&client->h3, method, path, priority, upload_bytes);
}

void lane_client_extra(struct lane_client *client, const char *name, const char *value) {
    client->h2.extra_name = client->h3.extra_name = name;
    client->h2.extra_value = client->h3.extra_value = value;
}

void lane_client_run(struct lane_client *client, size_t wanted) {
    if (client->kind == LANE_CLIENT_H2)
        h2_client_run(&client->h2, wanted);
    else
        h3_client_run(&client->h3, wanted);
}

unsigned lane_client_finished(const struct lane_client *client) {
    return client->kind == LANE_CLIENT_H2 ? client->h2.finished : client->h3.finished;
}

void lane_client_update(struct lane_client *client, const struct seen *seen, unsigned urgency,
                        bool incremental) {
    if (client->kind == LANE_CLIENT_H2) {
        uint8_t value[16];
        int size = snprintf((char *)value, sizeof value, "u=%u%s", urgency, incremental ? ",i" : "");
        assert_int_equal(nghttp2_submit_priority_update(client->h2.session, NGHTTP2_FLAG_NONE,
                                                        (int32_t)seen->id, value, (size_t)size),
                         0);
    } else {
        quiche_h3_priority priority = {.urgency = (uint8_t)urgency, .incremental = incremental};
        assert_int_equal(
            quiche_h3_send_priority_update_for_request(client->h3.http, client->h3.quic, seen->id, &priority),
            0);
    }
}

void lane_client_cancel(struct lane_client *client, struct seen *seen) {
    seen->reset = true;
    if (client->kind == LANE_CLIENT_H2)
        nghttp2_submit_rst_stream(client->h2.session, NGHTTP2_FLAG_NONE, (int32_t)seen->id, NGHTTP2_CANCEL);
    else
        quiche_conn_stream_shutdown(client->h3.quic, seen->id, QUICHE_SHUTDOWN_READ, H3_REQUEST_CANCELLED);
}
