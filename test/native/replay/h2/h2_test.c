// What the HTTP/2 lane has alone, against nghttp2's client over a socket pair, in clear: huge heads, the end
// of a connection, mutated bytes. What h3 does alike is in multiplexed_test.c.
#include "../h2_client.h"
#include "../lane_site.h"
#include "test/native/cmocka_unit.h"

#include <sys/socket.h>

enum { BIG_WINDOW = 6 * 1024 * 1024 };

static struct lane_site site;
LANE_SITE_FIXTURE(site)
static struct h2_client client;

LANE_SITE_TEST(refuses_a_huge_head_at_once) {
    h2_client_open(&client, &site, BIG_WINDOW);
    struct seen *huge = h2_client_request(&client, "GET", "/huge-head", NULL, 0);
    struct seen *small = h2_client_request(&client, "GET", "/small", NULL, 0);
    h2_client_run(&client, 2);
    assert_true(huge->reset);
    assert_whole(&site, small, "/small");
    h2_client_close(&client);
}

LANE_SITE_TEST(refuses_a_malformed_request) {
    h2_client_open(&client, &site, BIG_WINDOW);
    struct seen *bad = h2_client_request(&client, "GET", "", NULL, 0);
    h2_client_run(&client, 2); // until the server closes: nghttp2 takes this for an error of the connection
    assert_int_equal(bad->status, 0);
    assert_true(client.goaway);
    assert_true(client.closed);
    h2_client_close(&client);
}

LANE_SITE_TEST(says_goodbye) {
    h2_client_open(&client, &site, BIG_WINDOW);
    h2_client_request(&client, "GET", "/small", NULL, 0);
    h2_client_run(&client, 1);
    stream_set_close(&client.streams);
    lane_site_run(&site); // until the client sees the end
    assert_true(client.goaway);
    assert_true(client.closed);
    stream_set_open(&client.streams, site.loop);
    h2_client_close(&client);
}

// What a client sends, as bytes, to be mutated.
static size_t client_bytes(uint8_t *bytes, size_t capacity) {
    struct h2_client recorder = {.site = &site};
    nghttp2_session_callbacks *callbacks;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_client_new(&recorder.session, callbacks, &recorder);
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_submit_settings(recorder.session, NGHTTP2_FLAG_NONE, NULL, 0);
    h2_client_request(&recorder, "GET", "/small", "u=1", 0);
    h2_client_request(&recorder, "GET", "/large", "u=3, i", 0);
    h2_client_request(&recorder, "POST", "/small", NULL, 700);
    nghttp2_submit_priority_update(recorder.session, NGHTTP2_FLAG_NONE, 3, (const uint8_t *)"u=0", 3);
    nghttp2_submit_rst_stream(recorder.session, NGHTTP2_FLAG_NONE, 3, NGHTTP2_CANCEL);
    size_t size = 0;
    const uint8_t *part;
    nghttp2_ssize n;
    while ((n = nghttp2_session_mem_send2(recorder.session, &part)) > 0 && size + (size_t)n <= capacity) {
        memcpy(bytes + size, part, (size_t)n);
        size += (size_t)n;
    }
    nghttp2_session_del(recorder.session);
    return size;
}

static void stop(void *context, uint64_t now_ns) {
    (void)now_ns;
    loop_stop(context);
}

static void assert_it_serves(void) {
    h2_client_open(&client, &site, BIG_WINDOW);
    struct seen *seen = h2_client_request(&client, "GET", "/small", NULL, 0);
    h2_client_run(&client, 1);
    assert_whole(&site, seen, "/small");
    h2_client_close(&client);
}

LANE_SITE_TEST(survives_mutated_bytes) {
    uint8_t bytes[8192], mutated[8192];
    size_t size = client_bytes(bytes, sizeof bytes);
    assert_true(size > 800);
    srand(1);
    for (int round = 0; round < 400; round++) {
        memcpy(mutated, bytes, size);
        size_t from = round % 8 == 0 ? 0 : 24; // mostly after the preface
        for (int i = rand() % 6; i >= 0; i--)
            mutated[from + (size_t)rand() % (size - from)] = (uint8_t)rand();
        size_t length = round % 3 == 0 ? (size_t)rand() % size : size;
        h2_client_open_raw(&client, &site);
        assert_int_equal(send(client.watch.fd, mutated, length, MSG_NOSIGNAL), length);
        if (round % 2) shutdown(client.watch.fd, SHUT_WR);
        struct loop_timer soon = {.due = stop, .context = site.loop};
        loop_timer_set(site.loop, &soon, 1); // after one turn or two
        loop_run(site.loop);
        loop_timer_set(site.loop, &soon, 1);
        if (!client.closed) loop_run(site.loop);
        loop_timer_clear(site.loop, &soon);
        h2_client_close(&client);
    }
    // And it still serves.
    assert_it_serves();
}
