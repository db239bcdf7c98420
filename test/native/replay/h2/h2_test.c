// What the HTTP/2 lane has alone, against nghttp2's client over a socket pair, in clear: huge heads, the end
// of a connection. What h3 does alike is in multiplexed_test.c; mutated bytes: test/fuzz/request.c.
#include "../h2_client.h"
#include "../lane_site.h"
#include "test/native/cmocka_unit.h"

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
